//! The line numbers of hunks. A number counts lines of the file before all hunks, but edits that were already applied
//! have moved lines.

use std::cell::Cell;

use lancet_text::{EditedPlace, LineShifts};

use crate::request::{EditRequest, HunkPlace};

/// How lines have moved since the first edit, and since the current section of a diff began.
#[derive(Debug, Default)]
pub(super) struct HintedLines {
    shifts: LineShifts,
    /// The section, and the number of shifts before it.
    section: Cell<(usize, usize)>,
}

impl HintedLines {
    /// Makes the record for edits of which at least one is a hunk with a line number; none where there is none.
    pub(super) fn for_edits(edits: &[(usize, &EditRequest)]) -> Option<Self> {
        let mut hunks = edits.iter().filter_map(|(_, edit)| edit.as_hunk());
        hunks
            .any(|hunk| hunk.line_hint.is_some())
            .then(Self::default)
    }

    /// Returns the line of the current text, from 0, that a hunk's number means; none where it has no number, or where
    /// the two methods of counting disagree.
    pub(super) fn line_of(&self, hunk: &HunkPlace) -> Option<usize> {
        let hint = usize::try_from(hunk.line_hint?).ok()?.checked_sub(1)?;
        if self.section.get().0 != hunk.section {
            self.section.set((hunk.section, self.shifts.len()));
        }
        let (_, before) = self.section.get();
        let line = self.shifts.current_line(hint, 0)?;
        (hunk.section == 0 || self.shifts.current_line(hint, before) == Some(line)).then_some(line)
    }

    /// Records the changes of an edit; `text` is the text before it.
    pub(super) fn record(&mut self, text: &str, places: &[EditedPlace]) {
        let changes = places.iter().flat_map(|place| &place.changes);
        self.shifts.record(text, changes);
    }
}
