//! The rung `trailing`: whole lines that are the same except for look-alikes and for the blanks at line ends.

use std::ops::Range;

use super::line_matcher::LineMatcher;
use super::shift::LineShift;
use super::verdict::choose_places;
use super::{Rung, SearchTask, Verdict};

pub(super) fn find(task: &SearchTask<'_>, matcher: &LineMatcher<'_>) -> Option<Verdict> {
    let places = places_with_trailing_blanks(matcher);
    if places.is_empty() {
        return None;
    }
    Some(
        match choose_places(task, Rung::Trailing, places, Some(matcher)) {
            Ok(places) => matcher.edit_places(task, Rung::Trailing, places, LineShift::Trailing),
            Err(verdict) => verdict,
        },
    )
}

/// Returns every place whose lines have the indentation and the content of the old lines.
pub(super) fn places_with_trailing_blanks(matcher: &LineMatcher<'_>) -> Vec<Range<usize>> {
    let windows = matcher.matching_windows(
        |number| Some(matcher.old_line(number).indent()),
        |number| Some(matcher.file_line(number).indent()),
    );
    matcher.place_ranges(&windows)
}
