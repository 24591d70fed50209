//! Turns a rough place into a region: which lines it has, and where in them the text that was searched for begins and
//! ends.

use std::ops::Range;

use super::align::{MatchAnchor, best_alignment};
use super::edges::{find_best_lines, find_edge_lines};
use super::likeness::TextProfile;
use super::peaks::Peak;
use crate::diff::LineTable;

/// The number of lines at each end of the text that are used to find its edges.
const EDGE_LINES: usize = 3;

/// The number of lines that are returned for a text of one line.
const MAX_SINGLE_LINE_PLACES: usize = 4;

/// The number of lines that are tried as the first, or last, line of the region.
pub(super) const MAX_TRIED_LINES: usize = 200;

/// In lines of more bytes than this the region is found by characters.
pub(super) const MAX_LINE_BYTES: usize = 2_000;

/// The upper limit of the likeness of a place that contains all of the text and more.
const CONTAINED_LIKENESS: f32 = 0.8;

/// The least likeness of a line at the edge with which the text may begin or end inside it.
const MIN_PARTIAL_LIKENESS: f32 = 0.3;

/// The number of characters at each end of the text that are used to find its edges within a long line.
const EDGE_CHARACTERS: usize = 96;

/// The text that was searched for, prepared for comparison.
pub(super) struct Needle<'a> {
    text: &'a str,
    pub(super) lines: Vec<&'a str>,
    ends_newline: bool,
    profile: TextProfile,
    /// The first lines that are not blank, with their index.
    pub(super) head: Vec<(usize, TextProfile)>,
    /// The last lines that are not blank, with their index.
    pub(super) tail: Vec<(usize, TextProfile)>,
    longest: usize,
}

