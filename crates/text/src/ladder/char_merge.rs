//! Merges a run of changed lines character by character, on rungs that fold look-alikes: a character that old and new
//! text have in common stays as the file has it, and every folded character that would be lost is reported, so that a
//! guard can refuse.

mod alignment;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::look_alike::{LookAlikeKinds, folding_units};

use super::edit_script::Segment;
use super::quotes::{AddedStyle, KeptQuotes, QuotePosition, WrittenForm};
use super::shift::{LineShift, quote_line_start};
use super::text_lines::TextLines;
use alignment::{NewlinePairing, UnitAlignment};

/// A run of changed lines: the old ones, the lines of the place that they match, and the new ones.
pub(super) struct LineGroup<'a> {
    pub(super) place: &'a str,
    pub(super) lines: &'a [Range<usize>],
    pub(super) old: TextLines<'a>,
    pub(super) new: TextLines<'a>,
    /// The number of the first new line in the whole new text.
    pub(super) first_new: usize,
    pub(super) shift: &'a LineShift<'a>,
    /// The characters before and after the new lines, where these begin or end inside a line.
    pub(super) around: (Option<char>, Option<char>),
    /// The form in which added characters are written; `None` where the match folded nothing.
    pub(super) added: Option<&'a AddedStyle<'a>>,
}

/// The new lines as segments that the file keeps and segments that are inserted.
#[derive(Debug, Default)]
pub(super) struct MergedSegments {
    pub(super) segments: Vec<Segment>,
    /// The folded characters that are not kept, each with the sentence that refuses the edit.
    pub(super) lost: Vec<(LookAlikeKinds, String)>,
    /// The kinds of look-alikes among the inserted characters.
    pub(super) fresh: LookAlikeKinds,
    /// The characters that were sent in another form and are written as ASCII.
    pub(super) straightened: BTreeSet<char>,
}

/// A character of the old text with its combining marks, and the range of the place that it matches.
struct OldUnit<'a> {
    text: &'a str,
    file: Option<Range<usize>>,
    folded: bool,
}

/// Where a character of the new text comes from.
enum UnitOrigin {
    /// The unit is this character of the old text, and the file keeps its form of it.
    Kept(usize, Range<usize>),
    /// The new text adds the unit.
    Added,
    /// The unit is indentation that the indentation of the file replaces.
    Dropped,
}

/// Merges the new lines. The error is the reason why a guard forbids the edit.
pub(super) fn merge_characters(group: &LineGroup<'_>) -> Result<MergedSegments, String> {
    let Some(added) = group.added else {
        return keep_as_sent(group);
    };
    let old = old_units(group)?;
    let new_lines = new_units(group);
    let new: Vec<&str> = new_lines.concat();
    let alignment = UnitAlignment::new(&old, &new);
    let mut merged = MergedSegments::default();
    let mut kept = vec![false; old.len()];
    let mut newlines = NewlinePairing::new(&old);
    let mut at = 0;
    for (number, line) in new_lines.iter().enumerate() {
        let (skipped, lead) = group.shift.converted_indent(group.new.lines[number])?;
        let mut length = 0;
        let mut origins = Vec::with_capacity(line.len());
        for &unit in line {
            if length < skipped && length + unit.len() > skipped {
                return Err(unpaired_reason());
            }
            length += unit.len();
            let partner =
                alignment.partners[at].filter(|&partner| alignment.keeps_file_form(&old, partner));
            at += 1;
            origins.push(match partner.map(|partner| (partner, &old[partner].file)) {
                _ if length <= skipped => UnitOrigin::Dropped,
                Some((partner, Some(file))) => UnitOrigin::Kept(partner, file.clone()),
                _ => UnitOrigin::Added,
            });
        }
        let line = LineInContext::new(group, line, number);
        let kept_quotes = find_kept_quotes(group, &line, &origins);
        let mut ticks = 0;
        merged.push_inserted(&lead);
        for (index, origin) in origins.into_iter().enumerate() {
            let unit = line.units[index];
            match origin {
                UnitOrigin::Dropped => {}
                UnitOrigin::Kept(partner, file) => {
                    kept[partner] = true;
                    newlines.pair_units(partner, unit);
                    merged.push_kept_range(file);
                }
                UnitOrigin::Added => {
                    newlines.add(unit);
                    merged.fresh.extend(LookAlikeKinds::from_unit(unit));
                    match form_of_added_unit(added, unit, line.quote_position(index), kept_quotes) {
                        WrittenForm::AsSent => merged.push_inserted(unit),
                        WrittenForm::Ascii(character) => {
                            merged.straightened.extend(unit.chars());
                            merged.push_inserted(character.encode_utf8(&mut [0; 4]));
                        }
                        WrittenForm::Curly(quote) => merged.segments.push(Segment::Quote {
                            quote,
                            line: group.first_new + number,
                            ticks,
                        }),
                    }
                }
            }
            ticks += unit.matches('`').count();
        }
    }
    merged.record_lost_units(&old, &kept, group.place);
    if !newlines.are_aligned() {
        merged.copy_kept_segments(group.place);
    }
    Ok(merged)
}

