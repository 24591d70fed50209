//! Old text, new text and place woven into changes: the lines that old and new share stay in the
//! file untouched, and so do, where look-alikes were folded, the characters that they share.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::look_alike::Kinds;
use crate::splice::Change;

use super::fence::CodeLines;
use super::passage::{Passage, newline_at};
use super::quotes::{Added, Mark};
use super::shared::{Gap, gaps, shared};
use super::shift::Shift;
use super::sight::Sight;
use super::strand::{Strand, Woven, strand};
use super::whole_lines::whole_lines;
use super::{Erasure, Place, TextKind};

/// What the result of a hunk is put together from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text of the file, by its range in the place.
    Kept(Range<usize>),
    /// Text that comes in.
    Fresh(String),
    /// A quote that comes in and is curled, unless it stands in code.
    Quote {
        mark: Mark,
        /// The number of its line in the new text.
        line: usize,
        /// The back quotes before it on that line.
        ticks: usize,
    },
}

/// What an edit does to any place that is this text: hunks with offsets from the place's start.
#[derive(Debug)]
pub(super) struct Pattern<'a> {
    hunks: Vec<Hunk>,
    old: &'a Passage<'a>,
    new: &'a Passage<'a>,
    /// The characters that the new text adds and that are written as ASCII.
    pub(super) straightened: BTreeSet<char>,
}

#[derive(Debug)]
struct Hunk {
    range: Range<usize>,
    pieces: Vec<Piece>,
    tail: Tail,
}

/// How a hunk stands to a newline after the place, where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// It leaves it alone.
    Apart,
    /// The last lines go, the first of them from here on: the newline goes as theirs, and the one before them stays,
    /// which is another line's.
    LastLines(usize),
    /// Lines are added after an empty one: they stand behind its newline, for before it they would stand at the
    /// start of that line as well, and which line end they take would be unknown.
    AfterEmptyLine,
}

/// Places with their changes.
#[derive(Debug, Default)]
pub(super) struct Laid {
    pub(super) places: Vec<Place>,
    /// Whether a quote was curled.
    pub(super) curled: bool,
}

impl<'a> Pattern<'a> {
    /// Weaves the pattern. On rungs that fold look-alikes `shift` says what else differs. The error
    /// is the guard that forbids the edit.
    pub(super) fn of(
        view: &str,
        place: Range<usize>,
        old: &'a Passage<'a>,
        new: &'a Passage<'a>,
        shift: Option<&Shift<'_>>,
        text_kind: TextKind,
    ) -> Result<Pattern<'a>, String> {
        let before = view[..place.start].chars().next_back();
        let around = (before, view[place.end..].chars().next());
        let place = &view[place];
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
        let old_text = old.lines.join("\n");
        let folds = |shift: &Shift<'_>| {
            let mut pairs = old.lines.iter().zip(&lines);
            pairs.any(|(old, range)| {
                let file = &place[range.clone()];
                let (old_part, file_part) = shift.common_part(old, file);
                old[old_part] != file[file_part] || shift.replaces_look_alike(file)
            })
        };
        let added = shift
            .filter(|shift| folds(shift))
            .map(|_| Added::of(&old_text, place, text_kind));
        let loom = Loom {
            place,
            lines,
            old,
            new,
            around,
            shift,
            added: added.as_ref(),
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
        let mut lost: Vec<(Kinds, String)> = Vec::new();
        let mut fresh = Kinds::default();
        let mut straightened = BTreeSet::new();
        for gap in &gaps {
            let (hunk, woven) = loom.hunk(gap)?;
            hunks.push(hunk);
            lost.extend(woven.lost);
            fresh.extend(woven.fresh);
            straightened.extend(woven.straightened);
        }
        // What goes has one reading where nothing that comes in is of its kind.
        if let Some((_, reason)) = lost.into_iter().find(|(kinds, _)| kinds.meet(fresh)) {
            return Err(reason);
        }
        Ok(Pattern {
            hunks,
            old,
            new,
            straightened,
        })
    }

    /// Lays the pattern on places of the view, which are in order and do not overlap.
    pub(super) fn lay(&self, sight: &Sight<'_>, places: &[Range<usize>], erasure: Erasure) -> Laid {
        let view = sight.view;
        let mut laid = Laid::default();
        for (number, place) in places.iter().enumerate() {
            let next = places.get(number + 1).map_or(view.len(), |next| next.start);
            let takes_next_newline =
                !self.old.ended && newline_at(view, place.end) && next > place.end;
            let mut range = place.clone();
            let mut changes = Vec::with_capacity(self.hunks.len());
            if erasure == Erasure::Whole {
                let before = laid.places.last().map_or(0, |place| place.range.end);
                if let Some(whole) = whole_lines(view, place, self.old)
                    && before <= whole.start
                    && whole.end <= next
                    && !sight.is_damaged(&whole)
                {
                    range = whole;
                }
                changes.push(Change {
                    range: range.clone(),
                    text: String::new(),
                });
            } else {
                for hunk in &self.hunks {
                    match hunk.tail {
                        Tail::LastLines(start) if takes_next_newline => changes.push(Change {
                            range: place.start + start..place.end + 1,
                            text: String::new(),
                        }),
                        Tail::AfterEmptyLine if takes_next_newline => changes.push(Change {
                            range: place.end + 1..place.end + 1,
                            text: hunk.added_lines(),
                        }),
                        _ => self.lay_hunk(hunk, view, place.start, &mut laid, &mut changes),
                    }
                }
            }
            laid.places.push(Place { range, changes });
        }
        laid
    }

    fn lay_hunk(
        &self,
        hunk: &Hunk,
        view: &str,
        base: usize,
        laid: &mut Laid,
        changes: &mut Vec<Change>,
    ) {
        let mut at = base + hunk.range.start;
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
        let mut before = result_before(view, &laid.places, at);
        let mut code_lines: Option<CodeLines> = None;
        for piece in &hunk.pieces {
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
                Piece::Quote { mark, line, ticks } => {
                    let code = code_lines
                        .get_or_insert_with(|| CodeLines::of(view, base, &self.new.lines));
                    let quote = if code.is_code(*line, *ticks) {
                        mark.sent
                    } else {
                        laid.curled = true;
                        mark.curl(before)
                    };
                    text.push(quote);
                    before = Some(quote);
                }
            }
        }
        close(at, base + hunk.range.end, &mut text);
    }
}

