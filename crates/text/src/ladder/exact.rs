//! The rung `exact`: the old text byte for byte, in whole lines or in parts of them.

use std::ops::Range;

use crate::look_alike::is_blank_char;

use super::passage::{Passage, line_lead};
use super::search::occurrences;
use super::settle::{choose, edit};
use super::sight::Sight;
use super::{Remark, Rung, Task, Tolerance, Verdict, repeats_indentation};

pub(super) fn find(task: &Task<'_>) -> Option<Verdict> {
    let places = places(task.sight, task.old);
    if places.is_empty() {
        return None;
    }
    let places = match choose(task, Rung::Exact, places) {
        Ok(places) => places,
        Err(verdict) => return Some(verdict),
    };
    let once = task.tolerance == Tolerance::Tolerant
        && places.iter().all(|place| {
            let blanks = line_lead(task.sight.view, place.start);
            repeats_indentation(blanks, task.old, task.new)
        });
    let sent = if once {
        task.new.trim_start_matches(is_blank_char)
    } else {
        task.new
    };
    let (old, new) = (Passage::of(task.old), Passage::of(sent));
    let mut verdict = edit(task, Rung::Exact, places, &old, &new, None);
    if let Verdict::Found(found) = &mut verdict
        && once
    {
        found.remarks.insert(0, Remark::IndentationOnce);
    }
    Some(verdict)
}

/// Every place where the text stands, overlapping ones included, damaged ones not.
pub(super) fn places(sight: &Sight<'_>, text: &str) -> Vec<Range<usize>> {
    occurrences(sight.view, text)
        .into_iter()
        .map(|at| at..at + text.len())
        .filter(|place| !sight.is_damaged(place))
        .collect()
}
