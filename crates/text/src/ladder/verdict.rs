//! Turns the places that a rung found into its verdict: whether they are too many or ambiguous, and what changes at
//! each.

use std::collections::BTreeMap;
use std::ops::Range;

use super::edit_script::EditScript;
use super::line_matcher::LineMatcher;
use super::remarks::{Remark, collect_remarks};
use super::shift::LineShift;
use super::text_lines::TextLines;
use super::{FoundPlaces, GuardRefusal, MAX_PLACES, Occurrences, Rung, SearchTask, Verdict};

/// Returns the places to edit, or the verdict that they are too many or ambiguous. `places` contains every place in
/// order, overlapping ones included, and is not empty. `matcher` is given if the rung already has it.
pub(super) fn choose_places(
    task: &SearchTask<'_>,
    rung: Rung,
    places: Vec<Range<usize>>,
    matcher: Option<&LineMatcher<'_>>,
) -> Result<Vec<Range<usize>>, Verdict> {
    let view = task.source.view;
    match task.occurrences {
        Occurrences::One => {
            let further = (task.further_places)(task, rung, &places, matcher);
            if places.len() + further.len() > 1 {
                return Err(ambiguous_verdict(rung, places, further));
            }
        }
        // On a tolerant rung one edit fits all places only where their texts are equal.
        Occurrences::All => {
            if rung != Rung::Exact && !have_same_text(view, &places) {
                return Err(ambiguous_verdict(rung, places, Vec::new()));
            }
        }
    }
    let mut free = 0;
    let mut chosen = places;
    chosen.retain(|place| {
        let fits = place.start >= free;
        if fits {
            free = place.end;
        }
        fits
    });
    if chosen.len() > MAX_PLACES {
        let count = chosen.len();
        chosen.truncate(MAX_PLACES);
        let first = chosen;
        return Err(Verdict::TooMany { rung, first, count });
    }
    Ok(chosen)
}

/// Returns the verdict that these places of one rung, and those that later rungs find, are ambiguous.
pub(super) fn ambiguous_verdict(
    rung: Rung,
    places: Vec<Range<usize>>,
    further: Vec<(Rung, Range<usize>)>,
) -> Verdict {
    if further.is_empty() {
        return Verdict::Ambiguous {
            rung,
            places,
            looser: BTreeMap::new(),
        };
    }
    let mut all: Vec<(Rung, Range<usize>)> =
        places.into_iter().map(|place| (rung, place)).collect();
    all.extend(further);
    all.sort_by_key(|(_, place)| (place.start, place.end));
    let looser = all
        .iter()
        .enumerate()
        .filter(|(_, (own, _))| *own != rung)
        .map(|(at, (own, _))| (at, *own))
        .collect();
    Verdict::Ambiguous {
        rung,
        places: all.into_iter().map(|(_, place)| place).collect(),
        looser,
    }
}

/// Returns whether all places have the same text. Comparing places that overlap densely would take quadratic time;
/// beyond sixteen times the length of the view they count as different.
fn have_same_text(view: &str, places: &[Range<usize>]) -> bool {
    let mut bytes = 16 * view.len();
    places.windows(2).all(|pair| {
        let Some(left) = bytes.checked_sub(pair[1].len()) else {
            return false;
        };
        bytes = left;
        view[pair[0].clone()] == view[pair[1].clone()]
    })
}

/// Returns the verdict for places that all have the same text, which `old` matches and `new` replaces, both after the
/// rewriting of the rung; `shift` as for [`EditScript::compare_texts`].
pub(super) fn edit_places(
    task: &SearchTask<'_>,
    rung: Rung,
    places: Vec<Range<usize>>,
    old: &TextLines<'_>,
    new: &TextLines<'_>,
    shift: Option<&LineShift<'_>>,
) -> Verdict {
    let view = task.source.view;
    let Some(first) = places.first() else {
        return Verdict::NotFound { guard: None };
    };
    let script =
        match EditScript::compare_texts(view, first.clone(), old, new, shift, task.text_kind) {
            Ok(script) => script,
            Err(reason) => return forbidden_verdict(rung, first.clone(), reason),
        };
    let edited = script.apply_to(task.source, &places, task.deletion);
    let mut remarks = collect_remarks(view, &places, old, new, task.deletion);
    if edited.curled {
        remarks.push(Remark::Curled);
    }
    if !script.straightened.is_empty() {
        let characters = script.straightened.into_iter().collect();
        remarks.push(Remark::MadeAscii(characters));
    }
    Verdict::Found(FoundPlaces {
        rung,
        places: edited.places,
        remarks,
    })
}

/// Returns the verdict that a guard forbids the edit.
pub(super) fn forbidden_verdict(
    rung: Rung,
    place: Range<usize>,
    reason: impl Into<String>,
) -> Verdict {
    Verdict::NotFound {
        guard: Some(GuardRefusal {
            rung,
            place,
            reason: reason.into(),
        }),
    }
}

/// Calls [`choose_places`] and [`edit_places`], for rungs whose rewriting makes the old text equal to the place.
pub(super) fn choose_and_edit(
    task: &SearchTask<'_>,
    rung: Rung,
    places: Vec<Range<usize>>,
    old: &TextLines<'_>,
    new: &TextLines<'_>,
) -> Verdict {
    match choose_places(task, rung, places, None) {
        Ok(places) => edit_places(task, rung, places, old, new, None),
        Err(verdict) => verdict,
    }
}
