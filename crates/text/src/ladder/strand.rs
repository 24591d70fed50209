//! One stretch of changed lines, woven character by character: a character that old and new text
//! share stays as the file has it, and one that was folded may not be replaced.

use std::ops::Range;

use crate::look_alike::units;

use super::passage::Passage;
use super::quotes::{Added, Quotes};
use super::shared::shared;
use super::shift::{Shift, quoted};
use super::weave::Piece;

/// Lines of the old text, the lines of the place that they stand for, and the new ones.
pub(super) struct Strand<'a> {
    pub(super) place: &'a str,
    pub(super) lines: &'a [Range<usize>],
    pub(super) old: Passage<'a>,
    pub(super) new: Passage<'a>,
    pub(super) shift: &'a Shift<'a>,
    pub(super) quotes: Quotes,
}

/// A character of the old text, and what stands for it in the place.
struct Unit<'a> {
    text: &'a str,
    file: Option<Range<usize>>,
    folded: bool,
}

/// The pieces that the new lines are put together from. The error is the guard that forbids it.
pub(super) fn strand(strand: &Strand<'_>) -> Result<Vec<Piece>, String> {
    let old = old_units(strand)?;
    if !strand.quotes.is_active() && !old.iter().any(|unit| unit.folded) {
        return as_sent(strand);
    }
    let new_lines: Vec<Vec<&str>> = strand
        .new
        .lines
        .iter()
        .map(|line| units(line).collect())
        .collect();
    let mut new: Vec<&str> = Vec::new();
    for (number, line) in new_lines.iter().enumerate() {
        new.extend(line);
        if has_newline(&strand.new, number) {
            new.push("\n");
        }
    }
    let match_up = MatchUp::of(&old, &new);
    let mut pieces = Pieces::default();
    let mut kept = vec![false; old.len()];
    let mut at = 0;
    for (number, line) in new_lines.iter().enumerate() {
        let (skipped, lead) = strand.shift.lead(strand.new.lines[number])?;
        pieces.fresh(&lead);
        let mut length = 0;
        let newline = has_newline(&strand.new, number).then_some("\n");
        for unit in line.iter().copied().chain(newline) {
            let straddles = length < skipped && length + unit.len() > skipped;
            if straddles {
                return Err(unpaired());
            }
            length += unit.len();
            if length > skipped {
                let partner = match_up.partners[at];
                match partner.and_then(|partner| Some((partner, old[partner].file.clone()?))) {
                    Some((partner, file)) if match_up.stays(&old, partner) => {
                        kept[partner] = true;
                        pieces.kept(file);
                    }
                    _ if partner.is_some() => pieces.fresh(unit),
                    _ => pieces.add(unit, strand.quotes),
                }
            }
            at += 1;
        }
    }
    match old
        .iter()
        .zip(&kept)
        .find(|(unit, kept)| unit.folded && !**kept)
    {
        Some((unit, _)) => Err(replaced(strand, unit)),
        None => Ok(pieces.pieces),
    }
}

fn as_sent(strand: &Strand<'_>) -> Result<Vec<Piece>, String> {
    let mut pieces = Pieces::default();
    for (number, line) in strand.new.lines.iter().enumerate() {
        let (skipped, lead) = strand.shift.lead(line)?;
        pieces.fresh(&lead);
        pieces.fresh(&line[skipped..]);
        if has_newline(&strand.new, number) {
            pieces.fresh("\n");
        }
    }
    Ok(pieces.pieces)
}

fn has_newline(passage: &Passage<'_>, line: usize) -> bool {
    passage.ended || line + 1 < passage.len()
}

