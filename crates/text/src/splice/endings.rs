//! Chooses the line ends of new text inside of a file.

use super::Change;
use crate::document::{Document, Position};
use crate::lines::{Endings, Terminator, line_end};
use std::borrow::Cow;

impl Document<'_> {
    /// The new text of a change with the line ends that it gets in this file. `start` is the position of the change, or
    /// a little before it.
    pub(super) fn with_line_ends<'c>(&self, change: &'c Change, start: Position) -> Cow<'c, str> {
        let newlines = || memchr::memchr(b'\n', change.text.as_bytes()).is_some();
        match self.endings() {
            Endings::None | Endings::Lf => Cow::Borrowed(&change.text),
            _ if !newlines() => Cow::Borrowed(&change.text),
            Endings::Crlf => Cow::Owned(change.text.replace('\n', "\r\n")),
            Endings::Cr => Cow::Owned(change.text.replace('\n', "\r")),
            Endings::Mixed => Cow::Owned(self.with_each_line_end(change, start)),
        }
    }

    fn with_each_line_end(&self, change: &Change, start: Position) -> String {
        let view = self.view();
        let range = &change.range;
        let mut text = String::with_capacity(change.text.len() * 2);
        let mut terminator = Terminator::Lf;
        // The newline of the next line that is replaced; for an insertion, that of the line which decides.
        let mut newline = if range.is_empty() && view[..range.start].ends_with('\n') {
            Some(range.start - 1)
        } else {
            Some(line_end(view, range.start))
        };
        for (number, line) in change.text.split('\n').enumerate() {
            if number > 0 {
                if let Some(at) = newline.take() {
                    terminator = self.line_end_near(at, start);
                    let further = at + 1 < range.end;
                    newline = further.then(|| line_end(view, at + 1));
                }
                text.push_str(terminator.text());
            }
            text.push_str(line);
        }
        text
    }

    /// The line end at a newline of the view. Where `newline` is the end of a last line without one, it is that of the
    /// line before; a file with mixed line ends has one.
    fn line_end_near(&self, newline: usize, start: Position) -> Terminator {
        if newline < self.view().len() {
            let from = if newline < start.view {
                self.start()
            } else {
                start
            };
            return self.line_end_at(newline, from);
        }
        match memchr::memrchr(b'\n', self.view().as_bytes()) {
            Some(before) => self.line_end_at(before, self.start()),
            None => Terminator::Lf,
        }
    }

    fn line_end_at(&self, newline: usize, from: Position) -> Terminator {
        let start = self.floor(from, newline);
        let end = self.floor(start, newline + 1);
        let mut bytes = self.raw()[start.raw..end.raw]
            .iter()
            .filter(|byte| **byte != 0);
        match (bytes.next(), bytes.next()) {
            (Some(b'\r'), Some(b'\r')) => Terminator::CrCrLf,
            (Some(b'\r'), Some(_)) => Terminator::Crlf,
            (Some(b'\r'), None) => Terminator::Cr,
            _ => Terminator::Lf,
        }
    }
}
