//! The ladder: finds where the old text of an edit is in a file, and works out what the edit changes there.
//!
//! Each rung is an equivalence relation between texts, from "the same bytes" to "the same except for one level of
//! escaping". Rungs are tried in a fixed order. A rung is taken only where exactly one place is equivalent to the old
//! text (or where all places are requested), so the result is never a guess: text that no rung proves equivalent is not
//! found.
//!
//! The functions here are pure: they read neither the disk nor the ledger.

mod abbreviation;
mod blank_edge;
mod char_merge;
pub(crate) mod common_runs;
mod edit_script;
mod escaped;
mod exact;
mod fence;
mod final_newline;
mod further;
mod gutter;
mod indent;
mod line_matcher;
mod look_alike;
mod query;
mod quotes;
mod remarks;
mod repeated;
pub(crate) mod replaced_lines;
mod result;
mod search;
mod shift;
mod short;
mod source;
mod tabs;
mod task;
mod text_lines;
mod trailing;
mod verdict;
mod whole_lines;

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::look_alike::is_blank;
use query::Deletion;
pub use query::{LeakPolicy, MAX_PLACES, Occurrences, Query, TextKind, Tolerance};
pub use remarks::Remark;
pub use repeated::repeats_indentation;
pub use result::{EditedPlace, FoundPlaces, GuardRefusal, Rung, Verdict};
pub(crate) use search::for_each_place;
pub use short::{may_lack_indentation, with_short_indentation};
use source::SourceText;
use task::{FurtherMatches, SearchTask};
use text_lines::TextLines;

/// Finds the old text of a query and works out what its replacement changes.
pub fn find(query: &Query<'_>) -> Verdict {
    let source = SourceText::new(query.view, query.damaged, query.bounds);
    let task = SearchTask {
        source: &source,
        old: query.old,
        new: query.new,
        occurrences: query.occurrences,
        deletion: Deletion::from_new_text(query.new),
        tolerance: query.tolerance,
        abbreviations: query.abbreviations,
        leaks: query.leaks,
        text_kind: query.text_kind,
        further: FurtherMatches::OfTolerantRungs,
        further_places: further::further_places,
    };
    let verdict = exact::find(&task).or_else(|| match query.tolerance {
        Tolerance::Exact => None,
        // Blank text identifies no place, so it is matched exactly or not at all.
        Tolerance::Tolerant if is_blank(query.old) => None,
        Tolerance::Tolerant => try_lenient_rungs(&task)
            .or_else(|| blank_edge::find(&task))
            .or_else(|| escaped::find(&task)),
    });
    verdict.unwrap_or(Verdict::NotFound { guard: None })
}

/// Returns the range that a deletion of this place removes where that is not the place itself. Lines that the old text
/// represents are removed with the blanks around them and their newline. A newline that ends a line with other text is
/// not removed.
pub fn deleted_lines(view: &str, place: &Range<usize>, old: &str) -> Option<Range<usize>> {
    whole_lines::whole_lines(view, place, &TextLines::new(old))
}

/// Returns the remarks on an exact edit of this place.
pub fn remarks_on_edit(view: &str, place: Range<usize>, old: &str, new: &str) -> Vec<Remark> {
    let deletion = Deletion::from_new_text(new);
    let (old, new) = (TextLines::new(old), TextLines::new(new));
    remarks::collect_remarks(view, &[place], &old, &new, deletion)
}

/// Tries the rungs between `exact` and `blank-edge`, in order. Returns `None` where no rung matches.
fn try_lenient_rungs(task: &SearchTask<'_>) -> Option<Verdict> {
    final_newline::find(task)
        .or_else(|| gutter::find(task))
        .or_else(|| look_alike::find(task))
        .or_else(|| abbreviation::find(task))
        .or_else(|| {
            let matcher = line_matcher::LineMatcher::for_task(task)?;
            trailing::find(task, &matcher)
                .or_else(|| indent::find(task, &matcher))
                .or_else(|| tabs::find(task, &matcher))
        })
}