/// Returns the form in which an added unit is written. A unit that has combining marks is written as sent.
fn form_of_added_unit(
    added: &AddedStyle<'_>,
    unit: &str,
    position: QuotePosition,
    marks: KeptQuotes,
) -> WrittenForm {
    let mut characters = unit.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) => added.write(only, position, marks),
        _ => WrittenForm::AsSent,
    }
}

/// Returns the curly quotes of the file that a new line keeps.
fn find_kept_quotes(
    group: &LineGroup<'_>,
    line: &LineInContext<'_>,
    origins: &[UnitOrigin],
) -> KeptQuotes {
    let mut marks = KeptQuotes::default();
    for (at, origin) in origins.iter().enumerate() {
        if let UnitOrigin::Kept(_, file) = origin {
            for character in group.place[file.clone()].chars() {
                marks.record_character(character, line.quote_position(at));
            }
        }
    }
    marks
}

/// A line of the new text with the characters before and after it.
struct LineInContext<'a> {
    units: &'a [&'a str],
    before: Option<char>,
    after: Option<char>,
}

impl<'a> LineInContext<'a> {
    fn new(group: &LineGroup<'_>, units: &'a [&'a str], number: usize) -> LineInContext<'a> {
        LineInContext {
            units,
            before: group.around.0.filter(|_| number == 0),
            after: group.around.1.filter(|_| number + 1 == group.new.len()),
        }
    }

    /// Returns whether the unit is between two letters.
    fn quote_position(&self, at: usize) -> QuotePosition {
        let first = |unit: &&str| unit.chars().next();
        let before = match at.checked_sub(1) {
            Some(before) => self.units.get(before).and_then(first),
            None => self.before,
        };
        let after = match self.units.get(at + 1) {
            Some(after) => first(after),
            None => self.after,
        };
        let is_letter = |character: Option<char>| character.is_some_and(char::is_alphabetic);
        if is_letter(before) && is_letter(after) {
            QuotePosition::BetweenLetters
        } else {
            QuotePosition::Elsewhere
        }
    }
}

/// Returns the new lines as they were sent, apart from their indentation.
fn keep_as_sent(group: &LineGroup<'_>) -> Result<MergedSegments, String> {
    let mut merged = MergedSegments::default();
    for (number, line) in group.new.lines.iter().enumerate() {
        let (skipped, lead) = group.shift.converted_indent(line)?;
        merged.push_inserted(&lead);
        merged.push_inserted(&line[skipped..]);
        if has_newline(&group.new, number) {
            merged.push_inserted("\n");
        }
    }
    Ok(merged)
}

/// Returns whether the line ends in a newline.
fn has_newline(lines: &TextLines<'_>, line: usize) -> bool {
    lines.ended || line + 1 < lines.len()
}

/// Returns the units of each new line, with its newline.
fn new_units<'a>(group: &LineGroup<'a>) -> Vec<Vec<&'a str>> {
    (0..group.new.len())
        .map(|number| {
            let newline = has_newline(&group.new, number).then_some("\n");
            folding_units(group.new.lines[number])
                .chain(newline)
                .collect()
        })
        .collect()
}

