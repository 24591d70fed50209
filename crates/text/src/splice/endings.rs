//! Chooses the line ends of new text inside a file.

use super::Change;
use crate::document::Document;
use crate::lines::{Endings, Terminator};
use std::borrow::Cow;
use std::ops::Range;

impl Document<'_> {
    /// The new text of a change with the line ends that it gets in this file.
    pub(super) fn with_line_ends<'c>(&self, change: &'c Change) -> Cow<'c, str> {
        let newlines = || memchr::memchr(b'\n', change.text.as_bytes()).is_some();
        match self.endings() {
            Endings::None | Endings::Lf => Cow::Borrowed(&change.text),
            _ if !newlines() => Cow::Borrowed(&change.text),
            Endings::Crlf => Cow::Owned(change.text.replace('\n', "\r\n")),
            Endings::Cr => Cow::Owned(change.text.replace('\n', "\r")),
            Endings::Mixed => Cow::Owned(self.with_each_line_end(change)),
        }
    }

    fn with_each_line_end(&self, change: &Change) -> String {
        let mut lines = self.lines_replaced(&change.range);
        let mut line_end = Terminator::Lf;
        let mut text = String::with_capacity(change.text.len() * 2);
        for (number, line) in change.text.split('\n').enumerate() {
            if number > 0 {
                if let Some(replaced) = lines.next() {
                    line_end = self.line_end_near(replaced);
                }
                text.push_str(line_end.text());
            }
            text.push_str(line);
        }
        text
    }

    /// The lines whose ends new text at `range` takes.
    fn lines_replaced(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.line_of(range.start);
        if !range.is_empty() {
            return first..self.line_of(range.end - 1) + 1;
        }
        let at_start = self.line_range(first).start == range.start;
        let line = if at_start {
            first.saturating_sub(1)
        } else {
            first
        };
        line..line + 1
    }

    /// The line end of a line; of the line before, else after, where it has none.
    fn line_end_near(&self, line: usize) -> Terminator {
        self.line_end_of(line)
            .or_else(|| self.line_end_of(line.checked_sub(1)?))
            .or_else(|| self.line_end_of(line + 1))
            .unwrap_or(Terminator::Lf)
    }

    fn line_end_of(&self, line: usize) -> Option<Terminator> {
        let newline = self.line_range(line).end;
        if newline == self.view().len() {
            return None;
        }
        let bytes = self.raw_range(newline..newline + 1);
        let ascii = self.raw()[bytes].iter().filter(|byte| **byte != 0);
        Some(match ascii.copied().collect::<Vec<u8>>().as_slice() {
            b"\r\n" => Terminator::Crlf,
            b"\r" => Terminator::Cr,
            b"\r\r\n" => Terminator::CrCrLf,
            _ => Terminator::Lf,
        })
    }
}
