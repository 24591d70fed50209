//! Maps line numbers that a session was shown to the present places of those lines. A number means the line that was
//! last shown with it; every later change of the file may move that line.

use std::ops::Range;

/// The largest number of pieces stored for one file. Beyond it, the places of lines are unknown until they are shown
/// again.
const MAX_PIECES: usize = 256;
/// The size in bytes of one piece in the store.
const PIECE_BYTES: usize = 17;
/// A line number greater than that of any line of a file.
const BEYOND_LAST_LINE: i64 = i64::MAX / 4;

/// The present places of the lines of a file whose numbers were shown. Lines and numbers count from 0 here. Without
/// pieces every line is where its number says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineNumbers {
    /// Sorted by number. A piece reaches to the next one, and the first begins at 0.
    pieces: Vec<NumberPiece>,
}

/// Consecutive numbers whose lines were affected in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NumberPiece {
    first: i64,
    fate: LineFate,
}

/// The effect of later changes on lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineFate {
    Moved { by: i64, mover: MoveOrigin },
    Replaced,
    Unknown,
}

/// The origin of a move of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveOrigin {
    /// Only the session itself.
    Session,
    /// Another program, too.
    Other,
}

/// The present place of the line that was last shown with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinePlace {
    /// At this line.
    At {
        /// The line, counted from 0.
        line: u64,
        /// The program that moved it there.
        mover: MoveOrigin,
    },
    /// The line was replaced or removed.
    Replaced,
    /// The place is not known.
    Unknown,
}

/// A run of lines that was replaced by other lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineChange {
    /// The lines before the change, counted from 0; empty for an insertion.
    pub old: Range<u64>,
    /// The number of lines that replace them.
    pub new: u64,
    /// How precisely the change is known.
    pub detail: ChangeDetail,
}

/// How precisely a change of lines is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeDetail {
    /// Every line of it was replaced.
    Exact,
    /// Some of its lines are unchanged, but which ones is not known.
    Coarse,
}

impl LineNumbers {
    /// Returns a value for a file whose lines are at unknown places.
    #[must_use]
    pub fn all_unknown() -> Self {
        let fate = LineFate::Unknown;
        Self {
            pieces: vec![NumberPiece { first: 0, fate }],
        }
    }

    /// Returns whether every line is where its number says.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns the present place of the line that was last shown with this number.
    #[must_use]
    pub fn current_place(&self, number: u64) -> LinePlace {
        let number = to_signed(number);
        let after = self.pieces.partition_point(|piece| piece.first <= number);
        let piece = after.checked_sub(1).and_then(|at| self.pieces.get(at));
        match piece.map_or(UNMOVED, |piece| piece.fate) {
            LineFate::Moved { by, mover } => LinePlace::At {
                line: to_unsigned(number + by),
                mover,
            },
            LineFate::Replaced => LinePlace::Replaced,
            LineFate::Unknown => LinePlace::Unknown,
        }
    }

    /// Records that lines were shown with the numbers that they have now.
    pub fn mark_shown(&mut self, lines: Range<u64>) {
        if self.pieces.is_empty() || lines.is_empty() {
            return;
        }
        let (start, end) = (to_signed(lines.start), to_signed(lines.end));
        let mut pieces = Vec::with_capacity(self.pieces.len() + 2);
        for (range, fate) in self.ranges() {
            if range.start < start {
                push_piece(&mut pieces, range.start, fate);
            }
            if range.end > start && range.start <= start {
                push_piece(&mut pieces, start, UNMOVED);
            }
            if range.end > end {
                push_piece(&mut pieces, range.start.max(end), fate);
            }
        }
        self.set_pieces(pieces);
    }

    /// Records a change of the file, given as runs of lines in order.
    pub fn record_changes(&mut self, changes: &[LineChange], mover: MoveOrigin) {
        let keeps_numbers = |change: &LineChange| {
            change.detail == ChangeDetail::Exact && change.old.end - change.old.start == change.new
        };
        if self.pieces.is_empty() && changes.iter().all(keeps_numbers) {
            return;
        }
        if self.pieces.is_empty() {
            self.pieces.push(NumberPiece {
                first: 0,
                fate: UNMOVED,
            });
        }
        // The distance that a line is moved by the changes up to each one.
        let mut growth = 0;
        let moved: Vec<i64> = changes
            .iter()
            .map(|change| {
                growth += to_signed(change.new)
                    - (to_signed(change.old.end) - to_signed(change.old.start));
                growth
            })
            .collect();
        let mut pieces = Vec::with_capacity(self.pieces.len() + 2 * changes.len().min(MAX_PIECES));
        for (range, fate) in self.ranges() {
            let LineFate::Moved { by, mover: before } = fate else {
                push_piece(&mut pieces, range.start, fate);
                continue;
            };
            let mut at = range.start + by;
            let end = range.end + by;
            let mut next = changes.partition_point(|change| to_signed(change.old.end) <= at);
            while at < end && pieces.len() <= MAX_PIECES {
                let further = next.checked_sub(1).map_or(0, |before| moved[before]);
                let change = changes.get(next);
                let until = change.map_or(BEYOND_LAST_LINE, |change| to_signed(change.old.start));
                if at < until {
                    let by = by + further;
                    let mover = if further == 0 {
                        before
                    } else {
                        before.combine(mover)
                    };
                    push_piece(
                        &mut pieces,
                        at - by + further,
                        LineFate::Moved { by, mover },
                    );
                    at = until;
                    continue;
                }
                let Some(change) = change else { break };
                let change_end = to_signed(change.old.end);
                if at < change_end {
                    let fate = match change.detail {
                        ChangeDetail::Exact => LineFate::Replaced,
                        ChangeDetail::Coarse => LineFate::Unknown,
                    };
                    push_piece(&mut pieces, at - by, fate);
                    at = change_end;
                }
                next += 1;
            }
        }
        self.set_pieces(pieces);
    }

