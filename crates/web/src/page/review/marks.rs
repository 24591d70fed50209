//! What was marked as seen on the page lately, so that it can be shown again.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use lancet::review::MarkedSeen;

/// The largest number of marks that are remembered.
const MAX_REMEMBERED: usize = 20;

/// The marks, newest first. They are lost when the server ends.
#[derive(Default)]
pub(in crate::page) struct SeenMarks(Mutex<Marks>);

#[derive(Default)]
struct Marks {
    newest: u64,
    marks: VecDeque<SeenMark>,
}

/// One press of *Mark as seen*.
#[derive(Clone)]
pub(super) struct SeenMark {
    pub(super) number: u64,
    /// In milliseconds since 1970.
    pub(super) time: i64,
    pub(super) marked: MarkedSeen,
}

impl SeenMarks {
    /// Adds a mark, and returns its number.
    pub(super) fn add(&self, marked: MarkedSeen, time: i64) -> u64 {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.newest += 1;
        let number = all.newest;
        all.marks.push_front(SeenMark {
            number,
            time,
            marked,
        });
        all.marks.truncate(MAX_REMEMBERED);
        number
    }

    /// Removes a mark, and returns it.
    pub(super) fn take(&self, number: u64) -> Option<SeenMark> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.marks.iter().position(|mark| mark.number == number)?;
        all.marks.remove(at)
    }

    /// Puts back a mark that could not be carried out.
    pub(super) fn put_back(&self, mark: SeenMark) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.marks.push_front(mark);
    }

    /// Returns number, time and number of files of each mark, newest first.
    pub(super) fn list(&self) -> Vec<(u64, i64, usize)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let marks = all.marks.iter();
        marks
            .map(|mark| (mark.number, mark.time, mark.marked.files))
            .collect()
    }
}
