//! Determines which characters of old and new text correspond, and whether the newlines among them are paired in order.

use super::super::common_runs::common_runs;
use super::OldUnit;

/// The characters of the new text that are characters of the old text, by the common runs of both.
pub(super) struct UnitAlignment {
    /// For each unit of the new text, the unit of the old text that it is.
    pub(super) partners: Vec<Option<usize>>,
    /// For each unit of the old text, whether the new text has it too.
    shared: Vec<bool>,
}

impl UnitAlignment {
    pub(super) fn new(old: &[OldUnit<'_>], new: &[&str]) -> UnitAlignment {
        let texts: Vec<&str> = old.iter().map(|unit| unit.text).collect();
        let mut alignment = UnitAlignment {
            partners: vec![None; new.len()],
            shared: vec![false; old.len()],
        };
        for run in common_runs(&texts, new) {
            for step in 0..run.len {
                alignment.partners[run.new + step] = Some(run.old + step);
                alignment.shared[run.old + step] = true;
            }
        }
        alignment
    }

    /// Returns whether a common character keeps the form of the file. One that was folded keeps it only next to another
    /// common character or at the edge of a line: alone it may be a coincidence.
    pub(super) fn keeps_file_form(&self, old: &[OldUnit<'_>], at: usize) -> bool {
        let beside = |neighbour: Option<usize>| match neighbour {
            Some(neighbour) if neighbour < old.len() => {
                old[neighbour].text == "\n" || self.shared[neighbour]
            }
            _ => true,
        };
        !old[at].folded || beside(at.checked_sub(1)) || beside(Some(at + 1))
    }
}

/// Checks that the newlines that are kept are paired in order, the first with the first and so on. Otherwise, a kept
/// newline would bring the line end of another line along.
pub(super) struct NewlinePairing {
    /// For each character of the old text, the number of newlines before it.
    before: Vec<usize>,
    /// The number of newlines in the old text.
    old: usize,
    /// The number of newlines of the new text that were counted so far.
    new: usize,
    /// The number of those that are kept and have the same number in the old text.
    kept: usize,
}

impl NewlinePairing {
    pub(super) fn new(old: &[OldUnit<'_>]) -> NewlinePairing {
        let mut newlines = 0;
        let before = old
            .iter()
            .map(|unit| {
                let before = newlines;
                newlines += usize::from(unit.text == "\n");
                before
            })
            .collect();
        NewlinePairing {
            before,
            old: newlines,
            new: 0,
            kept: 0,
        }
    }

    /// Counts a unit of the new text that is kept, as this unit of the old text.
    pub(super) fn pair_units(&mut self, partner: usize, unit: &str) {
        if unit == "\n" {
            self.kept += usize::from(self.before[partner] == self.new);
            self.new += 1;
        }
    }

    /// Counts a unit that the new text adds.
    pub(super) fn add(&mut self, unit: &str) {
        self.new += usize::from(unit == "\n");
    }

    /// Returns whether as many newlines are paired in order as both texts have.
    pub(super) fn are_aligned(&self) -> bool {
        self.kept == self.new.min(self.old)
    }
}
