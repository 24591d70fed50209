//! Tracks line numbers across edits: converts the number that a line had before them to its current number.

use crate::splice::Change;

/// The edits made to a text so far, as removed and added lines.
#[derive(Clone, Debug, Default)]
pub struct LineShifts {
    shifts: Vec<Shift>,
}

/// The line, counted from 0, at which lines were removed and added, and their numbers.
#[derive(Clone, Copy, Debug)]
struct Shift {
    at: usize,
    removed: usize,
    added: usize,
}

impl LineShifts {
    /// Records changes of a text, which are sorted and do not overlap; `text` is the text before them.
    pub fn record<'c>(
        &mut self,
        text: &str,
        changes: impl IntoIterator<Item = &'c Change, IntoIter: DoubleEndedIterator>,
    ) {
        let newlines = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count();
        // The last change is recorded first, so that the numbers of the earlier ones still refer to `text`.
        for change in changes.into_iter().rev() {
            let before = &text[..change.range.start];
            let begins_line = before.is_empty() || before.ends_with('\n');
            let shift = Shift {
                at: newlines(before) + usize::from(!begins_line),
                removed: newlines(&text[change.range.clone()]),
                added: newlines(&change.text),
            };
            if (shift.removed, shift.added) != (0, 0) {
                self.shifts.push(shift);
            }
        }
    }

    /// Returns the number of shifts so far, which can be used as a position to count from.
    pub fn len(&self) -> usize {
        self.shifts.len()
    }

    /// Returns whether no line has moved.
    pub fn is_empty(&self) -> bool {
        self.shifts.is_empty()
    }

    /// Returns the current number, from 0, of a line whose number counts the text before the shifts from a position on;
    /// `None` where the line was removed.
    pub fn current_line(&self, line: usize, from: usize) -> Option<usize> {
        let mut line = line;
        for shift in self.shifts.iter().skip(from) {
            if line < shift.at {
                continue;
            }
            line = line
                .checked_sub(shift.removed)
                .filter(|left| *left >= shift.at)?
                + shift.added;
        }
        Some(line)
    }
}
