//! Converts line ends as `git add` does, by git's own rules (its `convert.c`): a file that is CRLF on disk and LF in
//! git has not changed by that alone. Pure functions. Clean filters, `working-tree-encoding` and `$Id$` are not
//! applied.

use std::borrow::Cow;

/// The conversion of a file's line ends that the attributes and the configuration demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// The bytes are stored unchanged (`-text`, or no rule applies).
    None,
    /// The file is text (`text`): every CRLF becomes LF.
    Text,
    /// Every CRLF becomes LF if the content looks like text and HEAD does not already store it with CRLF
    /// (`text=auto`).
    Auto,
}

/// Returns the content as `git add` would store it. `committed` is the blob in HEAD: if that blob contains CRLF,
/// [`Conversion::Auto`] leaves them alone, as git does.
pub fn convert_to_git<'b>(
    content: &'b [u8],
    conversion: Conversion,
    committed: Option<&[u8]>,
) -> Cow<'b, [u8]> {
    let guess = match conversion {
        Conversion::None => return Cow::Borrowed(content),
        Conversion::Text => false,
        Conversion::Auto => true,
    };
    let statistics = LineEndStatistics::from_bytes(content);
    if statistics.crlf == 0 {
        return Cow::Borrowed(content);
    }
    if guess {
        let kept_so = |bytes: &[u8]| {
            let kept = LineEndStatistics::from_bytes(bytes);
            kept.crlf > 0 && !kept.looks_binary()
        };
        if statistics.looks_binary() || committed.is_some_and(kept_so) {
            return Cow::Borrowed(content);
        }
    }
    let mut converted = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = rest.windows(2).position(|pair| pair == b"\r\n") {
        converted.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
    }
    converted.extend_from_slice(rest);
    Cow::Owned(converted)
}

#[derive(Default)]
struct LineEndStatistics {
    crlf: usize,
    lone_cr: usize,
    nul: usize,
    printable: usize,
    other: usize,
}

impl LineEndStatistics {
    fn from_bytes(bytes: &[u8]) -> LineEndStatistics {
        let mut found = LineEndStatistics::default();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => {
                    found.crlf += 1;
                    at += 1;
                }
                b'\r' => found.lone_cr += 1,
                b'\n' => {}
                0x7f => found.other += 1,
                // Backspace, tab, escape, form feed.
                0x08 | b'\t' | 0x1b | 0x0c => found.printable += 1,
                0 => {
                    found.nul += 1;
                    found.other += 1;
                }
                control if control < 0x20 => found.other += 1,
                _ => found.printable += 1,
            }
            at += 1;
        }
        // git ignores a trailing DOS end-of-file character (0x1a).
        if bytes.last() == Some(&0x1a) {
            found.other -= 1;
        }
        found
    }

    fn looks_binary(&self) -> bool {
        self.lone_cr > 0 || self.nul > 0 || self.printable >> 7 < self.other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_conversion_strips_only_cr_before_lf() {
        let kept = convert_to_git(b"a\r\nb\rc\r\r\nd\r", Conversion::Text, None);
        assert_eq!(&kept[..], b"a\nb\rc\r\nd\r");
    }

    #[test]
    fn auto_conversion_keeps_committed_crlf_and_binary() {
        assert_eq!(
            &convert_to_git(b"a\r\nb", Conversion::Auto, None)[..],
            b"a\nb"
        );
        assert_eq!(
            &convert_to_git(b"a\r\nb", Conversion::Auto, Some(b"a\n"))[..],
            b"a\nb"
        );
        assert_eq!(
            &convert_to_git(b"a\r\nb", Conversion::Auto, Some(b"a\r\n"))[..],
            b"a\r\nb"
        );
        assert_eq!(
            &convert_to_git(b"a\r\nb\0", Conversion::Auto, None)[..],
            b"a\r\nb\0"
        );
        assert_eq!(
            &convert_to_git(b"a\r\nb\rc", Conversion::Auto, None)[..],
            b"a\r\nb\rc"
        );
        assert_eq!(
            &convert_to_git(b"a\r\n", Conversion::None, None)[..],
            b"a\r\n"
        );
    }
}
