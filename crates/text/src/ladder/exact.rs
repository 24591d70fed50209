//! The rung `exact`: the old text byte for byte, in whole lines or in parts of them.

use std::ops::Range;

use super::passage::Passage;
use super::search::occurrences;
use super::settle::literal;
use super::sight::Sight;
use super::{Rung, Task, Verdict};

pub(super) fn find(task: &Task<'_>) -> Option<Verdict> {
    let places = places(task.sight, task.old);
    (!places.is_empty()).then(|| {
        let (old, new) = (Passage::of(task.old), Passage::of(task.new));
        literal(task, Rung::Exact, places, &old, &new)
    })
}

/// Every place where the text stands, overlapping ones included, damaged ones not.
pub(super) fn places(sight: &Sight<'_>, text: &str) -> Vec<Range<usize>> {
    occurrences(sight.view, text)
        .into_iter()
        .map(|at| at..at + text.len())
        .filter(|place| !sight.is_damaged(place))
        .collect()
}