    /// Returns the ranges of numbers that the pieces cover.
    fn ranges(&self) -> impl Iterator<Item = (Range<i64>, LineFate)> {
        let ends = self.pieces.iter().skip(1).map(|piece| piece.first);
        let ends = ends.chain([BEYOND_LAST_LINE]);
        let pieces = self.pieces.iter().zip(ends);
        pieces.map(|(piece, end)| (piece.first..end, piece.fate))
    }

    fn set_pieces(&mut self, pieces: Vec<NumberPiece>) {
        *self = match pieces.as_slice() {
            [NumberPiece { fate: UNMOVED, .. }] => Self::default(),
            _ if pieces.len() > MAX_PIECES => Self::all_unknown(),
            _ => Self { pieces },
        };
    }

    /// Returns the encoding for the store; none if every line is where its number says.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.pieces.len() * PIECE_BYTES);
        for NumberPiece { first, fate } in &self.pieces {
            let (kind, by) = match *fate {
                LineFate::Moved { by, mover } => (mover as u8, by),
                LineFate::Replaced => (2, 0),
                LineFate::Unknown => (3, 0),
            };
            bytes.extend(first.to_le_bytes());
            bytes.push(kind);
            bytes.extend(by.to_le_bytes());
        }
        (!bytes.is_empty()).then_some(bytes)
    }

    /// Decodes the numbers from the store. If that fails, the places of lines are unknown.
    pub(crate) fn decode(bytes: Option<&[u8]>) -> Self {
        let Some(bytes) = bytes else {
            return Self::default();
        };
        let mut pieces: Vec<NumberPiece> = Vec::new();
        for piece in bytes.chunks(PIECE_BYTES) {
            let decoded = decode_piece(piece);
            let follows = |piece: &NumberPiece| match pieces.last() {
                None => piece.first == 0,
                Some(last) => piece.first > last.first && piece.first < BEYOND_LAST_LINE,
            };
            match decoded.filter(follows) {
                Some(piece) if pieces.len() < MAX_PIECES => pieces.push(piece),
                _ => return Self::all_unknown(),
            }
        }
        Self { pieces }
    }
}

/// The fate of lines that are where their numbers say.
const UNMOVED: LineFate = LineFate::Moved {
    by: 0,
    mover: MoveOrigin::Session,
};

impl MoveOrigin {
    fn combine(self, other: MoveOrigin) -> MoveOrigin {
        match (self, other) {
            (MoveOrigin::Session, MoveOrigin::Session) => MoveOrigin::Session,
            _ => MoveOrigin::Other,
        }
    }
}

/// Appends a piece. Numbers with the same fate as those before them are merged into the last piece.
fn push_piece(pieces: &mut Vec<NumberPiece>, first: i64, fate: LineFate) {
    if pieces.last().is_none_or(|last| last.fate != fate) {
        pieces.push(NumberPiece { first, fate });
    }
}

fn decode_piece(bytes: &[u8]) -> Option<NumberPiece> {
    let (first, rest) = bytes.split_first_chunk()?;
    let (kind, by) = rest.split_first()?;
    let by = i64::from_le_bytes(by.try_into().ok()?);
    let moved = |mover| LineFate::Moved { by, mover };
    let fate = match kind {
        0 => moved(MoveOrigin::Session),
        1 => moved(MoveOrigin::Other),
        2 => LineFate::Replaced,
        3 => LineFate::Unknown,
        _ => return None,
    };
    let first = i64::from_le_bytes(*first);
    (by.abs() < BEYOND_LAST_LINE).then_some(NumberPiece { first, fate })
}

fn to_signed(line: u64) -> i64 {
    i64::try_from(line)
        .unwrap_or(BEYOND_LAST_LINE)
        .min(BEYOND_LAST_LINE)
}

fn to_unsigned(line: i64) -> u64 {
    u64::try_from(line).unwrap_or_default()
}

#[cfg(test)]
mod tests;