impl Hunk {
    /// The lines that the hunk adds after another, each with its newline.
    fn added_lines(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Fresh(fresh) => text.push_str(fresh),
                Piece::Quote { mark, .. } => text.push(mark.sent),
                Piece::Kept(_) => {}
            }
        }
        let mut lines = text.strip_prefix('\n').unwrap_or(&text).to_owned();
        lines.push('\n');
        lines
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
struct Loom<'l> {
    place: &'l str,
    /// The place's lines, as many as the old text has.
    lines: Vec<Range<usize>>,
    old: &'l Passage<'l>,
    new: &'l Passage<'l>,
    /// The characters before and after the place.
    around: (Option<char>, Option<char>),
    /// On rungs that fold.
    shift: Option<&'l Shift<'l>>,
    added: Option<&'l Added<'l>>,
}

impl<'l> Loom<'l> {
    fn hunk(&self, gap: &Gap) -> Result<(Hunk, Woven), String> {
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
                let (mut hunk, woven) = self.weave(gap, first - 1..end, "", Position::Last)?;
                if !self.old.ended {
                    hunk.tail = Tail::LastLines(first);
                }
                Ok((hunk, woven))
            }
            (false, _) => {
                let range = self.lines[gap.old.start].start..end;
                self.weave(gap, range, "", Position::Last)
            }
            (true, false) => {
                let opening = if self.old.ended { "" } else { "\n" };
                let (mut hunk, woven) = self.weave(gap, end..end, opening, Position::Last)?;
                if !self.old.ended && self.lines.last().is_some_and(Range::is_empty) {
                    hunk.tail = Tail::AfterEmptyLine;
                }
                Ok((hunk, woven))
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
    ) -> Result<(Hunk, Woven), String> {
        let part = |passage: &Passage<'l>, lines: &Range<usize>| Passage {
            lines: passage.lines[lines.clone()].to_vec(),
            ended: passage.ended || position == Position::Inside,
        };
        let (old, new) = (part(self.old, &gap.old), part(self.new, &gap.new));
        let mut pieces = vec![Piece::Fresh(opening.to_owned())];
        let mut woven = Woven::default();
        match self.shift {
            None => pieces.push(Piece::Fresh(new.text())),
            Some(shift) => {
                let (before, after) = self.around;
                let is_open = gap.new.end == self.new.len() && !self.new.ended;
                let around = (
                    before.filter(|_| gap.new.start == 0),
                    after.filter(|_| is_open),
                );
                woven = strand(&Strand {
                    place: self.place,
                    lines: &self.lines[gap.old.clone()],
                    old,
                    new,
                    first_new: gap.new.start,
                    around,
                    shift,
                    added: self.added,
                })?;
                pieces.append(&mut woven.pieces);
            }
        }
        let tail = Tail::Apart;
        Ok((
            Hunk {
                range,
                pieces,
                tail,
            },
            woven,
        ))
    }
}

/// Whether shared lines follow a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    Inside,
    Last,
}
