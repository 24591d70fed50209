//! Maps the text after some edits back to the parts of the file that it represents.

use std::borrow::Cow;
use std::ops::Range;

use lancet_text::{Document, Draft};

/// Returns the ranges of a text that represent bytes which could not be decoded. Without a draft, the text is that of
/// the file.
pub(super) fn damaged<'t>(
    document: &'t Document<'_>,
    draft: Option<&Draft<'_>>,
) -> Cow<'t, [Range<usize>]> {
    let Some(draft) = draft else {
        return Cow::Borrowed(document.damaged());
    };
    if document.damaged().is_empty() {
        return Cow::Borrowed(&[]);
    }
    let is_damaged = |at: usize| {
        let origin = draft.origin(at..at + char::REPLACEMENT_CHARACTER.len_utf8());
        origin
            .iter()
            .any(|origin| document.damaged().contains(origin))
    };
    let marks = draft.text().match_indices(char::REPLACEMENT_CHARACTER);
    let marks = marks.filter(|(at, _)| is_damaged(*at));
    Cow::Owned(marks.map(|(at, mark)| at..at + mark.len()).collect())
}

/// Returns the range of the file's text that a place covers, if earlier edits have changed part of it and left part of
/// it.
pub(super) fn built_on(draft: &Draft<'_>, place: &Range<usize>) -> Option<Range<usize>> {
    let origins = draft.origin(place.clone());
    let (first, last) = (origins.first()?, origins.last()?);
    let is_untouched = origins.len() == 1 && first.len() == place.len();
    (!is_untouched).then_some(first.start..last.end)
}
