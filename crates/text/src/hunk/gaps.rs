//! Gaps: lines `...` of a SEARCH/REPLACE block that represent lines of the file which are left out on both sides. The
//! pieces between them pair up; each is found separately, exactly once, and in order. The lines that are left out are
//! not changed.

use super::{FinalNewline, HunkBounds, HunkNotFound, HunkSearch};
use crate::bounds::Bounds;
use crate::ladder::{FoundPlaces, Query, Rung, Verdict};

/// Finds every piece of a hunk with gaps. The places form one edit: if one piece has no place, nothing is found.
pub(super) fn find_with_gaps(query: &Query<'_>, bounds: &Bounds) -> Result<Verdict, HunkNotFound> {
    let (old, new) = (
        pieces_between_gaps(query.old),
        pieces_between_gaps(query.new),
    );
    if old.len() != new.len() {
        return Err(HunkNotFound::UnpairedGaps);
    }
    let mut found = FoundPlaces {
        rung: Rung::Exact,
        places: Vec::new(),
        remarks: Vec::new(),
    };
    // A newline that the file lacks stays missing for each piece.
    let unmarked = HunkBounds {
        old_end: FinalNewline::Unmarked,
        ..HunkBounds::default()
    };
    for (number, (old, new)) in old.into_iter().zip(new).enumerate() {
        match (old.is_empty(), new.is_empty()) {
            (true, true) => continue,
            (true, false) => return Err(HunkNotFound::UnpairedGaps),
            _ => {}
        }
        let piece = Query { old, new, ..*query };
        let verdict = HunkSearch::new(&piece, &unmarked)?.find(bounds, None);
        let Verdict::Found(place) = verdict else {
            return Err(HunkNotFound::Piece(number, verdict));
        };
        let last = found.places.last();
        let free = last.map_or(0, |place| place.range.end);
        if place.places.iter().any(|place| place.range.start < free) {
            return Err(HunkNotFound::PiecesOutOfOrder(number));
        }
        found.rung = found.rung.max(place.rung);
        found.places.extend(place.places);
        found.remarks.extend(place.remarks);
    }
    match found.places.is_empty() {
        true => Err(HunkNotFound::UnpairedGaps),
        false => Ok(Verdict::Found(found)),
    }
}

/// Returns the texts between the lines that are only `...`.
fn pieces_between_gaps(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.trim() == "..." {
            pieces.push(&text[from..at]);
            from = at + line.len();
        }
        at += line.len();
    }
    pieces.push(&text[from..]);
    pieces
}
