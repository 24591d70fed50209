//! Where lines begin and end, as the diff needs it. A [`Document`] uses the index that it already has; [`LineStarts`]
//! is for text without one.

use std::ops::Range;

use crate::byte_lanes::count_newlines;
use crate::document::Document;

/// The lines of a text in which every line ends in LF or at the end of the text. Lines are counted from 0, and a final
/// newline starts no further line.
pub trait LineTable {
    /// Returns the line that holds this offset; the end of the text belongs to the last line.
    fn line_of(&self, at: usize) -> usize;
    /// Returns the bytes of a line without its newline.
    fn line_range(&self, line: usize) -> Range<usize>;
    /// Returns how many lines there are; an empty text has none.
    fn line_count(&self) -> usize;
}

impl<T: LineTable> LineTable for &T {
    fn line_of(&self, at: usize) -> usize {
        (**self).line_of(at)
    }

    fn line_range(&self, line: usize) -> Range<usize> {
        (**self).line_range(line)
    }

    fn line_count(&self) -> usize {
        (**self).line_count()
    }
}

/// The line starts of a text, found by one scan.
#[derive(Debug, Clone)]
pub struct LineStarts {
    starts: Vec<usize>,
    length: usize,
    ended: bool,
}

impl LineStarts {
    /// Scans the text once.
    pub fn new(text: &str) -> LineStarts {
        let bytes = text.as_bytes();
        let mut starts = Vec::new();
        if !bytes.is_empty() {
            starts.push(0);
            starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at + 1));
            if starts.last() == Some(&bytes.len()) {
                starts.pop();
            }
        }
        LineStarts {
            starts,
            length: bytes.len(),
            ended: bytes.last() == Some(&b'\n'),
        }
    }
}

/// Returns the numbers, from 1, of the lines that hold these offsets: those of [`LineStarts::line_of`], by counting
/// newlines. For a few offsets of a text that changes with every edit, this takes a fraction of the time of a table.
pub fn line_numbers(text: &str, offsets: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let (mut counted, mut number) = (0, 1);
    // Text after the last newline is counted to the line before it.
    let ended = text.len() - usize::from(text.ends_with('\n'));
    let mut number_at = |at: usize| {
        let at = at.min(ended);
        if at < counted {
            (counted, number) = (0, 1);
        }
        number += count_newlines(&text.as_bytes()[counted..at]);
        counted = at;
        number
    };
    offsets.into_iter().map(&mut number_at).collect()
}

impl LineTable for LineStarts {
    fn line_of(&self, at: usize) -> usize {
        self.starts
            .partition_point(|&start| start <= at)
            .saturating_sub(1)
    }

    fn line_range(&self, line: usize) -> Range<usize> {
        let Some(&start) = self.starts.get(line) else {
            return self.length..self.length;
        };
        let end = match self.starts.get(line + 1) {
            Some(next) => next - 1,
            None => self.length - usize::from(self.ended),
        };
        start..end
    }

    fn line_count(&self) -> usize {
        self.starts.len()
    }
}

impl LineTable for Document<'_> {
    fn line_of(&self, at: usize) -> usize {
        Document::line_of(self, at)
    }

    fn line_range(&self, line: usize) -> Range<usize> {
        Document::line_range(self, line)
    }

    fn line_count(&self) -> usize {
        Document::line_count(self)
    }
}

/// Returns how many lines a part of a text has that begins at a line start.
pub(crate) fn count_lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    let unended = bytes.last().is_some_and(|&last| last != b'\n');
    count_newlines(bytes) + usize::from(unended)
}

/// Returns the line that holds the offset, and where that line begins. At the end of an empty text or of one with a
/// final newline, this is the line that would come next.
pub(crate) fn line_at(view: &str, lines: &dyn LineTable, at: usize) -> (usize, usize) {
    let fresh = at == view.len() && (at == 0 || view.as_bytes()[at - 1] == b'\n');
    if fresh {
        return (lines.line_count(), at);
    }
    let line = lines.line_of(at);
    (line, lines.line_range(line).start)
}

/// Returns the end of a line, its newline included.
pub(crate) fn line_end(view: &str, lines: &dyn LineTable, line: usize) -> usize {
    let end = lines.line_range(line).end;
    end + usize::from(end < view.len())
}

/// Returns whether a line starts at this offset. The end of the text counts where the last line is ended.
pub(crate) fn is_line_start(view: &str, at: usize) -> bool {
    at == 0 || view.as_bytes().get(at - 1) == Some(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn final_newline_starts_no_line() {
        for (text, expected) in [
            ("", vec![]),
            ("a", vec!["a"]),
            ("a\n", vec!["a"]),
            ("\n", vec![""]),
            ("a\n\nb", vec!["a", "", "b"]),
        ] {
            let index = LineStarts::new(text);
            let found: Vec<_> = (0..index.line_count())
                .map(|line| &text[index.line_range(line)])
                .collect();
            assert_eq!(found, expected, "{text:?}");
            assert_eq!(count_lines(text), expected.len(), "{text:?}");
        }
    }

    #[test]
    fn offset_maps_to_containing_line() {
        let index = LineStarts::new("ab\n\ncd\n");
        let found: Vec<_> = (0..=7).map(|at| index.line_of(at)).collect();
        assert_eq!(found, [0, 0, 0, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn line_past_end_is_empty() {
        assert_eq!(LineStarts::new("ab").line_range(7), 2..2);
    }

    #[test]
    fn line_numbers_agree_with_line_table() {
        for text in ["", "a", "\n", "a\n", "\n\n", "a\nbc\n\nd", "a\nbc\n\nd\n"] {
            let table = LineStarts::new(text);
            let offsets = || (0..=text.len()).rev().chain(0..=text.len());
            let expected: Vec<usize> = offsets().map(|at| table.line_of(at) + 1).collect();
            assert_eq!(line_numbers(text, offsets()), expected, "{text:?}");
        }
    }
}
