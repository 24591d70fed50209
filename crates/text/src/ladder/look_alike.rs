//! The rung `look-alike`: text that is the same except for quotes, dashes, spaces and Unicode composition, one
//! character for one, as whole lines or as parts of lines.

use std::ops::Range;

use crate::look_alike::Folded;

use super::search::occurrences;
use super::shift::LineShift;
use super::text_lines::TextLines;
use super::verdict::{choose_places, edit_places};
use super::{Rung, SearchTask, Verdict};

pub(super) fn find(task: &SearchTask<'_>) -> Option<Verdict> {
    let places = look_alike_places(task);
    if places.is_empty() {
        return None;
    }
    Some(match choose_places(task, Rung::LookAlike, places, None) {
        Ok(places) => {
            let (old, new) = (TextLines::new(task.old), TextLines::new(task.new));
            edit_places(
                task,
                Rung::LookAlike,
                places,
                &old,
                &new,
                Some(&LineShift::None),
            )
        }
        Err(verdict) => verdict,
    })
}

/// Returns every place of the old text with look-alikes folded, overlapping ones included.
pub(super) fn look_alike_places(task: &SearchTask<'_>) -> Vec<Range<usize>> {
    let view = task.source.folded();
    let old = Folded::new(task.old);
    let nothing_folds = view.is_unchanged() && old.is_unchanged();
    if nothing_folds || task.old.starts_with(crate::look_alike::is_combining) {
        return Vec::new();
    }
    occurrences(view.text(), old.text())
        .into_iter()
        .filter_map(|at| Some(view.source_offset(at)?..view.source_offset(at + old.text().len())?))
        .filter(|place| !task.source.is_excluded(place))
        .collect()
}
