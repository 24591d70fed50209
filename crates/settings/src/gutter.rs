//! The line numbers before the lines that Read and the writing tools show, and the anchors that they may contain.

use lancet_workspace::RevisionHasher;

use crate::Gutter;

/// The letters of an anchor, each of which encodes five bits.
const ANCHOR_LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

impl Gutter {
    /// Writes the number of a line, counted from 1. `whole` is the line's text if the line is shown whole; only then is
    /// an anchor written.
    #[doc(hidden)]
    pub fn write_number(self, out: &mut String, line: usize, whole: Option<&str>) {
        let digits = DecimalDigits::from_number(line);
        match (self, whole) {
            (Self::Hash, Some(text)) => {
                out.push_str(digits.text());
                out.push(':');
                out.push_str(&anchor_letters(text));
                out.push('→');
            }
            (Self::Arrow | Self::Hash, _) => {
                out.push_str(digits.text());
                out.push('→');
            }
            (Self::Tab, _) => {
                out.push_str(digits.text());
                out.push('\t');
            }
            (Self::Aligned, _) => {
                let text = digits.text();
                out.extend(std::iter::repeat_n(' ', 6_usize.saturating_sub(text.len())));
                out.push_str(text);
                out.push('→');
            }
            (Self::None, _) => {}
        }
    }
}

/// A number in decimal digits. It is written before every line of a page, and `write!` took 290 instructions for it,
/// more than everything else that is done for a line of source.
struct DecimalDigits {
    bytes: [u8; 20],
    start: usize,
}

impl DecimalDigits {
    fn from_number(number: usize) -> Self {
        let mut digits = Self {
            bytes: [b'0'; 20],
            start: 20,
        };
        let mut rest = number;
        for (at, byte) in digits.bytes.iter_mut().enumerate().rev() {
            *byte += (rest % 10) as u8;
            digits.start = at;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        digits
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[self.start..]).unwrap_or_default()
    }
}

/// Returns the three letters of a line's anchor: the first fifteen bits of the hash of its text, without its line
/// ending.
pub fn anchor_letters(text: &str) -> String {
    let mut hasher = RevisionHasher::new();
    hasher.update(text.as_bytes());
    let revision = hasher.finish();
    let [first, second, ..] = *revision.as_bytes();
    let bits = u16::from_be_bytes([first, second]) >> 1;
    [10, 5, 0]
        .map(|shift| char::from(ANCHOR_LETTERS[usize::from(bits >> shift & 31)]))
        .iter()
        .collect()
}

/// Parses the number and the letters of an anchor `12:abc`.
pub fn parse_anchor(text: &str) -> Option<(u64, &str)> {
    let (number, letters) = text.split_once(':')?;
    let is_anchor = !number.starts_with('0')
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && letters.len() == 3
        && letters.bytes().all(|byte| ANCHOR_LETTERS.contains(&byte));
    is_anchor.then_some((number.parse().ok()?, letters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchor_is_hash_prefix_in_base_32() {
        // The BLAKE3 hash of empty input begins with af1349b9: 10101 11100 01001.
        assert_eq!(anchor_letters(""), "v4j");
        let mut out = String::new();
        Gutter::Hash.write_number(&mut out, 12, Some(""));
        assert_eq!(out, "12:v4j→");
        let mut cut = String::new();
        Gutter::Hash.write_number(&mut cut, 12, None);
        assert_eq!(cut, "12→");
    }

    #[test]
    fn writes_number_before_mark_in_every_style() {
        for line in [0, 1, 9, 10, 99, 100, 12_345, 1_000_000, usize::MAX] {
            for (gutter, printed) in [
                (Gutter::Arrow, format!("{line}→")),
                (Gutter::Tab, format!("{line}\t")),
                (Gutter::Aligned, format!("{line:>6}→")),
                (Gutter::None, String::new()),
            ] {
                let mut out = String::new();
                gutter.write_number(&mut out, line, Some("text"));
                assert_eq!(out, printed);
            }
        }
    }

    #[test]
    fn parses_only_valid_anchors() {
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
