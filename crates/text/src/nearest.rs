//! Finds the regions of a file that are most like a text which is not in it, and describes how they differ. The result
//! is for error messages only: what is written is never chosen by likeness.
//!
//! The search has two stages, and its cost is bounded whatever the input. `peaks` scans at most [`peaks::MAX_SCANNED_BYTES`]
//! bytes for q-grams of the text; then `place` aligns lines and characters at a fixed number of candidates.

mod align;
mod differ;
mod edges;
mod likeness;
mod pairing;
mod peaks;
mod place;

#[cfg(test)]
mod tests;

pub(crate) use likeness::TextProfile;

use crate::clause::Clause;
use std::cmp::Reverse;
use std::ops::Range;

use crate::diff::LineTable;
use crate::unique::occurs_once;

/// The most regions that are returned.
const MAX_REGIONS: usize = 6;

/// The text of a region is returned up to this many bytes; for a longer one only the lines are.
const MAX_REGION_TEXT: usize = 8_000;

/// The least likeness of a region that is returned, in per cent.
const MIN_LIKENESS: u8 = 50;

/// The largest difference in likeness between the best region and another one, in per cent.
const MAX_LIKENESS_GAP: u8 = 25;

/// A part of the file that resembles the text that was searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its lines, counted from 0.
    pub lines: Range<usize>,
    /// Its range in the view.
    pub range: Range<usize>,
    /// Its likeness, in per cent.
    pub alike: u8,
    /// Its differences: at most five clauses of at most 500 characters, without a full stop.
    pub differences: Vec<Clause>,
    /// The text of the file there, which would be found if sent as an `old_string`. `None` where it is over 8,000
    /// bytes.
    pub text: Option<String>,
    /// Whether that text occurs once in the file.
    pub unique: bool,
    /// Whether no other region is nearer to the text that was searched for.
    pub is_nearest: bool,
}

/// Returns up to six regions of the view that are most like `old`, the best first; none where nothing is alike.
pub(crate) fn nearest_regions(view: &str, lines: &dyn LineTable, old: &str) -> Vec<Region> {
    let Some(needle) = place::Needle::new(old) else {
        return Vec::new();
    };
    let mut found: Vec<(u8, Range<usize>)> = peaks::find_peaks(view, old)
        .into_iter()
        .flat_map(|peak| place::find_places(view, lines, &needle, peak))
        .map(|range| (needle.likeness(&view[range.clone()]), range))
        .filter(|(alike, _)| *alike >= MIN_LIKENESS)
        .collect();
    found.sort_by_cached_key(|(alike, range)| {
        let same = needle.count_same_lines(&view[range.clone()]);
        (Reverse((*alike, same)), range.start, range.end)
    });
    let mut chosen: Vec<(u8, Range<usize>)> = Vec::new();
    for (alike, range) in found {
        let best = chosen.first().map_or(alike, |(best, _)| *best);
        let apart = chosen
            .iter()
            .all(|(_, other)| other.end <= range.start || range.end <= other.start);
        if apart && chosen.len() < MAX_REGIONS && best - alike <= MAX_LIKENESS_GAP {
            chosen.push((alike, range));
        }
    }
    chosen
        .into_iter()
        .map(|(alike, range)| describe_region(view, lines, old, alike, range))
        .collect()
}

/// Returns how the text at a place differs from the one that was searched for.
pub(crate) fn differences_at(
    view: &str,
    lines: &dyn LineTable,
    old: &str,
    place: &Range<usize>,
) -> Vec<Clause> {
    let first = lines.line_of(place.start);
    let column = view[lines.line_range(first).start..place.start]
        .chars()
        .count();
    differ::describe_differences(old, &view[place.clone()], first, column)
}

fn describe_region(
    view: &str,
    lines: &dyn LineTable,
    old: &str,
    alike: u8,
    range: Range<usize>,
) -> Region {
    let first = lines.line_of(range.start);
    let last = lines.line_of(range.end.saturating_sub(1).max(range.start));
    let text = &view[range.clone()];
    Region {
        lines: first..last + 1,
        alike,
        differences: differences_at(view, lines, old, &range),
        text: (text.len() <= MAX_REGION_TEXT).then(|| text.to_owned()),
        unique: occurs_once(view, text),
        is_nearest: false,
        range,
    }
}