fn old_units<'a>(strand: &Strand<'a>) -> Result<Vec<Unit<'a>>, String> {
    let mut all = Vec::new();
    for (number, (&line, range)) in strand.old.lines.iter().zip(strand.lines).enumerate() {
        let file = &strand.place[range.clone()];
        if strand.shift.replaces_look_alike(file) {
            return Err(format!(
                "The file's line is indented with look-alikes of spaces, which the edit would replace: {}",
                quoted(file)
            ));
        }
        let (old_part, file_part) = strand.shift.common_part(line, file);
        let alone = |text| Unit {
            text,
            file: None,
            folded: false,
        };
        all.extend(units(&line[..old_part.start]).map(alone));
        let mut from = range.start + file_part.start;
        let mut file_units = units(&file[file_part]);
        for text in units(&line[old_part.clone()]) {
            // Folding keeps units one to one; were it otherwise, nothing could be paired.
            let Some(file) = file_units.next() else {
                return Err(unpaired());
            };
            all.push(Unit {
                text,
                file: Some(from..from + file.len()),
                folded: text != file,
            });
            from += file.len();
        }
        if file_units.next().is_some() {
            return Err(unpaired());
        }
        all.extend(units(&line[old_part.end..]).map(alone));
        if has_newline(&strand.old, number) {
            all.push(Unit {
                text: "\n",
                file: Some(range.end..range.end + 1),
                folded: false,
            });
        }
    }
    Ok(all)
}

fn unpaired() -> String {
    "The old text and the file do not correspond character by character.".to_owned()
}

fn replaced(strand: &Strand<'_>, unit: &Unit<'_>) -> String {
    let file = unit.file.clone().map_or("", |range| &strand.place[range]);
    format!(
        "The edit replaces {} of the file, for which the old text has {}; send old text with the file's own character.",
        code_points(file),
        code_points(unit.text)
    )
}

/// A character for a sentence: itself and its code points.
fn code_points(text: &str) -> String {
    const MOST: usize = 4;
    let codes: Vec<String> = text
        .chars()
        .take(MOST)
        .map(|character| format!("U+{:04X}", u32::from(character)))
        .collect();
    let shown: String = text.chars().take(MOST).collect();
    format!("`{shown}` ({})", codes.join(" "))
}

/// Which characters of the new text are characters of the old one.
struct MatchUp {
    partners: Vec<Option<usize>>,
    shared: Vec<bool>,
}

impl MatchUp {
    fn of(old: &[Unit<'_>], new: &[&str]) -> MatchUp {
        let texts: Vec<&str> = old.iter().map(|unit| unit.text).collect();
        let mut match_up = MatchUp {
            partners: vec![None; new.len()],
            shared: vec![false; old.len()],
        };
        for run in shared(&texts, new) {
            for step in 0..run.len {
                match_up.partners[run.new + step] = Some(run.old + step);
                match_up.shared[run.old + step] = true;
            }
        }
        match_up
    }

    /// Whether a shared character keeps the file's form: one that was folded needs a neighbour
    /// that is shared too, or the line's edge beside it.
    fn stays(&self, old: &[Unit<'_>], at: usize) -> bool {
        let beside = |neighbour: Option<usize>| match neighbour {
            Some(neighbour) if neighbour < old.len() => {
                old[neighbour].text == "\n" || self.shared[neighbour]
            }
            _ => true,
        };
        !old[at].folded || beside(at.checked_sub(1)) || beside(Some(at + 1))
    }
}

/// Pieces put together from left to right, neighbours joined.
#[derive(Default)]
struct Pieces {
    pieces: Vec<Piece>,
}

impl Pieces {
    fn kept(&mut self, range: Range<usize>) {
        match self.pieces.last_mut() {
            Some(Piece::Kept(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push(Piece::Kept(range)),
        }
    }

    fn fresh(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Fresh(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Fresh(text.to_owned())),
        }
    }

    fn add(&mut self, unit: &str, quotes: Quotes) {
        let mut characters = unit.chars();
        match (characters.next(), characters.next()) {
            (Some(only), None) => match quotes.add(only) {
                Added::Plain(character) => self.fresh(character.encode_utf8(&mut [0; 4])),
                Added::Curly(kind) => self.pieces.push(Piece::Quote(kind)),
            },
            _ => self.fresh(unit),
        }
    }
}
