//! Chooses the line ends of new text inside a file.

use super::Change;
use crate::document::{Document, Position};
use crate::lines::{Endings, Terminator, line_end};
use std::borrow::Cow;

impl Document<'_> {
    /// Returns the new text of a change with the line ends that it gets in this file. `start` is any position at or
    /// before the change; the search for a line end begins there.
    pub(super) fn with_line_ends<'c>(&self, change: &'c Change, start: Position) -> Cow<'c, str> {
        let newlines = || memchr::memchr(b'\n', change.text.as_bytes()).is_some();
        match self.endings() {
            Endings::None | Endings::Lf => Cow::Borrowed(&change.text),
            _ if !newlines() => Cow::Borrowed(&change.text),
            Endings::Crlf => Cow::Owned(change.text.replace('\n', "\r\n")),
            Endings::Cr => Cow::Owned(change.text.replace('\n', "\r")),
            Endings::Mixed => Cow::Owned(self.with_replaced_line_ends(change, start)),
        }
    }

    /// Returns the new text for a file with mixed line ends: each new line gets the terminator of the line that it
    /// replaces, and further ones that of the last line replaced.
    fn with_replaced_line_ends(&self, change: &Change, start: Position) -> String {
        let view = self.view();
        let range = &change.range;
        let mut text = String::with_capacity(change.text.len() * 2);
        let mut terminator = Terminator::Lf;
        // The offset of the next replaced line's newline. An insertion at the start of a line takes the terminator of
        // the line before it, any other insertion that of its own line.
        let mut newline = if range.is_empty() && view[..range.start].ends_with('\n') {
            Some(range.start - 1)
        } else {
            Some(line_end(view, range.start))
        };
        for (number, line) in change.text.split('\n').enumerate() {
            if number > 0 {
                if let Some(at) = newline.take() {
                    terminator = self.terminator_of_line(at, start);
                    let further = at + 1 < range.end;
                    newline = further.then(|| line_end(view, at + 1));
                }
                text.push_str(terminator.text());
            }
            text.push_str(line);
        }
        text
    }

    /// Returns the terminator of the line that ends at offset `newline` of the view. A last line without a terminator
    /// gets that of the line before.
    fn terminator_of_line(&self, newline: usize, start: Position) -> Terminator {
        if newline < self.view().len() {
            let from = if newline < start.view {
                self.start()
            } else {
                start
            };
            return self.terminator_at(newline, from);
        }
        match memchr::memrchr(b'\n', self.view().as_bytes()) {
            Some(before) => self.terminator_at(before, self.start()),
            None => Terminator::Lf,
        }
    }

    /// Returns the terminator whose newline is at this offset of the view, read from the raw bytes.
    fn terminator_at(&self, newline: usize, from: Position) -> Terminator {
        let start = self.last_position_up_to(from, newline);
        let end = self.last_position_up_to(start, newline + 1);
        // The zero bytes are the other halves of UTF-16 characters.
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
