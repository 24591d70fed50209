//! Maps offsets of the view to offsets of the file and back. Where the two differ, a document stores a checkpoint every
//! few KiB; from there it walks character by character, without decoding.

use super::Document;
use super::build::LoneCrMeaning;
use crate::encoding::sequence::SequenceRule;
use std::ops::Range;

/// A place between two characters, as an offset in the view and in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) view: usize,
    pub(crate) raw: usize,
}

/// The mapping of offsets of the view to offsets of the file.
#[derive(Debug)]
pub(crate) enum OffsetMap {
    /// The bytes are the same, after a byte order mark of this length.
    Shifted(usize),
    /// By walking from the nearest checkpoint.
    Checkpointed(Checkpoints),
}

/// The checkpoints of a document, and what is needed to walk from one.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    rule: SequenceRule,
    lone_cr: LoneCrMeaning,
    points: Vec<Position>,
    /// The number of bytes of the file that each damaged range represents.
    damage: Vec<u8>,
}

/// A checkpoint that is closer than this to the one before it in the view is not stored.
const MIN_CHECKPOINT_DISTANCE: usize = 1 << 10;

impl Checkpoints {
    pub(super) fn new(rule: SequenceRule, lone_cr: LoneCrMeaning, start: usize) -> Checkpoints {
        Checkpoints {
            rule,
            lone_cr,
            points: vec![Position {
                view: 0,
                raw: start,
            }],
            damage: Vec::new(),
        }
    }

    pub(super) fn rule(&self) -> SequenceRule {
        self.rule
    }

    pub(super) fn lone_cr(&self) -> LoneCrMeaning {
        self.lone_cr
    }

    /// Adds a checkpoint, unless the last one is near.
    pub(super) fn add(&mut self, position: Position) {
        let last = self.points[self.points.len() - 1];
        if position.view >= last.view + MIN_CHECKPOINT_DISTANCE {
            self.points.push(position);
        }
    }

    pub(super) fn record_damage_length(&mut self, length: usize) {
        // A malformed sequence has at most four bytes in any encoding.
        self.damage.push(u8::try_from(length).unwrap_or(u8::MAX));
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.points.shrink_to_fit();
        self.damage.shrink_to_fit();
    }
}

/// The offset at which a walk stops, in the view or in the file.
#[derive(Clone, Copy)]
enum SeekTarget {
    View(usize),
    Raw(usize),
}

impl SeekTarget {
    /// Returns whether a position is beyond this offset.
    fn is_passed_by(self, position: Position) -> bool {
        match self {
            SeekTarget::View(view) => position.view > view,
            SeekTarget::Raw(raw) => position.raw > raw,
        }
    }
}

