//! Old text, new text and place woven into changes: the lines that old and new share stay in the
//! file untouched, and so do, where look-alikes were folded, the characters that they share.

use std::ops::Range;

use crate::splice::Change;

use super::passage::{Passage, newline_at, starts_line};
use super::quotes::{Kind, Quotes, curl};
use super::shared::{Gap, gaps, shared};
use super::shift::Shift;
use super::strand::{Strand, strand};
use super::{Erasure, Place};

/// What the result of a hunk is put together from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text of the file, by its range in the place.
    Kept(Range<usize>),
    /// Text that comes in.
    Fresh(String),
    /// A quote that comes in and is curled.
    Quote(Kind),
}

/// What an edit does to any place that is this text: hunks with offsets from the place's start.
#[derive(Debug)]
pub(super) struct Pattern {
    hunks: Vec<Hunk>,
    length: usize,
    old_ended: bool,
}

#[derive(Debug)]
struct Hunk {
    range: Range<usize>,
    pieces: Vec<Piece>,
    /// Where the last lines go but for the newline after the place: the start of the first of
    /// them. Their own newlines then go instead of the one before, which is another line's.
    last_lines: Option<usize>,
}

impl Pattern {
    /// Weaves the pattern. On rungs that fold look-alikes `shift` says what else differs. The error
    /// is the guard that forbids the edit.
    pub(super) fn of(
        place: &str,
        old: &Passage<'_>,
        new: &Passage<'_>,
        shift: Option<&Shift<'_>>,
    ) -> Result<Pattern, String> {
        let mut start = 0;
        let lines: Vec<Range<usize>> = place
            .split('\n')
            .take(old.len())
            .map(|line| {
                let range = start..start + line.len();
                start = range.end + 1;
                range
            })
            .collect();
        let loom = Loom {
            place,
            lines,
            old,
            new,
            dye: shift.map(|shift| Dye {
                shift,
                quotes: Quotes::of(&old.lines.join("\n"), place),
            }),
        };
        let runs = shared(&old.lines, &new.lines);
        let mut hunks = Vec::new();
        let mut gaps = gaps(&runs, old.len(), new.len());
        let reaches_end = gaps.last().is_some_and(|gap| gap.old.end == old.len());
        if !reaches_end && old.ended != new.ended {
            gaps.push(Gap {
                old: old.len()..old.len(),
                new: new.len()..new.len(),
            });
        }
        for gap in &gaps {
            hunks.push(loom.hunk(gap)?);
        }
        Ok(Pattern {
            hunks,
            length: place.len(),
            old_ended: old.ended,
        })
    }

    /// Lays the pattern on places of the view, which are in order and do not overlap.
    pub(super) fn lay(&self, view: &str, places: &[Range<usize>], erasure: Erasure) -> Vec<Place> {
        let mut laid: Vec<Place> = Vec::with_capacity(places.len());
        for (number, place) in places.iter().enumerate() {
            let takes_next_newline = !self.old_ended
                && newline_at(view, place.end)
                && places
                    .get(number + 1)
                    .is_none_or(|next| next.start > place.end);
            let mut range = place.clone();
            let mut changes = Vec::with_capacity(self.hunks.len());
            if erasure == Erasure::Whole {
                if takes_next_newline && starts_line(view, place.start) {
                    range.end += 1;
                }
                changes.push(Change {
                    range: range.clone(),
                    text: String::new(),
                });
            } else {
                for hunk in &self.hunks {
                    match hunk.last_lines {
                        Some(start) if takes_next_newline => {
                            range.end += 1;
                            changes.push(Change {
                                range: place.start + start..range.end,
                                text: String::new(),
                            });
                        }
                        _ => hunk.lay(view, place.start, &laid, &mut changes),
                    }
                }
            }
            debug_assert_eq!(place.len(), self.length);
            laid.push(Place { range, changes });
        }
        laid
    }
}

