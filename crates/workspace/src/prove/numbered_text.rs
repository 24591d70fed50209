//! Texts that contain a number and show whether they are whole, for readers and for writers that are killed.

use std::fmt::Write as _;

/// The lines of a text: more than a page of memory, so that a torn one is noticed.
const LINE_COUNT: u64 = 240;

/// Returns the text of a number. Every line has the number, and its length depends on it.
pub(super) fn numbered_text(number: u64) -> String {
    let mut text = String::new();
    for line in 0..LINE_COUNT + number % 7 {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{number} line {line} of an edit that is whole");
    }
    text
}

/// Returns the number of a text; none if it is not whole.
pub(super) fn text_number(bytes: &[u8]) -> Option<u64> {
    let digits = bytes.split(|byte| *byte == b' ').next()?;
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (numbered_text(number).as_bytes() == bytes).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_cut_mixed_and_empty_texts() {
        let (one, two) = (numbered_text(1), numbered_text(2));
        assert_eq!(text_number(one.as_bytes()), Some(1));
        assert_eq!(text_number(two.as_bytes()), Some(2));
        assert_eq!(text_number(b""), None);
        assert_eq!(text_number(&one.as_bytes()[..one.len() - 1]), None);
        let mixed = [&one.as_bytes()[..4096], &two.as_bytes()[4096..]].concat();
        assert_eq!(text_number(&mixed), None);
    }
}