impl Document<'_> {
    /// Returns the bytes of the file that a range of the view represents. A range that begins or ends inside a sequence
    /// that decodes to two characters (Big5 has four such) is widened to the whole sequence.
    pub fn raw_range(&self, view: Range<usize>) -> Range<usize> {
        let start = self.last_position_up_to(self.start(), view.start);
        let end = self.first_position_from(start, view.end.max(view.start));
        start.raw..end.raw
    }

    /// Returns the range of the view that represents these bytes of the file, widened to whole characters.
    pub fn view_range(&self, raw: Range<usize>) -> Range<usize> {
        let start = self.seek(self.start(), SeekTarget::Raw(raw.start));
        let mut end = self.seek(start, SeekTarget::Raw(raw.end.max(raw.start)));
        if end.raw < raw.end && end.view < self.view.len() {
            end = self.next_position(end);
        }
        start.view..end.view
    }

    /// Returns the position of the start of the view.
    pub(crate) fn start(&self) -> Position {
        match &self.map {
            OffsetMap::Shifted(shift) => Position {
                view: 0,
                raw: *shift,
            },
            OffsetMap::Checkpointed(checkpoints) => checkpoints.points[0],
        }
    }

    /// Returns the last position between two sequences that is not after `view`. The walk starts at `from`, which must
    /// not be after it, or at the nearest checkpoint.
    pub(crate) fn last_position_up_to(&self, from: Position, view: usize) -> Position {
        self.seek(from, SeekTarget::View(view.min(self.view.len())))
    }

    /// Returns the first position between two sequences that is not before `view`.
    pub(crate) fn first_position_from(&self, from: Position, view: usize) -> Position {
        let floor = self.last_position_up_to(from, view);
        if floor.view < view.min(self.view.len()) {
            return self.next_position(floor);
        }
        floor
    }

    /// Returns the last position that is not after the target, from `from` or from the nearest checkpoint on.
    fn seek(&self, from: Position, target: SeekTarget) -> Position {
        let checkpoints = match (&self.map, target) {
            (OffsetMap::Shifted(shift), SeekTarget::View(view)) => {
                return Position {
                    view,
                    raw: view + shift,
                };
            }
            (OffsetMap::Shifted(shift), SeekTarget::Raw(raw)) => {
                let view = raw.clamp(*shift, self.raw.len()) - shift;
                let view = self.view.floor_char_boundary(view);
                return Position {
                    view,
                    raw: view + shift,
                };
            }
            (OffsetMap::Checkpointed(checkpoints), _) => checkpoints,
        };
        let next = checkpoints
            .points
            .partition_point(|point| !target.is_passed_by(*point));
        let mut at = match next.checked_sub(1).map(|index| checkpoints.points[index]) {
            Some(point) if point.view > from.view => point,
            _ => from,
        };
        let mut damage = self.damaged.partition_point(|place| place.start < at.view);
        while at.view < self.view.len() {
            let next = self.next_position_with_checkpoints(checkpoints, at, &mut damage, target);
            if target.is_passed_by(next) {
                break;
            }
            at = next;
        }
        at
    }

    /// Returns the position after the sequence at `at`.
    fn next_position(&self, at: Position) -> Position {
        match &self.map {
            OffsetMap::Shifted(shift) => {
                let view = self.view.ceil_char_boundary(at.view + 1);
                Position {
                    view,
                    raw: view + shift,
                }
            }
            OffsetMap::Checkpointed(checkpoints) => {
                let mut damage = self.damaged.partition_point(|place| place.start < at.view);
                self.next_position_with_checkpoints(
                    checkpoints,
                    at,
                    &mut damage,
                    SeekTarget::View(at.view),
                )
            }
        }
    }

    /// Returns the position after the sequence at `at`, or after a run of bytes that are the same on both sides and do
    /// not pass the target. `damage` is the number of damaged ranges before `at`, and is updated.
    fn next_position_with_checkpoints(
        &self,
        checkpoints: &Checkpoints,
        at: Position,
        damage: &mut usize,
        target: SeekTarget,
    ) -> Position {
        let forward = |view, raw| Position {
            view: at.view + view,
            raw: at.raw + raw,
        };
        let next_damage = self.damaged.get(*damage).map(|place| place.start);
        if next_damage == Some(at.view) {
            let length = checkpoints.damage[*damage];
            *damage += 1;
            return forward(char::REPLACEMENT_CHARACTER.len_utf8(), usize::from(length));
        }
        if checkpoints.rule == SequenceRule::Utf8 {
            let most = match target {
                SeekTarget::View(view) => view.saturating_sub(at.view),
                SeekTarget::Raw(raw) => raw.saturating_sub(at.raw),
            };
            let end = next_damage.unwrap_or(self.view.len()).min(at.view + most);
            let end = self.view.floor_char_boundary(end);
            let run = self.view.as_bytes().get(at.view..end).unwrap_or_default();
            let run = memchr::memchr(b'\n', run).unwrap_or(run.len());
            if run > 0 {
                return forward(run, run);
            }
        }
        let width = checkpoints.rule.ascii_width();
        match self.view[at.view..].chars().next() {
            Some('\n') => forward(1, width * self.line_end_units(checkpoints, at.raw)),
            Some(ascii) if ascii.is_ascii() => forward(1, width),
            Some(character) => {
                let rest = self.raw.get(at.raw..).unwrap_or_default();
                let (raw, view) = checkpoints.rule.sequence_length(rest, character);
                forward(view, raw)
            }
            None => at,
        }
    }

    /// Returns how many code units the line end at the byte offset `at` has in the file.
    fn line_end_units(&self, checkpoints: &Checkpoints, at: usize) -> usize {
        if checkpoints.lone_cr == LoneCrMeaning::EndsLine {
            return 1;
        }
        let width = checkpoints.rule.ascii_width();
        let is_return =
            |unit: usize| checkpoints.rule.ascii_at(self.raw, at + unit * width) == Some(b'\r');
        match (is_return(0), is_return(1)) {
            (true, true) => 3,
            (true, false) => 2,
            (false, _) => 1,
        }
    }
}