impl Hunk {
    fn lay(&self, view: &str, base: usize, laid: &[Place], changes: &mut Vec<Change>) {
        let mut at = base + self.range.start;
        let mut text = String::new();
        let mut close = |at: usize, to: usize, text: &mut String| {
            let unchanged = view[at..to] == **text;
            let text = std::mem::take(text);
            if !unchanged {
                changes.push(Change {
                    range: at..to,
                    text,
                });
            }
        };
        // What the result holds last before `text`; only the first piece needs to look back.
        let mut before = result_before(view, laid, at);
        for piece in &self.pieces {
            match piece {
                Piece::Kept(range) => {
                    close(at, base + range.start, &mut text);
                    at = base + range.end;
                    before = view[..at].chars().next_back();
                }
                Piece::Fresh(fresh) => {
                    text.push_str(fresh);
                    before = fresh.chars().next_back().or(before);
                }
                Piece::Quote(kind) => {
                    let quote = curl(*kind, before);
                    text.push(quote);
                    before = Some(quote);
                }
            }
        }
        close(at, base + self.range.end, &mut text);
    }
}

/// The character that stands before an offset once the places laid so far are edited.
fn result_before(view: &str, laid: &[Place], offset: usize) -> Option<char> {
    let mut at = offset;
    let changes = laid
        .iter()
        .rev()
        .flat_map(|place| place.changes.iter().rev());
    for change in changes {
        if change.range.end < at {
            break;
        }
        if let Some(last) = change.text.chars().next_back() {
            return Some(last);
        }
        at = change.range.start;
    }
    view[..at].chars().next_back()
}

/// The texts while they are woven.
struct Loom<'a> {
    place: &'a str,
    /// The place's lines, as many as the old text has.
    lines: Vec<Range<usize>>,
    old: &'a Passage<'a>,
    new: &'a Passage<'a>,
    dye: Option<Dye<'a>>,
}

/// What folding rungs do besides.
struct Dye<'a> {
    shift: &'a Shift<'a>,
    quotes: Quotes,
}

impl<'a> Loom<'a> {
    fn hunk(&self, gap: &Gap) -> Result<Hunk, String> {
        let is_last = gap.old.end == self.old.len() && gap.new.end == self.new.len();
        if !is_last {
            let range = self.lines[gap.old.start].start..self.lines[gap.old.end].start;
            return self.weave(gap, range, "", Position::Inside);
        }
        let end = self.place.len();
        let after_shared = gap.old.start > 0;
        match (gap.old.is_empty(), gap.new.is_empty()) {
            (false, true) if after_shared && !self.new.ended => {
                let first = self.lines[gap.old.start].start;
                let mut hunk = self.weave(gap, first - 1..end, "", Position::Last)?;
                hunk.last_lines = (!self.old.ended).then_some(first);
                Ok(hunk)
            }
            (false, _) => {
                let range = self.lines[gap.old.start].start..end;
                self.weave(gap, range, "", Position::Last)
            }
            (true, false) => {
                let opening = if self.old.ended { "" } else { "\n" };
                self.weave(gap, end..end, opening, Position::Last)
            }
            // Only the newline of the last line comes or goes.
            (true, true) => {
                let range = self.lines.last().map_or(end, |line| line.end)..end;
                let opening = if self.new.ended { "\n" } else { "" };
                self.weave(gap, range, opening, Position::Last)
            }
        }
    }

    /// A hunk whose new lines, after `opening`, stand in `range`.
    fn weave(
        &self,
        gap: &Gap,
        range: Range<usize>,
        opening: &str,
        position: Position,
    ) -> Result<Hunk, String> {
        let part = |passage: &Passage<'a>, lines: &Range<usize>| Passage {
            lines: passage.lines[lines.clone()].to_vec(),
            ended: passage.ended || position == Position::Inside,
        };
        let (old, new) = (part(self.old, &gap.old), part(self.new, &gap.new));
        let mut pieces = vec![Piece::Fresh(opening.to_owned())];
        match &self.dye {
            None => pieces.push(Piece::Fresh(new.text())),
            // All of the text may go, or whole lines between lines that stay, folded or not.
            Some(_) if self.new.len() == 0 => {}
            Some(_) if new.len() == 0 && gap.old.start > 0 && position == Position::Inside => {}
            Some(dye) => pieces.extend(strand(&Strand {
                place: self.place,
                lines: &self.lines[gap.old.clone()],
                old,
                new,
                shift: dye.shift,
                quotes: dye.quotes,
            })?),
        }
        Ok(Hunk {
            range,
            pieces,
            last_lines: None,
        })
    }
}

/// Whether shared lines follow a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    Inside,
    Last,
}