impl<'a> Needle<'a> {
    /// Prepares a text; `None` where it is blank.
    pub(super) fn new(text: &'a str) -> Option<Needle<'a>> {
        let ends_newline = text.ends_with('\n');
        let lines: Vec<&str> = text
            .strip_suffix('\n')
            .unwrap_or(text)
            .split('\n')
            .collect();
        let filled = |(_, line): &(usize, &&str)| !line.trim().is_empty();
        let profile = |(index, line): (usize, &&str)| (index, TextProfile::new(line));
        let head: Vec<_> = lines
            .iter()
            .enumerate()
            .filter(filled)
            .take(EDGE_LINES)
            .map(profile)
            .collect();
        let tail: Vec<_> = lines
            .iter()
            .enumerate()
            .rev()
            .filter(filled)
            .take(EDGE_LINES)
            .map(profile)
            .collect();
        if head.is_empty() {
            return None;
        }
        Some(Needle {
            text,
            longest: lines.iter().map(|line| line.len()).max().unwrap_or(0),
            ends_newline,
            profile: TextProfile::new(text),
            head,
            tail,
            lines,
        })
    }

    /// Returns how many lines are the same byte for byte, to choose among equally alike places.
    pub(super) fn count_same_lines(&self, text: &str) -> usize {
        let pairs = self
            .lines
            .iter()
            .zip(text.split('\n'))
            .take(MAX_TRIED_LINES);
        pairs.filter(|(one, other)| **one == *other).count()
    }

    /// Returns how alike a text is to this one, in per cent.
    pub(super) fn likeness(&self, text: &str) -> u8 {
        let other = TextProfile::new(text);
        let mut alike = self.profile.likeness(&other);
        if self.lines.len() > 1 {
            // A long line that was left out must not hide that the rest is there.
            alike = alike.max(CONTAINED_LIKENESS * self.profile.share_contained_in(&other));
        }
        (alike * 100.0).round().clamp(0.0, 100.0) as u8
    }
}

/// Returns the regions at a candidate, the best first.
pub(super) fn find_places(
    view: &str,
    lines: &dyn LineTable,
    needle: &Needle<'_>,
    peak: Peak,
) -> Vec<Range<usize>> {
    if lines.line_count() == 0 {
        return Vec::new();
    }
    let found = places_by_lines(view, lines, needle, &peak);
    if found.is_empty() {
        return place_by_characters(view, needle, &peak)
            .into_iter()
            .collect();
    }
    found
}

/// Returns the regions in whole lines; none where lines are too long.
fn places_by_lines(
    view: &str,
    lines: &dyn LineTable,
    needle: &Needle<'_>,
    peak: &Peak,
) -> Vec<Range<usize>> {
    if needle.longest > MAX_LINE_BYTES {
        return Vec::new();
    }
    let near = |at: usize| {
        let (from, to) = (
            at.saturating_sub(peak.slack),
            (at + peak.slack).min(view.len()),
        );
        let middle = lines.line_of(at.min(view.len()));
        let half = MAX_TRIED_LINES / 2;
        let first = lines.line_of(from).max(middle.saturating_sub(half));
        first..(lines.line_of(to) + 1).min(middle + half)
    };
    let (near_start, near_end) = (near(peak.range.start), near(peak.range.end));
    let found: Vec<(usize, usize)> = if needle.lines.len() == 1 {
        let tried = near_start.start..near_end.end;
        let best = find_best_lines(view, lines, &needle.head, tried, MAX_SINGLE_LINE_PLACES);
        best.into_iter().map(|(line, _)| (line, line)).collect()
    } else {
        find_edge_lines(view, lines, needle, near_start, near_end)
    };
    let range = |(first, last)| range_in_lines(view, lines, needle, first, last);
    found.into_iter().filter_map(range).collect()
}

/// Returns where the region begins in its first line and ends in its last line.
fn range_in_lines(
    view: &str,
    lines: &dyn LineTable,
    needle: &Needle<'_>,
    first: usize,
    last: usize,
) -> Option<Range<usize>> {
    let start_line = lines.line_range(first);
    let end_line = lines.line_range(last);
    if start_line.len() > MAX_LINE_BYTES || end_line.len() > MAX_LINE_BYTES || first > last {
        return None;
    }
    let (first_wanted, last_wanted) = (*needle.lines.first()?, *needle.lines.last()?);
    let count = needle.lines.len();
    let line = &view[start_line.clone()];
    if count == 1 {
        let mut found = if begins_with_same_word(first_wanted, line)
            && ends_with_same_word(first_wanted, line)
        {
            0..line.trim_end().len()
        } else {
            best_alignment(first_wanted, line, MatchAnchor::Free)
        };
        // Text that is indented begins where its line does.
        if first_wanted.starts_with([' ', '\t']) {
            found.start = 0;
        }
        let found = widen_to_whole_words(
            line,
            adjust_indentation(line, found, first_wanted),
            first_wanted,
        );
        return Some(with_newline(
            view,
            needle,
            start_line.start + found.start..start_line.start + found.end,
            end_line.end,
        ));
    }
    // White space at the far edge of a line must not decide where the text begins or ends in it, and a line that was
    // rewritten belongs to the region as a whole.
    let rewritten = |wanted: &str, line: &str| {
        TextProfile::new(wanted).likeness(&TextProfile::new(line)) < MIN_PARTIAL_LIKENESS
            && !line.contains(wanted.trim())
    };
    let line = line.trim_end();
    let top = if rewritten(first_wanted, line) || first_wanted.starts_with([' ', '\t']) {
        0
    } else if begins_with_same_word(first_wanted, line) {
        adjust_indentation(line, 0..line.len(), first_wanted).start
    } else {
        let found = best_alignment(first_wanted.trim_end(), line, MatchAnchor::End);
        widen_to_whole_words(
            line,
            adjust_indentation(line, found, first_wanted),
            first_wanted,
        )
        .start
    };
    let line = &view[end_line.clone()];
    let bottom = if rewritten(last_wanted, line) {
        line.len()
    } else if ends_with_same_word(last_wanted, line) {
        line.trim_end().len()
    } else {
        let solid = line.trim_start();
        let found = best_alignment(last_wanted.trim_start(), solid, MatchAnchor::Start);
        line.len() - solid.len() + widen_to_whole_words(solid, found, last_wanted.trim_start()).end
    };
    let mut range = start_line.start + top..end_line.start + bottom;
    if range.start > range.end {
        range = start_line.start..end_line.end;
    }
    Some(with_newline(view, needle, range, end_line.end))
}

/// Returns whether a line begins with the word or punctuation mark that the text begins with. The region then begins
/// with the whole line.
fn begins_with_same_word(wanted: &str, line: &str) -> bool {
    let first = |text: &str| {
        let text = text.trim_start();
        let word = text
            .find(|character| !is_word_character(character))
            .unwrap_or(text.len());
        text[..word.max(text.chars().next().map_or(0, char::len_utf8))].to_owned()
    };
    first(wanted) == first(line)
}

/// Returns whether a line ends with the word or punctuation mark that the text ends with.
fn ends_with_same_word(wanted: &str, line: &str) -> bool {
    let last = |text: &str| {
        let text = text.trim_end();
        let word = text.trim_end_matches(is_word_character).len();
        let mark = text.len() - text.chars().next_back().map_or(0, char::len_utf8);
        text[word.min(mark)..].to_owned()
    };
    last(wanted) == last(line)
}

fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns the range with the indentation of the line where the text is indented itself, and without it where the text
/// is not.
fn adjust_indentation(line: &str, found: Range<usize>, wanted: &str) -> Range<usize> {
    let blank_before = line[..found.start].trim().is_empty();
    let indentation = line.len() - line.trim_start().len();
    match (blank_before, wanted.starts_with([' ', '\t'])) {
        (true, true) => 0..found.end,
        (true, false) => found.start.max(indentation.min(found.end))..found.end,
        _ => found,
    }
}

/// Returns the range widened to whole words where the text begins or ends in a word.
fn widen_to_whole_words(line: &str, found: Range<usize>, wanted: &str) -> Range<usize> {
    let mut widened = found.clone();
    if wanted.ends_with(is_word_character) && line[..found.end].ends_with(is_word_character) {
        let more = line[found.end..].find(|character| !is_word_character(character));
        widened.end = more.map_or(line.len(), |more| found.end + more);
    }
    if wanted.starts_with(is_word_character) && line[found.start..].starts_with(is_word_character) {
        let less = line[..found.start]
            .char_indices()
            .rev()
            .find(|(_, character)| !is_word_character(*character));
        widened.start = less.map_or(0, |(at, character)| at + character.len_utf8());
    }
    widened
}

/// Returns the range with the newline of its last line where the text ends in one.
fn with_newline(
    view: &str,
    needle: &Needle<'_>,
    range: Range<usize>,
    line_end: usize,
) -> Range<usize> {
    if needle.ends_newline && line_end < view.len() {
        return range.start..line_end + 1;
    }
    range
}

/// Returns the region within long lines: its edges are found by the first and the last characters of the text.
fn place_by_characters(view: &str, needle: &Needle<'_>, peak: &Peak) -> Option<Range<usize>> {
    let text = needle.text;
    let length = text.len();
    let slack = peak.slack;
    let head_end = text
        .char_indices()
        .nth(EDGE_CHARACTERS)
        .map_or(length, |(at, _)| at);
    let window = char_boundary_before(view, peak.range.start.saturating_sub(slack))
        ..char_boundary_before(
            view,
            (peak.range.start + 2 * slack + head_end).min(view.len()),
        );
    let head = best_alignment(&text[..head_end], &view[window.clone()], MatchAnchor::Free);
    let start = window.start + head.start;

    let tail_start = text
        .char_indices()
        .rev()
        .nth(EDGE_CHARACTERS - 1)
        .map_or(0, |(at, _)| at);
    let expected = start + length;
    let window = char_boundary_before(
        view,
        (expected.saturating_sub(length - tail_start + slack)).clamp(start, view.len()),
    )..char_boundary_before(view, (expected + slack).min(view.len()));
    let tail = best_alignment(
        &text[tail_start..],
        view.get(window.clone())?,
        MatchAnchor::Free,
    );
    let end = window.start + tail.end;
    let sensible = end > start && (end - start) * 2 >= length && end - start <= 2 * length;
    Some(if sensible {
        start..end
    } else {
        start..char_boundary_before(view, expected.min(view.len()))
    })
}

/// Returns the last character boundary at or before an offset.
pub(super) fn char_boundary_before(view: &str, at: usize) -> usize {
    (0..=at.min(view.len()))
        .rev()
        .find(|&at| view.is_char_boundary(at))
        .unwrap_or(0)
}
