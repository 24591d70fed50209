//! The line ends of the text that is searched, for patterns that take CRLF as one.

use crate::wide_mark::has_wide_mark;

/// The line ends that a text may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextLineEnds {
    /// LF only.
    Lf,
    /// LF and CRLF.
    Any,
}

impl TextLineEnds {
    /// Returns what a text in memory has. Of one in UTF-16, which is decoded later, nothing is known.
    pub(super) fn find(text: &[u8]) -> Self {
        let may_have_crlf = has_wide_mark(text) || memchr::memmem::find(text, b"\r\n").is_some();
        match may_have_crlf {
            true => TextLineEnds::Any,
            false => TextLineEnds::Lf,
        }
    }
}

/// Returns a text without the end of its last line, which is searched from `at` on. ripgrep's printers remove the LF
/// of the line before they match it, and its searcher leaves it there; an LF before `at` ends the line before.
pub(super) fn without_line_end(text: &[u8], at: usize) -> &[u8] {
    let has_line_feed = text.get(at..).is_some_and(|line| line.ends_with(b"\n"));
    let text = match has_line_feed {
        true => &text[..text.len() - 1],
        false => text,
    };
    text.strip_suffix(b"\r").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_the_last_line_is_removed() {
        assert_eq!(without_line_end(b"a\r\n", 0), b"a");
        assert_eq!(without_line_end(b"a\n", 0), b"a");
        assert_eq!(without_line_end(b"a\r\nb\r", 3), b"a\r\nb");
        // An empty line whose LF is already removed.
        assert_eq!(without_line_end(b"a\r\n", 3), b"a\r\n");
        assert_eq!(without_line_end(b"a\n\r", 2), b"a\n");
    }
}
