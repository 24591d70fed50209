//! The rung `exact`: the old text byte for byte, as whole lines or as parts of lines.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::look_alike::is_blank_char;

use super::search::{for_each_occurrence, occurrences};
use super::short::{ShortIndentation, ends_line};
use super::source::SourceText;
use super::text_lines::{IndentScanner, TextLines};
use super::verdict::{choose_places, edit_places};
use super::{
    FoundPlaces, MAX_PLACES, Occurrences, Remark, Rung, SearchTask, Tolerance, Verdict,
    repeats_indentation,
};

pub(super) fn find(task: &SearchTask<'_>) -> Option<Verdict> {
    let (places, count) = first_places(task);
    if count > MAX_PLACES {
        return Some(Verdict::TooMany {
            rung: Rung::Exact,
            first: places,
            count,
        });
    }
    if places.is_empty() {
        return None;
    }
    let places = match choose_places(task, Rung::Exact, places, None) {
        Ok(places) => places,
        Err(verdict) => return Some(verdict),
    };
    let mut indents = IndentScanner::new(task.source.view);
    let blanks = indents.indent_before(places[0].start);
    let once = task.tolerance == Tolerance::Tolerant
        && blanks.is_some_and(|blanks| repeats_indentation(blanks, task.old, task.new))
        && places
            .iter()
            .all(|place| indents.indent_before(place.start) == blanks);
    if !once
        && task.tolerance == Tolerance::Tolerant
        && let Some(short) = ShortIndentation::detect(task.old, task.new)
    {
        return Some(edit_with_short_indentation(task, places, &short));
    }
    let sent = if once {
        task.new.trim_start_matches(is_blank_char)
    } else {
        task.new
    };
    let (old, new) = (TextLines::new(task.old), TextLines::new(sent));
    let mut verdict = edit_places(task, Rung::Exact, places, &old, &new, None);
    if let Verdict::Found(found) = &mut verdict
        && once
    {
        found.remarks.insert(0, Remark::IndentationOnce);
    }
    Some(verdict)
}

/// Returns the verdict for places at which the further lines of the new text may lack indentation. The missing part
/// depends on the place, so the places are edited in groups.
fn edit_with_short_indentation(
    task: &SearchTask<'_>,
    places: Vec<Range<usize>>,
    short: &ShortIndentation<'_>,
) -> Verdict {
    let view = task.source.view;
    let mut indents = IndentScanner::new(view);
    let mut groups: BTreeMap<&str, Vec<Range<usize>>> = BTreeMap::new();
    for place in places {
        let lead = indents.indent_before(place.start);
        let lacked = lead.filter(|lead| ends_line(view, &place) && short.lacks_indentation(lead));
        groups.entry(lacked.unwrap_or("")).or_default().push(place);
    }
    let old = TextLines::new(task.old);
    let mut all = FoundPlaces {
        rung: Rung::Exact,
        places: Vec::new(),
        remarks: Vec::new(),
    };
    for (lead, places) in groups {
        let completed = short.complete_indentation(lead);
        let new = TextLines::new(&completed);
        let found = match edit_places(task, Rung::Exact, places, &old, &new, None) {
            Verdict::Found(found) => found,
            refused => return refused,
        };
        all.places.extend(found.places);
        let completed = (!lead.is_empty()).then_some(Remark::IndentationCompleted);
        for remark in completed.into_iter().chain(found.remarks) {
            if !all.remarks.contains(&remark) {
                all.remarks.push(remark);
            }
        }
    }
    all.places.sort_by_key(|place| place.range.start);
    Verdict::Found(all)
}

/// Returns the first [`MAX_PLACES`] places, and how many there are. If one place is requested, overlapping places
/// count; if all are, only those count that would be edited.
fn first_places(task: &SearchTask<'_>) -> (Vec<Range<usize>>, usize) {
    let mut places = Vec::new();
    let mut count = 0;
    let mut free = 0;
    for_each_occurrence(task.source.view, task.old, |at| {
        let place = at..at + task.old.len();
        if (task.occurrences == Occurrences::All && at < free) || task.source.is_excluded(&place) {
            return;
        }
        free = place.end;
        count += 1;
        if count <= MAX_PLACES {
            places.push(place);
        }
    });
    (places, count)
}

/// Returns every place of the text, overlapping ones included, those that do not count left out.
pub(super) fn exact_places(source: &SourceText<'_>, text: &str) -> Vec<Range<usize>> {
    occurrences(source.view, text)
        .into_iter()
        .map(|at| at..at + text.len())
        .filter(|place| !source.is_excluded(place))
        .collect()
}
