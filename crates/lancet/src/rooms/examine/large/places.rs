//! Where a text stands in a large file, in bytes and lines. Found in one streaming pass.

use std::ops::{ControlFlow, Range};

use lancet_text::{PLACES_MOST, StreamFinder};

use super::{Stretch, scan};
use crate::engine::Surveyed;
use crate::refusal::Refusal;
use crate::rooms::CallContext;
use crate::rooms::locate::Target;

/// Where a text stands.
pub(super) struct Places {
    /// The first places, at most as many as one call changes.
    pub(super) first: Vec<Range<u64>>,
    /// How many there are, overlapping ones included.
    pub(super) total: usize,
}

/// The places of the needle in the text: not in the byte order mark, and not up to the middle of a line end.
pub(super) fn find_places(
    context: &CallContext<'_>,
    target: &Target,
    survey: &Surveyed,
    needle: &str,
) -> Result<Places, Refusal> {
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
    scan(context, target, &mut |bytes| {
        finder.feed(bytes, |place| {
            total += 1;
            if first.len() < PLACES_MOST {
                first.push(place);
            }
        });
        cut_finder.feed(bytes, |place| {
            if cut_places.len() < PLACES_MOST {
                cut_places.push(place);
            }
        });
        ControlFlow::Continue(())
    })?;
    let start = survey.facts.text_start();
    let listed = first.len();
    first.retain(|place| {
        let is_cut = |cut: &Range<u64>| cut.start.cmp(&place.start);
        place.start >= start && cut_places.binary_search_by(is_cut).is_err()
    });
    total -= listed - first.len();
    Ok(Places { first, total })
}

/// The places that do not overlap, from the left.
pub(super) fn without_overlaps(places: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut taken: Vec<Range<u64>> = Vec::new();
    for place in places {
        if taken.last().is_none_or(|last| last.end <= place.start) {
            taken.push(place.clone());
        }
    }
    taken
}

pub(super) fn line_numbers(
    target: &Target,
    survey: &Surveyed,
    places: &[Range<u64>],
    most: usize,
) -> Result<Vec<usize>, Refusal> {
    places
        .iter()
        .take(most)
        .map(|place| {
            let line = line_of(target, survey, place.start)?;
            Ok(usize::try_from(line).unwrap_or(usize::MAX) + 1)
        })
        .collect()
}

/// The line, from 0, that holds an offset.
pub(super) fn line_of(target: &Target, survey: &Surveyed, at: u64) -> Result<u64, Refusal> {
    let block = survey.facts.block_at(at);
    let length = usize::try_from(at - block.offset).unwrap_or_default();
    let lead = Stretch::read(target, survey, block.offset, length)?;
    Ok(block.lines_before + newlines(&lead.bytes))
}

pub(super) fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}
