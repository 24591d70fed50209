//! One stretch of changed lines, woven character by character: a character that old and new text
//! share stays as the file has it, and what is folded and goes is told.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::look_alike::{Kinds, units};

use super::passage::Passage;
use super::quotes::{Added, KeptMarks, Stands, Written};
use super::shared::shared;
use super::shift::{Shift, quoted};
use super::weave::Piece;

/// Lines of the old text, the lines of the place that they stand for, and the new ones.
pub(super) struct Strand<'a> {
    pub(super) place: &'a str,
    pub(super) lines: &'a [Range<usize>],
    pub(super) old: Passage<'a>,
    pub(super) new: Passage<'a>,
    /// The number of the first new line in the whole new text.
    pub(super) first_new: usize,
    pub(super) shift: &'a Shift<'a>,
    /// The characters that stand around the new lines where they begin or end inside of a line.
    pub(super) around: (Option<char>, Option<char>),
    /// What added characters are written as; `None` where the match folded nothing.
    pub(super) added: Option<&'a Added<'a>>,
}

/// The new lines, put together from what the file keeps and what comes in.
#[derive(Debug, Default)]
pub(super) struct Woven {
    pub(super) pieces: Vec<Piece>,
    /// The characters that were folded and are not kept, with the sentence that refuses it.
    pub(super) lost: Vec<(Kinds, String)>,
    /// The kinds of look-alikes among what comes in.
    pub(super) fresh: Kinds,
    /// The characters that were sent and became ASCII.
    pub(super) straightened: BTreeSet<char>,
}

/// A character of the old text, and what stands for it in the place.
struct Unit<'a> {
    text: &'a str,
    file: Option<Range<usize>>,
    folded: bool,
}

/// What becomes of one character of the new text.
enum Step {
    /// It stays as the file has it: this character of the old text.
    Kept(usize, Range<usize>),
    Added,
    /// It gives way to the indentation of the file.
    Skipped,
}

/// Weaves the new lines. The error is the guard that forbids it.
pub(super) fn strand(strand: &Strand<'_>) -> Result<Woven, String> {
    let Some(added) = strand.added else {
        return as_sent(strand);
    };
    let old = old_units(strand)?;
    let new_lines: Vec<Vec<&str>> = (0..strand.new.len())
        .map(|number| {
            let newline = has_newline(&strand.new, number).then_some("\n");
            units(strand.new.lines[number]).chain(newline).collect()
        })
        .collect();
    let new: Vec<&str> = new_lines.concat();
    let match_up = MatchUp::of(&old, &new);
    let mut woven = Woven::default();
    let mut kept = vec![false; old.len()];
    let mut newlines = Newlines::of(&old);
    let mut at = 0;
    for (number, line) in new_lines.iter().enumerate() {
        let (skipped, lead) = strand.shift.lead(strand.new.lines[number])?;
        let mut length = 0;
        let mut steps = Vec::with_capacity(line.len());
        for &unit in line {
            if length < skipped && length + unit.len() > skipped {
                return Err(unpaired());
            }
            length += unit.len();
            let partner = match_up.partners[at].filter(|&partner| match_up.stays(&old, partner));
            at += 1;
            steps.push(match partner.map(|partner| (partner, &old[partner].file)) {
                _ if length <= skipped => Step::Skipped,
                Some((partner, Some(file))) => Step::Kept(partner, file.clone()),
                _ => Step::Added,
            });
        }
        let line = NewLine::of(strand, line, number);
        let marks = kept_marks(strand, &line, &steps);
        let mut ticks = 0;
        woven.write(&lead);
        for (place, step) in steps.into_iter().enumerate() {
            let unit = line.units[place];
            match step {
                Step::Skipped => {}
                Step::Kept(partner, file) => {
                    kept[partner] = true;
                    newlines.pair(partner, unit);
                    woven.kept(file);
                }
                Step::Added => {
                    newlines.add(unit);
                    woven.fresh.extend(Kinds::of(unit));
                    match written(added, unit, line.stands(place), marks) {
                        Written::AsSent => woven.write(unit),
                        Written::Ascii(character) => {
                            woven.straightened.extend(unit.chars());
                            woven.write(character.encode_utf8(&mut [0; 4]));
                        }
                        Written::Curly(mark) => woven.pieces.push(Piece::Quote {
                            mark,
                            line: strand.first_new + number,
                            ticks,
                        }),
                    }
                }
            }
            ticks += unit.matches('`').count();
        }
    }
    for (unit, _) in old.iter().zip(&kept).filter(|(_, kept)| !**kept) {
        if let Some(file) = unit.file.clone().filter(|_| unit.folded) {
            let file = &strand.place[file];
            woven
                .lost
                .push((Kinds::of(file), replaced(file, unit.text)));
        }
    }
    if !newlines.are_aligned() {
        woven.copy_kept(strand.place);
    }
    Ok(woven)
}

