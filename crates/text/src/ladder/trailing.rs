//! The rung `trailing`: whole lines that are the same except for look-alikes and for the blanks at line ends.

use std::ops::Range;

use super::line_matcher::LineMatcher;
use super::shift::Shift;
use super::verdict::choose;
use super::{Rung, Task, Verdict};

pub(super) fn find(task: &Task<'_>, matcher: &LineMatcher<'_>) -> Option<Verdict> {
    let places = places(matcher);
    if places.is_empty() {
        return None;
    }
    Some(match choose(task, Rung::Trailing, places, Some(matcher)) {
        Ok(places) => matcher.edit(task, Rung::Trailing, places, Shift::Trailing),
        Err(verdict) => verdict,
    })
}

/// Returns every place whose lines have the indentation and the content of the old lines.
pub(super) fn places(matcher: &LineMatcher<'_>) -> Vec<Range<usize>> {
    let windows = matcher.windows(
        |number| Some(matcher.old_line(number).indent()),
        |number| Some(matcher.file_line(number).indent()),
    );
    matcher.places(&windows)
}
