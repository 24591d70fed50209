//! Compares a hunk with an edit of the same texts. An edit may match part of a line and a hunk may not, so that the two
//! could change different places, or one place differently. The same texts must not have two results, so the hunk is
//! refused in that case. At the end of a file without final newline, an edit of the same lines decides about the
//! newline.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::ladder::{FoundPlaces, GuardRefusal, Query, Rung, Verdict, find};
use crate::look_alike::is_blank;
use crate::splice::{Change, apply_changes};

use super::lacks_final_newline;

/// The reason where an edit would change the same lines to something else.
const PART_OF_LINE: &str = "The old text also occurs, as sent, in part of a line there, and an edit of that part would write other text, so it is unknown which is meant.";

/// Returns the verdict on a hunk that was found, by its lines alone: refused where an edit is also found and has a
/// different result. Where an edit is not found, or is ambiguous because of parts of lines, the hunk is accepted: its
/// lines are whole lines.
pub(super) fn check_against_edit(query: &Query<'_>, found: FoundPlaces) -> Verdict {
    let Some(place) = found.places.first().map(|place| place.range.clone()) else {
        return Verdict::Found(found);
    };
    // An edit finds text that occurs exactly, unless the edit misses the newline at the end of the file.
    let lacks_newline = lacks_final_newline(query.view) && place.end == query.view.len();
    if found.rung == Rung::Exact && !lacks_newline {
        return Verdict::Found(found);
    }
    // Blank text matches exactly or not at all, and its newline is missing there.
    if lacks_newline && is_blank(query.old) {
        return Verdict::NotFound { guard: None };
    }
    let Verdict::Found(edit) = find(query) else {
        return Verdict::Found(found);
    };
    let Some(other) = edit.places.first().map(|place| place.range.clone()) else {
        return Verdict::Found(found);
    };
    if is_same_result(query.view, &found, &edit) {
        return Verdict::Found(found);
    }
    // Both mean the last lines, and the ladder decides whether the newline before them is deleted with them.
    if lacks_newline && edit.rung >= Rung::FinalNewline && other == place {
        return Verdict::Found(edit);
    }
    let rung = match lacks_newline {
        true => found.rung.max(Rung::FinalNewline),
        false => found.rung,
    };
    match begin_on_same_line(query.view, &place, &other) {
        true => Verdict::NotFound {
            guard: Some(GuardRefusal {
                rung,
                place,
                reason: PART_OF_LINE.to_owned(),
            }),
        },
        false => {
            let is_first = place.start < other.start;
            let own = usize::from(!is_first);
            let places = match is_first {
                true => vec![place, other],
                false => vec![other, place],
            };
            let is_looser = rung > edit.rung;
            Verdict::Ambiguous {
                rung: edit.rung,
                places,
                looser: is_looser
                    .then_some((own, rung))
                    .into_iter()
                    .collect::<BTreeMap<_, _>>(),
            }
        }
    }
}

/// Returns whether two places begin on the same line. `whole` begins where its line does.
fn begin_on_same_line(view: &str, whole: &Range<usize>, other: &Range<usize>) -> bool {
    let between = view.get(whole.start..other.start);
    between.is_some_and(|between| !between.contains('\n'))
}

/// Returns whether both produce the same text.
fn is_same_result(view: &str, hunk: &FoundPlaces, edit: &FoundPlaces) -> bool {
    let changes = |found: &FoundPlaces| -> Vec<Change> {
        let places = found.places.iter();
        places.flat_map(|place| place.changes.clone()).collect()
    };
    let (hunk, edit) = (changes(hunk), changes(edit));
    hunk == edit || apply_changes(view, &hunk) == apply_changes(view, &edit)
}