/// What an added unit is written as; one with marks of its own is as sent.
fn written(added: &Added<'_>, unit: &str, stands: Stands, marks: KeptMarks) -> Written {
    let mut characters = unit.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) => added.write(only, stands, marks),
        _ => Written::AsSent,
    }
}

/// The curly quotes that a new line keeps from the file.
fn kept_marks(strand: &Strand<'_>, line: &NewLine<'_>, steps: &[Step]) -> KeptMarks {
    let mut marks = KeptMarks::default();
    for (at, step) in steps.iter().enumerate() {
        if let Step::Kept(_, file) = step {
            for character in strand.place[file.clone()].chars() {
                marks.note(character, line.stands(at));
            }
        }
    }
    marks
}

/// A line of the new text and what stands around it.
struct NewLine<'a> {
    units: &'a [&'a str],
    before: Option<char>,
    after: Option<char>,
}

impl<'a> NewLine<'a> {
    fn of(strand: &Strand<'_>, units: &'a [&'a str], number: usize) -> NewLine<'a> {
        NewLine {
            units,
            before: strand.around.0.filter(|_| number == 0),
            after: strand.around.1.filter(|_| number + 1 == strand.new.len()),
        }
    }

    fn stands(&self, at: usize) -> Stands {
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
            Stands::BetweenLetters
        } else {
            Stands::Elsewhere
        }
    }
}

/// Whether the newlines of the new lines are those of the old ones, one after the other. Where they are not, a kept
/// newline would bring the line end of another line along.
struct Newlines {
    /// For each character of the old text how many newlines stand before it.
    before: Vec<usize>,
    old: usize,
    new: usize,
    kept: usize,
}

impl Newlines {
    fn of(old: &[Unit<'_>]) -> Newlines {
        let mut newlines = 0;
        let before = old
            .iter()
            .map(|unit| {
                let before = newlines;
                newlines += usize::from(unit.text == "\n");
                before
            })
            .collect();
        Newlines {
            before,
            old: newlines,
            new: 0,
            kept: 0,
        }
    }

    fn pair(&mut self, partner: usize, unit: &str) {
        if unit == "\n" {
            self.kept += usize::from(self.before[partner] == self.new);
            self.new += 1;
        }
    }

    fn add(&mut self, unit: &str) {
        self.new += usize::from(unit == "\n");
    }

    fn are_aligned(&self) -> bool {
        self.kept == self.new.min(self.old)
    }
}

fn as_sent(strand: &Strand<'_>) -> Result<Woven, String> {
    let mut woven = Woven::default();
    for (number, line) in strand.new.lines.iter().enumerate() {
        let (skipped, lead) = strand.shift.lead(line)?;
        woven.write(&lead);
        woven.write(&line[skipped..]);
        if has_newline(&strand.new, number) {
            woven.write("\n");
        }
    }
    Ok(woven)
}

fn has_newline(passage: &Passage<'_>, line: usize) -> bool {
    passage.ended || line + 1 < passage.len()
}

fn old_units<'a>(strand: &Strand<'a>) -> Result<Vec<Unit<'a>>, String> {
    let mut all = Vec::new();
    for (number, (&line, range)) in strand.old.lines.iter().zip(strand.lines).enumerate() {
        let file = &strand.place[range.clone()];
        if strand.new.len() > 0 && strand.shift.replaces_look_alike(file) {
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

fn replaced(file: &str, old: &str) -> String {
    format!(
        "The edit replaces {} of the file, for which the old text has {}; send old text with the file's own character.",
        code_points(file),
        code_points(old)
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

impl Woven {
    fn kept(&mut self, range: Range<usize>) {
        match self.pieces.last_mut() {
            Some(Piece::Kept(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push(Piece::Kept(range)),
        }
    }

    fn write(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Fresh(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Fresh(text.to_owned())),
        }
    }

    /// Writes what is kept anew, so that all lines are replaced as one.
    fn copy_kept(&mut self, place: &str) {
        for piece in &mut self.pieces {
            if let Piece::Kept(range) = piece {
                *piece = Piece::Fresh(place[range.clone()].to_owned());
            }
        }
    }
}
