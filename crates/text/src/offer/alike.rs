//! The correction by likeness: the nearest region of the file, where it is certain that no other one is intended.

use std::collections::HashSet;
use std::ops::Range;

use memchr::memmem;

use super::correction::Correction;
use super::flaws::StrippedParts;
use super::gaps::is_gap;
use super::mend::SentLines;
use super::quote::{QuotedText, widen_to_line_ends};
use super::tokens::{have_similar_words, share_word, token_distance, tokenize};
use crate::diff::LineTable;
use crate::nearest::nearest_regions;
use crate::unique::occurs_once;

/// The number of regions that are returned where it is uncertain which one is intended.
const MAX_REGIONS: usize = 3;

/// The number of lines above and below a region that are checked for the first and last line of the old text.
const MAX_EDGE_LINES: usize = 2;

/// The number of lines which a place lacks that are searched for elsewhere in the file.
const MAX_SEARCHED_LINES: usize = 64;

/// Returns the correction by likeness: the nearest region, where no other is as near.
pub(super) fn correction_by_likeness(
    view: &str,
    lines: &dyn LineTable,
    sent: &SentLines<'_>,
    new: &str,
    has_gaps: bool,
) -> Correction {
    let stripped = StrippedParts::certainly_foreign_parts(&sent.lines, view);
    let quoted = stripped.strip(&sent.lines);
    let text = sent.join_with_same_ending(&quoted);
    let mut regions = nearest_regions(view, lines, &text);
    let ranks: Vec<(usize, usize)> = regions
        .iter()
        .map(|region| {
            let there = &view[region.range.clone()];
            // Lines that are there as sent are stronger evidence than words that are alike.
            (
                missing_lines(&quoted, there).count(),
                token_distance(&text, there),
            )
        })
        .collect();
    let best = (0..regions.len()).min_by_key(|&at| ranks[at]);
    for (region, rank) in regions.iter_mut().zip(&ranks) {
        region.is_nearest = best.is_some_and(|best| *rank == ranks[best]);
    }
    let gaps_in = |text: &str| text.split('\n').filter(|line| is_gap(line)).count();
    let unknown_gaps = has_gaps
        && best.is_none_or(|best| gaps_in(&text) > gaps_in(&view[regions[best].range.clone()]));
    if let Some(best) = best {
        let is_alone = (0..regions.len()).all(|at| at == best || ranks[at] > ranks[best]);
        let words = tokenize(&text)
            .iter()
            .filter(|token| !token.trim().is_empty())
            .count();
        let range = &regions[best].range;
        let is_close = ranks[best].1 <= words
            && share_word(&text, &view[range.clone()])
            && !may_mean_other_line(view, range, &text)
            && !has_line_of_other_section(view, range, &quoted);
        let quote = QuotedText {
            stripped,
            quoted: &quoted,
            plain: &quoted,
            doubled: &[],
            ended: sent.ended,
        };
        let place = trim_blank_lines(view, range.clone());
        let place = extend_to_edge_lines(view, place, &quoted);
        let begins_and_ends_alike = place.is_some();
        let place = quote.extend_to_blank_lines(view, place.unwrap_or_else(|| range.clone()));
        let place = widen_to_line_ends(view, place, &text, new);
        if begins_and_ends_alike
            && is_alone
            && is_close
            && !unknown_gaps
            && occurs_once(view, &view[place.clone()])
            && let Some(offer) = quote.build_offer(view, lines, &[place], 0, new)
        {
            return Correction::One(offer);
        }
        // Equally near ones come first, in the order of the file.
        regions.sort_by_key(|region| {
            (
                !region.is_nearest,
                region.is_nearest.then_some(region.range.start),
            )
        });
    }
    regions.truncate(MAX_REGIONS);
    Correction::Unsure {
        regions,
        gaps: unknown_gaps,
    }
}

