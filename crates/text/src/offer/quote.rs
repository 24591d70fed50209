//! An old text without its flaws, the places where it occurs, and the offer for one of them.

use std::ops::Range;

use super::correction::{CorrectionOffer, LineMatch, NewText};
use super::flaws::StrippedParts;
use super::gaps::is_gap;
use super::mend::{MendedText, SentLines};
use crate::clause::{ClausePart, clause};
use crate::diff::LineTable;
use crate::leak::parse_numbered_line;
use crate::nearest::differences_at;
use crate::unique::{occurs_once, unique_extension};

/// The number of places of a text that are checked.
const MAX_PLACES: usize = 1_000;

/// An old text, and its lines without its flaws.
#[derive(Clone, Copy)]
pub(super) struct QuotedText<'q> {
    /// The parts that were stripped from it.
    pub(super) stripped: StrippedParts,
    /// Its lines without fence and numbers.
    pub(super) quoted: &'q [&'q str],
    /// The same lines without the repeated ones.
    pub(super) plain: &'q [&'q str],
    /// The indexes in `quoted` of the repeated lines.
    pub(super) doubled: &'q [usize],
    /// Whether the old text ends in a newline.
    pub(super) ended: bool,
}

impl QuotedText<'_> {
    /// Returns the place with the indentation, the trailing blanks, the newline and the blank lines around it, where
    /// the old text has them too.
    pub(super) fn extend_to_edges(&self, view: &str, place: Range<usize>) -> Range<usize> {
        let line_start = view[..place.start].rfind('\n').map_or(0, |end| end + 1);
        let lead = &view[line_start..place.start];
        let mut start = place.start;
        if lead.trim().is_empty()
            && (self.is_indented() || self.is_shifted(lead, &view[place.clone()]))
        {
            start = line_start;
        }
        self.extend_to_blank_lines(view, start..place.end)
    }

    /// Returns the place, which begins and ends with a line that is not blank, with the trailing blanks, the newline
    /// and the blank lines around it, where the old text has them too.
    pub(super) fn extend_to_blank_lines(&self, view: &str, place: Range<usize>) -> Range<usize> {
        let Range { mut start, mut end } = place;
        let blank = |line: &&&str| line.trim().is_empty();
        let line_start = view[..start].rfind('\n').map_or(0, |end| end + 1);
        if view[line_start..start].trim().is_empty() {
            let wanted = self.plain.iter().take_while(blank).count();
            let above = view[..line_start]
                .strip_suffix('\n')
                .map(|above| above.rsplit('\n'));
            let taken = above.into_iter().flatten().take(wanted);
            let taken = taken.take_while(|line| line.trim().is_empty());
            // Each line has a newline after it.
            let length: usize = taken.map(|line| line.len() + 1).sum();
            if length > 0 {
                start = line_start - length;
            }
        }
        let line_end = view[end..].find('\n').map_or(view.len(), |at| end + at);
        if view[end..line_end].trim().is_empty() {
            let wanted = self.plain.iter().rev().take_while(blank).count();
            let below = view[line_end..]
                .strip_prefix('\n')
                .filter(|below| !below.is_empty());
            let below = below.map(|below| below.strip_suffix('\n').unwrap_or(below).split('\n'));
            let taken = below.into_iter().flatten().take(wanted);
            let taken = taken.take_while(|line| line.trim().is_empty());
            // Each line has a newline before it.
            let length: usize = taken.map(|line| line.len() + 1).sum();
            let trails = self
                .plain
                .last()
                .is_some_and(|line| line.ends_with([' ', '\t']));
            if self.ended {
                end = (line_end + length + 1).min(view.len());
            } else if trails || length > 0 {
                // Whole lines replace whole lines: the old text also has the blanks at the end of its last line.
                end = line_end + length;
            }
        }
        start..end
    }

    /// Returns whether a place begins and ends a line where the old text does: where it begins with blanks or a blank
    /// line, and where it ends in a newline or a blank line.
    pub(super) fn is_on_lines(&self, view: &str, place: &Range<usize>) -> bool {
        let blank = |line: Option<&&str>| line.is_some_and(|line| line.trim().is_empty());
        let lead = view[..place.start].rsplit('\n').next().unwrap_or_default();
        let rest = view[place.end..].split('\n').next().unwrap_or_default();
        let begins_line = self.is_indented() || blank(self.plain.first());
        let ends_line = self.ended || blank(self.plain.last());
        (!begins_line || lead.trim().is_empty()) && (!ends_line || rest.trim().is_empty())
    }

    fn is_indented(&self) -> bool {
        let filled = |line: &&&str| !line.trim().is_empty();
        let first = self.plain.iter().find(filled);
        first.is_some_and(|line| line.starts_with([' ', '\t']))
    }

    /// Returns whether the lines of the old text lack the blanks that precede the place on its first line. In this case
    /// all of them are whole lines, and not only the first one lost its indentation.
    fn is_shifted(&self, lead: &str, there: &str) -> bool {
        let filled = |line: &&str| !line.trim().is_empty();
        let indentation = |line: &str| line.len() - line.trim_start().len();
        let (sent, stands) = (
            self.plain.iter().copied().filter(filled),
            there.split('\n').filter(filled),
        );
        let mut pairs = sent.zip(stands).skip(1).peekable();
        !lead.is_empty()
            && pairs.peek().is_some()
            && pairs.all(|(sent, stands)| {
                let deeper = stands[..indentation(stands)].strip_prefix(lead);
                deeper == Some(&sent[..indentation(sent)])
            })
    }

    /// Returns those of several places where every line that is not blank is the same byte for byte; else those that
    /// begin at a line start as an indented text does; else all.
    pub(super) fn likeliest_places(
        &self,
        view: &str,
        places: Vec<Range<usize>>,
    ) -> (Vec<Range<usize>>, LineMatch) {
        let filled = |line: &&str| !line.trim().is_empty();
        let wanted: Vec<&str> = self.plain.iter().copied().filter(filled).collect();
        let indented = wanted
            .first()
            .is_some_and(|line| line.starts_with([' ', '\t']));
        let begins = |place: &Range<usize>| {
            indented && (place.start == 0 || view[..place.start].ends_with('\n'))
        };
        let is_exact = |place: &Range<usize>| {
            let stands = view[place.clone()].split('\n').filter(filled);
            stands.eq(wanted.iter().copied()) && (begins(place) || !indented)
        };
        let only = |wanted: &dyn Fn(&Range<usize>) -> bool| -> Vec<Range<usize>> {
            places
                .iter()
                .filter(|place| wanted(place))
                .cloned()
                .collect()
        };
        let ways = [
            (only(&is_exact), LineMatch::AsSent),
            (only(&begins), LineMatch::ButForSpace),
        ];
        ways.into_iter()
            .find(|(way, _)| !way.is_empty())
            .unwrap_or((places, LineMatch::ButForSpace))
    }

    /// Returns the place that the line numbers of the old text name, if they name one.
    pub(super) fn place_chosen_by_numbers(
        &self,
        lines: &dyn LineTable,
        sent: &[&str],
        places: &[Range<usize>],
    ) -> Option<usize> {
        let separator = self.stripped.numbers?;
        let (index, number) = sent.iter().enumerate().find_map(|(index, line)| {
            let number = parse_numbered_line(line).filter(|found| found.separator == separator)?;
            Some((index, number))
        })?;
        let named =
            |place: &Range<usize>| (lines.line_of(place.start) + index + 1) as u64 == number.value;
        let mut found = (0..places.len()).filter(|&at| named(&places[at]));
        found.next().filter(|_| found.next().is_none())
    }

    /// Returns the offer for one of the places. Where its text occurs more than once, the text is extended by lines
    /// around it; `None` where no text within the limits occurs once.
    pub(super) fn build_offer(
        &self,
        view: &str,
        lines: &dyn LineTable,
        places: &[Range<usize>],
        which: usize,
        new: &str,
    ) -> Option<CorrectionOffer> {
        let place = places.get(which)?.clone();
        let there = &view[place.clone()];
        let is_there = |gap: &str| there.split('\n').any(|line| line.trim() == gap.trim());
        let has_gaps = |line: &&str| is_gap(line) && !is_there(line);
        let mended = if self.plain.iter().any(has_gaps) {
            // The lines for the gaps are already in the new text.
            let whole = SentLines::from_text_paired_with(there, self.ended);
            let plain = &whole.lines;
            MendedText::from_quote(&QuotedText { plain, ..*self }, view, there, new)
        } else {
            MendedText::from_quote(self, view, there, new)
        };
        let mut flaws = mended.flaws;
        let (range, new_text) = if occurs_once(view, there) {
            (place.clone(), mended.new)
        } else {
            let equal: Vec<Range<usize>> = all_places(view, there);
            let which = equal.iter().position(|other| *other == place)?;
            let range = unique_extension(view, lines, &equal, which)?;
            let (before, after) = (&view[range.start..place.start], &view[place.end..range.end]);
            flaws.push(clause![
                "The text occurs more than once: ",
                ClausePart::OldText,
                " and ",
                ClausePart::NewText,
                " both grow by the lines around it."
            ]);
            let new_text = match mended.new {
                NewText::Unknown => NewText::Unknown,
                NewText::AsSent => NewText::Instead(format!("{before}{new}{after}")),
                NewText::Instead(mended) => NewText::Instead(format!("{before}{mended}{after}")),
            };
            (range, new_text)
        };
        let first = lines.line_of(place.start);
        let last = lines.line_of(place.end.saturating_sub(1).max(place.start));
        let mut text = self.plain.join("\n");
        if self.ended {
            text.push('\n');
        }
        let differences = differences_at(view, lines, &text, &place);
        Some(CorrectionOffer {
            range,
            lines: first..last + 1,
            flaws,
            differences,
            new: new_text,
        })
    }
}