/// Returns the units of the old lines, each paired with the unit of the file that it matches. The error is the reason
/// why a guard forbids the edit.
fn old_units<'a>(group: &LineGroup<'a>) -> Result<Vec<OldUnit<'a>>, String> {
    let mut all = Vec::new();
    for (number, (&line, range)) in group.old.lines.iter().zip(group.lines).enumerate() {
        let file = &group.place[range.clone()];
        if group.new.len() > 0 && group.shift.replaces_look_alike(file) {
            return Err(format!(
                "The file's line is indented with look-alikes of spaces, which the edit would replace: {}",
                quote_line_start(file)
            ));
        }
        let (old_part, file_part) = group.shift.common_part(line, file);
        let unmatched = |text| OldUnit {
            text,
            file: None,
            folded: false,
        };
        all.extend(folding_units(&line[..old_part.start]).map(unmatched));
        let mut from = range.start + file_part.start;
        let mut file_units = folding_units(&file[file_part]);
        for text in folding_units(&line[old_part.clone()]) {
            // Folding maps units one to one; if it did not, the texts could not be paired.
            let Some(file) = file_units.next() else {
                return Err(unpaired_reason());
            };
            all.push(OldUnit {
                text,
                file: Some(from..from + file.len()),
                folded: text != file,
            });
            from += file.len();
        }
        if file_units.next().is_some() {
            return Err(unpaired_reason());
        }
        all.extend(folding_units(&line[old_part.end..]).map(unmatched));
        if has_newline(&group.old, number) {
            all.push(OldUnit {
                text: "\n",
                file: Some(range.end..range.end + 1),
                folded: false,
            });
        }
    }
    Ok(all)
}

/// Returns the reason where units cannot be paired.
fn unpaired_reason() -> String {
    "The old text and the file do not correspond character by character.".to_owned()
}

/// Returns the reason where an edit would replace a character that was folded.
fn replaced_character_reason(file: &str, old: &str) -> String {
    format!(
        "The edit replaces {} of the file, for which the old text has {}; send old text with the file's own character.",
        code_points(file),
        code_points(old)
    )
}

/// Returns a character as a message shows it: itself and its code points.
fn code_points(text: &str) -> String {
    const MAX_SHOWN_CODE_POINTS: usize = 4;
    let codes: Vec<String> = text
        .chars()
        .take(MAX_SHOWN_CODE_POINTS)
        .map(|character| format!("U+{:04X}", u32::from(character)))
        .collect();
    let shown: String = text.chars().take(MAX_SHOWN_CODE_POINTS).collect();
    format!("`{shown}` ({})", codes.join(" "))
}

impl MergedSegments {
    fn push_kept_range(&mut self, range: Range<usize>) {
        match self.segments.last_mut() {
            Some(Segment::Kept(last)) if last.end == range.start => last.end = range.end,
            _ => self.segments.push(Segment::Kept(range)),
        }
    }

    fn push_inserted(&mut self, text: &str) {
        match self.segments.last_mut() {
            Some(Segment::Inserted(last)) => last.push_str(text),
            _ => self.segments.push(Segment::Inserted(text.to_owned())),
        }
    }

    /// Records the folded characters of the file that are not kept, each with the reason that refuses the edit.
    fn record_lost_units(&mut self, old: &[OldUnit<'_>], kept: &[bool], place: &str) {
        for (unit, _) in old.iter().zip(kept).filter(|(_, kept)| !**kept) {
            if let Some(file) = unit.file.clone().filter(|_| unit.folded) {
                let file = &place[file];
                self.lost.push((
                    LookAlikeKinds::from_unit(file),
                    replaced_character_reason(file, unit.text),
                ));
            }
        }
    }

    /// Turns kept segments into inserted copies, so that all lines are replaced as one.
    fn copy_kept_segments(&mut self, place: &str) {
        for segment in &mut self.segments {
            if let Segment::Kept(range) = segment {
                *segment = Segment::Inserted(place[range.clone()].to_owned());
            }
        }
    }
}
