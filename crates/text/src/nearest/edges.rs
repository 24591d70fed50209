//! Finds the first and the last line of the region that a text of several lines represents. Lines between them may have
//! been added or removed.

use std::ops::Range;

use memchr::memmem;

use super::likeness::TextProfile;
use super::pairing;
use super::place::{MAX_LINE_BYTES, MAX_TRIED_LINES, Needle, char_boundary_before};
use crate::diff::LineTable;

/// The least likeness of the lines at an edge with which they decide that the region ends there.
const MIN_EDGE_LIKENESS: f32 = 0.4;

/// The number of bytes that a line must have to be searched for verbatim.
const MIN_SEARCHED_BYTES: usize = 8;

/// Returns the first and last lines of regions near the lines given, the best first.
pub(super) fn find_edge_lines(
    view: &str,
    lines: &dyn LineTable,
    needle: &Needle<'_>,
    near_start: Range<usize>,
    near_end: Range<usize>,
) -> Vec<(usize, usize)> {
    let count = needle.lines.len();
    let tried = near_start.start
        ..near_end
            .end
            .min(near_start.start + pairing::MAX_TRIED_LINES);
    if count <= pairing::MAX_WANTED_LINES {
        let wanted: Vec<TextProfile> = needle
            .lines
            .iter()
            .map(|line| TextProfile::new(line))
            .collect();
        let tried_profiles = line_profiles(view, lines, tried.clone());
        if let Some(found) = pairing::pair_lines(&wanted, &tried_profiles) {
            // A match above or below that is as good is as likely to be meant.
            let above = pairing::pair_lines(&wanted, &tried_profiles[..found.start]);
            let below = pairing::pair_lines(&wanted, &tried_profiles[found.end..]);
            let below = below.map(|rival| rival.start + found.end..rival.end + found.end);
            let all = std::iter::once(found).chain(above).chain(below);
            let line_of = |at: usize| tried.start + at;
            return all
                .map(|found| (line_of(found.start), line_of(found.end - 1)))
                .collect();
        }
    }
    edges_by_likeness(view, lines, needle, near_start, near_end, tried)
        .into_iter()
        .collect()
}

/// Returns the region by the first and the last lines of the text, where there are too many lines to align or none
/// aligns.
fn edges_by_likeness(
    view: &str,
    lines: &dyn LineTable,
    needle: &Needle<'_>,
    near_start: Range<usize>,
    near_end: Range<usize>,
    tried: Range<usize>,
) -> Option<(usize, usize)> {
    let count = needle.lines.len();
    let bottom_line = lines.line_count().checked_sub(1)?;
    let (top_index, bottom_index) = (needle.head.first()?.0, needle.tail.first()?.0);
    let (top, bottom) = if count <= MAX_TRIED_LINES {
        (
            find_best_line(view, lines, &needle.head, tried.clone()),
            find_best_line(view, lines, &needle.tail, tried),
        )
    } else {
        // The rough place of a long text is off by more lines than can be tried.
        let exact =
            |edge, near: &Range<usize>| find_exact_line(view, lines, needle, edge, near.start);
        (
            exact(&needle.head, &near_start)
                .or_else(|| find_best_line(view, lines, &needle.head, near_start)),
            exact(&needle.tail, &near_end)
                .or_else(|| find_best_line(view, lines, &needle.tail, near_end)),
        )
    };
    let sure = |found: Option<(usize, f32)>| found.filter(|(_, alike)| *alike >= MIN_EDGE_LIKENESS);
    let from_top = |(line, _): (usize, f32)| {
        let first = line.saturating_sub(top_index);
        (first, (first + count - 1).min(bottom_line))
    };
    let from_bottom = |(line, _): (usize, f32)| {
        let last = (line + count - 1 - bottom_index).min(bottom_line);
        ((last + 1).saturating_sub(count), last)
    };
    match (sure(top), sure(bottom)) {
        (Some(top), Some(bottom)) => {
            let (first, last) = (from_top(top).0, from_bottom(bottom).1);
            let length = (last + 1).saturating_sub(first);
            Some(if length * 2 >= count && length <= 2 * count + 8 {
                (first, last)
            } else if top.1 >= bottom.1 {
                from_top(top)
            } else {
                from_bottom(bottom)
            })
        }
        (None, Some(bottom)) => Some(from_bottom(bottom)),
        (_, None) => top.map(from_top),
    }
}

