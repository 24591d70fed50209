//! A text split into lines, and helper functions for where lines start and end.

use crate::look_alike::is_blank;

/// The lines of a text without their newlines. A final newline starts no further line, and an empty text has no line.
/// One empty line that is not ended is a line with nothing on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextLines<'t> {
    pub(super) lines: Vec<&'t str>,
    pub(super) ended: bool,
}

impl<'t> TextLines<'t> {
    pub(super) fn new(text: &'t str) -> TextLines<'t> {
        let (body, ended) = match text.strip_suffix('\n') {
            Some(body) => (body, true),
            None => (text, false),
        };
        let lines = if text.is_empty() {
            Vec::new()
        } else {
            body.split('\n').collect()
        };
        TextLines { lines, ended }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns the lines joined into the text that they came from.
    pub(super) fn text(&self) -> String {
        let mut text = self.lines.join("\n");
        if self.ended && !self.lines.is_empty() {
            text.push('\n');
        }
        text
    }

    /// Returns the same lines without the final newline.
    pub(super) fn without_final_newline(mut self) -> TextLines<'t> {
        self.ended = false;
        self
    }
}

/// Returns whether a line of the text starts at the offset.
pub(super) fn starts_line(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}

/// Finds the indentation before offsets. The offsets must ascend, so that all of them together take one pass over the
/// text.
pub(super) struct IndentScanner<'t> {
    text: &'t str,
    line_start: usize,
    at: usize,
    blank: bool,
}

impl<'t> IndentScanner<'t> {
    pub(super) fn new(text: &'t str) -> IndentScanner<'t> {
        IndentScanner {
            text,
            line_start: 0,
            at: 0,
            blank: true,
        }
    }

    /// Returns the blanks between the line start and the offset; `None` where there is any other text.
    pub(super) fn indent_before(&mut self, offset: usize) -> Option<&'t str> {
        let passed = &self.text[self.at..offset];
        match memchr::memrchr(b'\n', passed.as_bytes()) {
            Some(newline) => {
                self.line_start = self.at + newline + 1;
                self.blank = is_blank(&passed[newline + 1..]);
            }
            None => self.blank &= is_blank(passed),
        }
        self.at = offset;
        self.blank.then(|| &self.text[self.line_start..offset])
    }
}

/// Returns the text between the line start and the offset.
pub(super) fn line_prefix(text: &str, at: usize) -> &str {
    let start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1);
    &text[start..at]
}

/// Returns whether the character at the offset is a newline.
pub(super) fn is_newline_at(text: &str, at: usize) -> bool {
    text.as_bytes().get(at) == Some(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn final_newline_starts_no_line() {
        let cases: [(&str, &[&str], bool); 6] = [
            ("", &[], false),
            ("a", &["a"], false),
            ("a\n", &["a"], true),
            ("\n", &[""], true),
            ("a\n\n", &["a", ""], true),
            ("\na", &["", "a"], false),
        ];
        for (text, lines, ended) in cases {
            let split = TextLines::new(text);
            assert_eq!(
                (split.lines.as_slice(), split.ended),
                (lines, ended),
                "{text:?}"
            );
            assert_eq!(split.text(), text);
        }
    }
}
