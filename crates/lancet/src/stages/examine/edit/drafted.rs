//! Maps the text after some edits back to the parts of the file that it represents.

use std::borrow::Cow;
use std::ops::Range;

use lancet_history::{LineChange, SeenRanges};
use lancet_text::{Document, Draft, hunks_of_changes};

use crate::ledger::{line_changes, raw_range};

/// Returns the ranges of a text that represent bytes which could not be decoded. Without a draft, the text is that of
/// the file.
pub(super) fn damaged_ranges<'t>(
    document: &'t Document<'_>,
    draft: Option<&Draft<'_>>,
) -> Cow<'t, [Range<usize>]> {
    let Some(draft) = draft else {
        return Cow::Borrowed(document.damaged_ranges());
    };
    if document.damaged_ranges().is_empty() {
        return Cow::Borrowed(&[]);
    }
    let is_damaged = |at: usize| {
        let origin = draft.original_ranges(at..at + char::REPLACEMENT_CHARACTER.len_utf8());
        origin
            .iter()
            .any(|origin| document.damaged_ranges().contains(origin))
    };
    let marks = draft.text().match_indices(char::REPLACEMENT_CHARACTER);
    let marks = marks.filter(|(at, _)| is_damaged(*at));
    Cow::Owned(marks.map(|(at, mark)| at..at + mark.len()).collect())
}

/// Returns the range of the file's text that a place covers, if earlier edits have changed part of it and left part of
/// it.
pub(super) fn partly_edited_range(draft: &Draft<'_>, place: &Range<usize>) -> Option<Range<usize>> {
    let origins = draft.original_ranges(place.clone());
    let (first, last) = (origins.first()?, origins.last()?);
    let is_untouched = origins.len() == 1 && first.len() == place.len();
    (!is_untouched).then_some(first.start..last.end)
}

/// Returns the ranges of the file's text that a place covers and that were not seen. Without a draft, the text is that
/// of the file.
pub(super) fn unseen_ranges(
    document: &Document<'_>,
    draft: Option<&Draft<'_>>,
    seen: &SeenRanges,
    place: &Range<usize>,
) -> Vec<Range<usize>> {
    let missing = |origin: Range<usize>| {
        let gaps = seen.missing_from(raw_range(document, origin));
        gaps.into_iter().map(|gap| {
            let start = usize::try_from(gap.start).unwrap_or(0);
            let end = usize::try_from(gap.end).unwrap_or(0);
            document.view_range(start..end)
        })
    };
    match draft {
        None => missing(place.clone()).collect(),
        Some(draft) => {
            let origins = draft.original_ranges(place.clone()).into_iter();
            origins.flat_map(missing).collect()
        }
    }
}

/// Returns the lines of the file that the edits of a draft have changed.
pub(super) fn changed_lines(document: &Document<'_>, draft: &Draft<'_>) -> Vec<LineChange> {
    let changes = draft.changes();
    line_changes(&hunks_of_changes(document.view(), document, &changes, 0))
}