/// Returns the line nearest to `near` that equals a line at the edge of a long text, converted to where the first of
/// the edge lines would be.
fn find_exact_line(
    view: &str,
    lines: &dyn LineTable,
    needle: &Needle<'_>,
    edge: &[(usize, TextProfile)],
    near: usize,
) -> Option<(usize, f32)> {
    let around = needle.lines.len() / 2;
    let last = lines.line_count().checked_sub(1)?;
    let middle = lines.line_range(near.min(last)).start;
    let before = lines.line_range(near.saturating_sub(around)).start..middle;
    let after = middle..lines.line_range((near + around).min(last)).end;
    let anchor = edge.first()?.0;
    edge.iter().find_map(|(index, _)| {
        let wanted = needle.lines.get(*index)?.trim();
        if wanted.len() < MIN_SEARCHED_BYTES {
            return None;
        }
        let above = memmem::rfind(&view.as_bytes()[before.clone()], wanted.as_bytes())
            .map(|at| before.start + at);
        let below = memmem::find(&view.as_bytes()[after.clone()], wanted.as_bytes())
            .map(|at| after.start + at);
        let nearest = above
            .into_iter()
            .chain(below)
            .min_by_key(|at| at.abs_diff(middle))?;
        let found = lines.line_of(nearest);
        Some(((found + anchor).checked_sub(*index)?, 1.0))
    })
}

/// Returns the line among `tried` at which the edge lines match best if the first of them is there, and how well.
fn find_best_line(
    view: &str,
    lines: &dyn LineTable,
    edge: &[(usize, TextProfile)],
    tried: Range<usize>,
) -> Option<(usize, f32)> {
    find_best_lines(view, lines, edge, tried, 1)
        .into_iter()
        .next()
}

/// Returns the lines among `tried` at which the edge lines match best if the first of them is there, and how well; the
/// best first.
pub(super) fn find_best_lines(
    view: &str,
    lines: &dyn LineTable,
    edge: &[(usize, TextProfile)],
    tried: Range<usize>,
    most: usize,
) -> Vec<(usize, f32)> {
    let total = lines.line_count();
    let Some(&(anchor, _)) = edge.first() else {
        return Vec::new();
    };
    let reach = edge
        .iter()
        .map(|(index, _)| index.abs_diff(anchor))
        .max()
        .unwrap_or(0)
        .min(MAX_TRIED_LINES);
    let known = tried.start.saturating_sub(reach)..(tried.end + reach).min(total);
    let profiles = line_profiles(view, lines, known.clone());
    let mut best: Vec<(usize, f32)> = Vec::new();
    for line in tried.start..tried.end.min(total) {
        let sum: f32 = edge
            .iter()
            .filter_map(|(index, profile)| {
                let at = (line + index)
                    .checked_sub(anchor)?
                    .checked_sub(known.start)?;
                Some(profile.likeness(profiles.get(at)?))
            })
            .sum();
        let alike = sum / edge.len() as f32;
        let place = best.partition_point(|(_, known)| *known >= alike);
        if place < most {
            best.insert(place, (line, alike));
            best.truncate(most);
        }
    }
    best
}

fn line_profiles(view: &str, lines: &dyn LineTable, wanted: Range<usize>) -> Vec<TextProfile> {
    wanted
        .take_while(|line| *line < lines.line_count())
        .map(|line| {
            let range = lines.line_range(line);
            let cut = char_boundary_before(view, range.end.min(range.start + MAX_LINE_BYTES));
            TextProfile::new(&view[range.start..cut.max(range.start)])
        })
        .collect()
}
