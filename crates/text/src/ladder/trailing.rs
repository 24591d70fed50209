//! The rung `trailing`: whole lines that are the same but for look-alikes and for the blanks at line ends.

use super::line_matcher::LineMatcher;
use super::shift::Shift;
use super::verdict::choose;
use super::{Rung, Task, Verdict};

pub(super) fn find(task: &Task<'_>, matcher: &LineMatcher<'_>) -> Option<Verdict> {
    let windows = matcher.windows(
        |number| Some(matcher.old_line(number).indent()),
        |number| Some(matcher.file_line(number).indent()),
    );
    let places = matcher.places(&windows);
    if places.is_empty() {
        return None;
    }
    Some(match choose(task, Rung::Trailing, places) {
        Ok(places) => matcher.edit(task, Rung::Trailing, places, Shift::Trailing),
        Err(verdict) => verdict,
    })
}
