//! The line numbers before the lines that Read and the writing tools show, and the anchors that may stand in them.

use std::fmt::Write;

use lancet_workspace::Hasher;

use crate::settings::Gutter;

/// The letters of an anchor, each of which stands for five bits.
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

impl Gutter {
    /// Writes the number of a line, counted from 1. `whole` is the line's text if the line is shown whole; only then is
    /// there an anchor.
    pub(crate) fn write(self, out: &mut String, line: usize, whole: Option<&str>) {
        // Writing to a string cannot fail.
        let _ = match (self, whole) {
            (Self::Hash, Some(text)) => write!(out, "{line}:{}→", anchor_letters(text)),
            (Self::Arrow | Self::Hash, _) => write!(out, "{line}→"),
            (Self::Tab, _) => write!(out, "{line}\t"),
            (Self::Aligned, _) => write!(out, "{line:>6}→"),
            (Self::None, _) => Ok(()),
        };
    }
}

/// The three letters of a line's anchor: the first fifteen bits of the hash of its text, without its line ending.
pub(crate) fn anchor_letters(text: &str) -> String {
    let mut hasher = Hasher::new();
    hasher.update(text.as_bytes());
    let revision = hasher.finish();
    let [first, second, ..] = *revision.as_bytes();
    let bits = u16::from_be_bytes([first, second]) >> 1;
    [10, 5, 0]
        .map(|shift| char::from(LETTERS[usize::from(bits >> shift & 31)]))
        .iter()
        .collect()
}

/// The number and the letters of an anchor `12:abc`.
pub(crate) fn parse_anchor(text: &str) -> Option<(u64, &str)> {
    let (number, letters) = text.split_once(':')?;
    let is_anchor = !number.starts_with('0')
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && letters.len() == 3
        && letters.bytes().all(|byte| LETTERS.contains(&byte));
    is_anchor.then_some((number.parse().ok()?, letters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_is_the_beginning_of_the_hash_in_base_32() {
        // The BLAKE3 of nothing begins with af1349b9: 10101 11100 01001.
        assert_eq!(anchor_letters(""), "v4j");
        let mut out = String::new();
        Gutter::Hash.write(&mut out, 12, Some(""));
        assert_eq!(out, "12:v4j→");
        let mut cut = String::new();
        Gutter::Hash.write(&mut cut, 12, None);
        assert_eq!(cut, "12→");
    }

    #[test]
    fn only_an_anchor_is_read_as_one() {
        assert_eq!(parse_anchor("12:v4j"), Some((12, "v4j")));
        for other in [
            "",
            "12",
            "12:",
            ":v4j",
            "012:v4j",
            "12:v4",
            "12:v4jj",
            "12:V4J",
            "12:v1j",
            "a:v4j",
            "12:v4j→",
            "99999999999999999999999:v4j",
        ] {
            assert_eq!(parse_anchor(other), None, "{other}");
        }
    }
}
