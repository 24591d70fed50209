//! The rung `look-alike`: text that is the same except for quotes, dashes, spaces and Unicode composition, one
//! character for one, as whole lines or as parts of lines.

use std::ops::Range;

use crate::look_alike::Folded;

use super::search::occurrences;
use super::shift::Shift;
use super::text_lines::TextLines;
use super::verdict::{choose, edit};
use super::{Rung, Task, Verdict};

pub(super) fn find(task: &Task<'_>) -> Option<Verdict> {
    let places = places(task);
    if places.is_empty() {
        return None;
    }
    Some(match choose(task, Rung::LookAlike, places, None) {
        Ok(places) => {
            let (old, new) = (TextLines::new(task.old), TextLines::new(task.new));
            edit(
                task,
                Rung::LookAlike,
                places,
                &old,
                &new,
                Some(&Shift::None),
            )
        }
        Err(verdict) => verdict,
    })
}

/// Returns every place of the old text with look-alikes folded, overlapping ones included.
pub(super) fn places(task: &Task<'_>) -> Vec<Range<usize>> {
    let view = task.source.folded();
    let old = Folded::new(task.old);
    let nothing_folds = view.is_unchanged() && old.is_unchanged();
    if nothing_folds || task.old.starts_with(crate::look_alike::extends) {
        return Vec::new();
    }
    occurrences(view.text(), old.text())
        .into_iter()
        .filter_map(|at| Some(view.source_of(at)?..view.source_of(at + old.text().len())?))
        .filter(|place| !task.source.excludes(place))
        .collect()
}
