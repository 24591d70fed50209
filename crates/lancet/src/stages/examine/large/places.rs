//! Finds the occurrences of a text in a large file in one streaming pass.

use std::ops::{ControlFlow, Range};

use lancet_text::{MAX_PLACES, StreamFinder};

use super::LargeFile;
use crate::refusal::Refusal;

/// The occurrences of a text.
pub(super) struct Places {
    /// The first occurrences, at most as many as one call may change.
    pub(super) first: Vec<Range<u64>>,
    /// The number of all occurrences, overlapping ones included.
    pub(super) total: usize,
}

/// Finds the occurrences of the needle in the text; not inside the byte order mark, and not ending in the middle of a
/// CRLF.
pub(super) fn find_places(file: LargeFile<'_>, needle: &str) -> Result<Places, Refusal> {
    let mut finder = StreamFinder::new(needle.as_bytes());
    let longer = format!("{needle}\n");
    let cut_end = if needle.ends_with('\r') {
        longer.as_bytes()
    } else {
        &[]
    };
    let mut cut_finder = StreamFinder::new(cut_end);
    let mut first: Vec<Range<u64>> = Vec::new();
    let mut total = 0;
    let mut cut_places: Vec<Range<u64>> = Vec::new();
    file.scan(&mut |bytes| {
        finder.feed(bytes, |place| {
            total += 1;
            if first.len() < MAX_PLACES {
                first.push(place);
            }
        });
        cut_finder.feed(bytes, |place| {
            if cut_places.len() < MAX_PLACES {
                cut_places.push(place);
            }
        });
        ControlFlow::Continue(())
    })?;
    let start = file.facts().text_start();
    let listed = first.len();
    first.retain(|place| {
        let is_cut = |cut: &Range<u64>| cut.start.cmp(&place.start);
        place.start >= start && cut_places.binary_search_by(is_cut).is_err()
    });
    total -= listed - first.len();
    Ok(Places { first, total })
}

/// Selects the occurrences that do not overlap, from the left.
pub(super) fn without_overlaps(mut places: Vec<Range<u64>>) -> Vec<Range<u64>> {
    let mut end = 0;
    places.retain(|place| {
        let is_free = end <= place.start;
        if is_free {
            end = place.end;
        }
        is_free
    });
    places
}