/// Returns every occurrence of a text, overlapping ones included, up to [`MAX_PLACES`].
fn all_places(view: &str, text: &str) -> Vec<Range<usize>> {
    let finder = memchr::memmem::Finder::new(text.as_bytes());
    let mut places = Vec::new();
    let mut from = 0;
    while places.len() < MAX_PLACES
        && let Some(at) = view
            .as_bytes()
            .get(from..)
            .and_then(|rest| finder.find(rest))
    {
        places.push(from + at..from + at + text.len());
        from += at + 1;
    }
    places
}

/// Returns the place extended to the ends of its lines, where the new text continues as they do and the old text does
/// not: the old text was cut off.
pub(super) fn widen_to_line_ends(
    view: &str,
    place: Range<usize>,
    old: &str,
    new: &str,
) -> Range<usize> {
    let Range { mut start, mut end } = place;
    let line_end = view[end..].find('\n').map_or(view.len(), |at| end + at);
    let rest = view[end..line_end].trim_end();
    if !old.ends_with('\n') && !rest.is_empty() && !old.ends_with(rest) && new.ends_with(rest) {
        end += rest.len();
    }
    let line_start = view[..start].rfind('\n').map_or(0, |at| at + 1);
    let lead = view[line_start..start].trim_start();
    if !lead.is_empty() && !old.starts_with(lead) && new.starts_with(lead) {
        start -= lead.len();
    }
    start..end
}
