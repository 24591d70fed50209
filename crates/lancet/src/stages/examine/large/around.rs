//! The text around places of a large file, up to the ends of their lines. It determines which blanks and line end are
//! deleted with a place, whether indentation is repeated, and which remarks the answer makes about an edit.

use std::ops::Range;

use lancet_text::{
    Document, EditedPlace, Remark, deleted_lines, may_lack_indentation, remarks_on_edit,
    repeats_indentation, with_short_indentation,
};

use super::{LargeFile, is_line_feed, starts_character};
use crate::refusal::Refusal;

/// How many bytes are read before and after a place at first; more where that does not reach the ends of the lines.
const FIRST_READ_DISTANCE: usize = 256;
/// The longest distance from a place to the end of its line that is still read.
const MAX_LINE_END_DISTANCE: usize = 1 << 20;
/// How many places are checked for remarks.
const MAX_REMARKED_PLACES: usize = 200;

/// Returns the range that is deleted with a place, where the old text is the only text on its lines.
pub(super) fn expand_deletion_to_lines(
    file: LargeFile<'_>,
    place: &Range<usize>,
    old: &str,
) -> Result<Option<Range<usize>>, Refusal> {
    with_lines_around(file, place, |document, inside, offset| {
        let whole = deleted_lines(document.view(), &inside, old)?;
        let raw = document.raw_range(whole);
        Some(offset + raw.start..offset + raw.end)
    })
    .map(Option::flatten)
}

/// Returns whether the new text repeats, at every place, the indentation before the old text.
pub(super) fn repeats_indentation_everywhere(
    file: LargeFile<'_>,
    places: &[EditedPlace],
    old: &str,
    new: &str,
) -> Result<bool, Refusal> {
    let is_blank = |character: char| " \t".contains(lancet_text::fold_char(character));
    if !new.starts_with(is_blank) || old.starts_with(is_blank) {
        return Ok(false);
    }
    for place in places {
        let repeats = with_lines_around(file, &place.range, |document, inside, _| {
            let view = document.view();
            let start = view[..inside.start].rfind('\n').map_or(0, |at| at + 1);
            repeats_indentation(&view[start..inside.start], old, new)
        })?;
        if repeats != Some(true) {
            return Ok(false);
        }
    }
    Ok(!places.is_empty())
}

/// For each place, returns the new text with the indentation that its further lines lack there. Empty where they lack
/// none at any place.
pub(super) fn completed_texts(
    file: LargeFile<'_>,
    places: &[EditedPlace],
    old: &str,
    new: &str,
) -> Result<Vec<Option<String>>, Refusal> {
    if !may_lack_indentation(old, new) {
        return Ok(Vec::new());
    }
    let completed = places.iter().map(|place| {
        with_lines_around(file, &place.range, |document, inside, _| {
            with_short_indentation(document.view(), &inside, old, new)
        })
        .map(Option::flatten)
    });
    let completed: Vec<Option<String>> = completed.collect::<Result<_, _>>()?;
    Ok(match completed.iter().any(Option::is_some) {
        true => completed,
        false => Vec::new(),
    })
}

/// Returns the remarks about an edit of these places, taken from the first place that has any. `new` gives the new text
/// of a place by its index.
pub(super) fn remarks<'t>(
    file: LargeFile<'_>,
    places: &[EditedPlace],
    old: &str,
    new: impl Fn(usize) -> &'t str,
) -> Result<Vec<Remark>, Refusal> {
    let mut all = Vec::new();
    for (at, place) in places.iter().enumerate().take(MAX_REMARKED_PLACES) {
        let found = with_lines_around(file, &place.range, |document, inside, _| {
            remarks_on_edit(document.view(), inside, old, new(at))
        })?;
        for remark in found.unwrap_or_default() {
            if !all.contains(&remark) {
                all.push(remark);
            }
        }
    }
    Ok(all)
}

/// Reads the whole lines around a place and calls `read` with their text, the place in that text, and the offset of the
/// text in the file. `None` where the lines are too long.
fn with_lines_around<T>(
    file: LargeFile<'_>,
    place: &Range<usize>,
    read: impl Fn(&Document<'_>, Range<usize>, usize) -> T,
) -> Result<Option<T>, Refusal> {
    let mut near = FIRST_READ_DISTANCE;
    while near <= MAX_LINE_END_DISTANCE {
        let from = place.start.saturating_sub(near);
        let length = place.end + near - from;
        let mut stretch = file.read(from as u64, length)?;
        // A character that is cut off at the start is left out.
        let cut = stretch
            .bytes
            .iter()
            .take_while(|byte| !starts_character(byte))
            .count();
        stretch.bytes.drain(..cut);
        let offset = from + cut;
        let (start, end) = (place.start - offset, place.end - offset);
        let begins = offset == 0
            || stretch
                .bytes
                .get(..start)
                .is_some_and(|lead| lead.iter().any(is_line_feed));
        let reaches_end = (from + length) as u64 >= file.facts().length();
        let ends = reaches_end
            || stretch
                .bytes
                .get(end..)
                .is_some_and(|rest| rest.iter().any(is_line_feed));
        if begins && ends {
            let Some(document) = stretch.document(file.facts().endings()) else {
                return Ok(None);
            };
            let inside = document.view_range(start..end);
            return Ok(Some(read(&document, inside, offset)));
        }
        near *= 16;
    }
    Ok(None)
}