/// Returns the lines of an old text that are not blank and not among the lines of a text, apart from white space at
/// their edges.
fn missing_lines<'q>(quoted: &'q [&'q str], there: &str) -> impl Iterator<Item = &'q str> {
    let stands: HashSet<&str> = there.split('\n').map(str::trim).collect();
    let trimmed = quoted.iter().map(|line| line.trim());
    let missing: Vec<&str> = trimmed
        .filter(|line| !line.is_empty() && !stands.contains(line))
        .collect();
    missing.into_iter()
}

/// Returns whether a line of the old text that a place lacks is elsewhere in the file. That part of the file may then
/// also be intended, and the line must not be replaced by one that only resembles it.
fn has_line_of_other_section(view: &str, place: &Range<usize>, quoted: &[&str]) -> bool {
    let tells = |line: &&str| {
        line.chars()
            .filter(|letter| letter.is_alphanumeric())
            .count()
            >= 3
    };
    let missing = missing_lines(quoted, &view[place.clone()]).filter(tells);
    missing.take(MAX_SEARCHED_LINES).any(|line| {
        memmem::find_iter(view.as_bytes(), line).any(|at| {
            let before = view[..at].rsplit('\n').next().unwrap_or_default();
            let behind = view[at + line.len()..]
                .split('\n')
                .next()
                .unwrap_or_default();
            let is_whole = before.trim().is_empty() && behind.trim().is_empty();
            is_whole && !(place.start <= at && at < place.end)
        })
    })
}

/// Returns the place, extended by a line or two above or below it where that line is like the first or last line of the
/// old text and the one of the place is not. `None` where the place does not begin and end as the old text does.
fn extend_to_edge_lines(view: &str, place: Range<usize>, quoted: &[&str]) -> Option<Range<usize>> {
    let filled = |line: &&&str| !line.trim().is_empty();
    let (first, last) = (quoted.iter().find(filled)?, quoted.iter().rfind(filled)?);
    let text = &view[place.clone()];
    let Range { mut start, mut end } = place;
    let line_start = view[..start].rfind('\n').map_or(0, |at| at + 1);
    // The place may begin after the indentation of its line.
    let top = match view[line_start..start].trim().is_empty() {
        true => &view[line_start..end],
        false => text,
    };
    let count = |lines: &mut dyn Iterator<Item = &str>| {
        lines.filter(|line| !line.trim().is_empty()).count()
    };
    // Lines of the old text may be joined in the file.
    let is_joined = count(&mut text.split('\n')) < count(&mut quoted.iter().copied());
    let begins = is_joined && text.trim_start().starts_with(first.trim());
    if !begins
        && !is_edge(first, top.split('\n').next()?)
        && !is_edge(first, text.split('\n').next()?)
    {
        let above = view[..start].strip_suffix('\n')?.rsplit('\n');
        let lines: Vec<&str> = above.take(MAX_EDGE_LINES).collect();
        let count = 1 + lines.iter().position(|line| is_edge(first, line))?;
        start -= lines[..count]
            .iter()
            .map(|line| line.len() + 1)
            .sum::<usize>();
    }
    let ends = is_joined && text.trim_end().ends_with(last.trim());
    if !ends
        && !is_edge(last, top.rsplit('\n').next()?)
        && !is_edge(last, text.rsplit('\n').next()?)
    {
        let below = view[end..].strip_prefix('\n')?.split('\n');
        let lines: Vec<&str> = below.take(MAX_EDGE_LINES).collect();
        let count = 1 + lines.iter().position(|line| is_edge(last, line))?;
        end += lines[..count]
            .iter()
            .map(|line| line.len() + 1)
            .sum::<usize>();
    }
    Some(start..end)
}

/// Returns whether a line of the file can be the first or last line of an old text. A bracket alone has to have its
/// indentation.
fn is_edge(sent: &str, line: &str) -> bool {
    let has_words = sent.contains(char::is_alphanumeric);
    have_similar_words(sent, line) && (has_words || sent.trim_end() == line.trim_end())
}

/// Returns a place of several lines without blank lines at its edges, and without the newline of its last line.
fn trim_blank_lines(view: &str, place: Range<usize>) -> Range<usize> {
    let text = &view[place.clone()];
    let solid = text.trim_start();
    if solid.is_empty() {
        return place;
    }
    let lead = &text[..text.len() - solid.len()];
    let start = place.start + lead.rfind('\n').map_or(0, |at| at + 1);
    let trail = &text[text.trim_end().len()..];
    let end = place.end - trail.find('\n').map_or(0, |at| trail.len() - at);
    start..end
}

/// Returns whether a single line differs from the nearest one in its indentation as well as in its words. In this case
/// another line may be intended.
fn may_mean_other_line(view: &str, place: &Range<usize>, text: &str) -> bool {
    let line_start = view[..place.start].rfind('\n').map_or(0, |end| end + 1);
    let line = view[line_start..].split('\n').next().unwrap_or_default();
    let text = text.strip_suffix('\n').unwrap_or(text);
    let lead = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    !text.contains('\n')
        && lead(text) > 0
        && text[..lead(text)] != line[..lead(line)]
        && text.trim() != line.trim()
}
