//! Maps line numbers that a session was shown to the present places of those lines. A number means the line that was
//! last shown with it; every later change of the file may move that line.

use std::ops::Range;

/// The largest number of pieces stored for one file. Beyond it, the places of lines are unknown until they are shown
/// again.
const PIECES_MOST: usize = 256;
/// The size in bytes of one piece in the store.
const PIECE_BYTES: usize = 17;
/// A line number greater than that of any line of a file.
const LAST: i64 = i64::MAX / 4;

/// The present places of the lines of a file whose numbers were shown. Lines and numbers count from 0 here. Without
/// pieces every line is where its number says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineNumbers {
    /// Sorted by number. A piece reaches to the next one, and the first begins at 0.
    pieces: Vec<Piece>,
}

/// Consecutive numbers whose lines were affected in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    first: i64,
    fate: Fate,
}

/// The effect of later changes on lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Moved { by: i64, mover: Mover },
    Replaced,
    Unknown,
}

/// The origin of a move of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover {
    /// Only the session itself.
    Session,
    /// Another program, too.
    Other,
}

/// The present place of the line that was last shown with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// At this line.
    At {
        /// The line, counted from 0.
        line: u64,
        /// The program that moved it there.
        mover: Mover,
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
    pub detail: Detail,
}

/// How precisely a change of lines is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Every line of it was replaced.
    Exact,
    /// Some of its lines are unchanged, but which ones is not known.
    Coarse,
}

impl LineNumbers {
    /// Returns a value for a file whose lines are at unknown places.
    #[must_use]
    pub fn unknown() -> Self {
        let fate = Fate::Unknown;
        Self {
            pieces: vec![Piece { first: 0, fate }],
        }
    }

    /// Returns whether every line is where its number says.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns the present place of the line that was last shown with this number.
    #[must_use]
    pub fn standing(&self, number: u64) -> Standing {
        let number = signed(number);
        let after = self.pieces.partition_point(|piece| piece.first <= number);
        let piece = after.checked_sub(1).and_then(|at| self.pieces.get(at));
        match piece.map_or(UNMOVED, |piece| piece.fate) {
            Fate::Moved { by, mover } => Standing::At {
                line: unsigned(number + by),
                mover,
            },
            Fate::Replaced => Standing::Replaced,
            Fate::Unknown => Standing::Unknown,
        }
    }

    /// Records that lines were shown with the numbers that they have now.
    pub fn mark_shown(&mut self, lines: Range<u64>) {
        if self.pieces.is_empty() || lines.is_empty() {
            return;
        }
        let (start, end) = (signed(lines.start), signed(lines.end));
        let mut pieces = Vec::with_capacity(self.pieces.len() + 2);
        for (range, fate) in self.ranges() {
            if range.start < start {
                push(&mut pieces, range.start, fate);
            }
            if range.end > start && range.start <= start {
                push(&mut pieces, start, UNMOVED);
            }
            if range.end > end {
                push(&mut pieces, range.start.max(end), fate);
            }
        }
        self.set(pieces);
    }

    /// Records a change of the file, given as runs of lines in order.
    pub fn changed(&mut self, changes: &[LineChange], mover: Mover) {
        let keeps_numbers = |change: &LineChange| {
            change.detail == Detail::Exact && change.old.end - change.old.start == change.new
        };
        if self.pieces.is_empty() && changes.iter().all(keeps_numbers) {
            return;
        }
        if self.pieces.is_empty() {
            self.pieces.push(Piece {
                first: 0,
                fate: UNMOVED,
            });
        }
        // The distance that a line is moved by the changes up to each one.
        let mut growth = 0;
        let moved: Vec<i64> = changes
            .iter()
            .map(|change| {
                growth += signed(change.new) - (signed(change.old.end) - signed(change.old.start));
                growth
            })
            .collect();
        let mut pieces = Vec::with_capacity(self.pieces.len() + 2 * changes.len().min(PIECES_MOST));
        for (range, fate) in self.ranges() {
            let Fate::Moved { by, mover: before } = fate else {
                push(&mut pieces, range.start, fate);
                continue;
            };
            let mut at = range.start + by;
            let end = range.end + by;
            let mut next = changes.partition_point(|change| signed(change.old.end) <= at);
            while at < end && pieces.len() <= PIECES_MOST {
                let further = next.checked_sub(1).map_or(0, |before| moved[before]);
                let change = changes.get(next);
                let until = change.map_or(LAST, |change| signed(change.old.start));
                if at < until {
                    let by = by + further;
                    let mover = if further == 0 {
                        before
                    } else {
                        before.and(mover)
                    };
                    push(&mut pieces, at - by + further, Fate::Moved { by, mover });
                    at = until;
                    continue;
                }
                let Some(change) = change else { break };
                let change_end = signed(change.old.end);
                if at < change_end {
                    let fate = match change.detail {
                        Detail::Exact => Fate::Replaced,
                        Detail::Coarse => Fate::Unknown,
                    };
                    push(&mut pieces, at - by, fate);
                    at = change_end;
                }
                next += 1;
            }
        }
        self.set(pieces);
    }

    /// Returns the ranges of numbers that the pieces cover.
    fn ranges(&self) -> impl Iterator<Item = (Range<i64>, Fate)> {
        let ends = self.pieces.iter().skip(1).map(|piece| piece.first);
        let ends = ends.chain([LAST]);
        let pieces = self.pieces.iter().zip(ends);
        pieces.map(|(piece, end)| (piece.first..end, piece.fate))
    }

    fn set(&mut self, pieces: Vec<Piece>) {
        *self = match pieces.as_slice() {
            [Piece { fate: UNMOVED, .. }] => Self::default(),
            _ if pieces.len() > PIECES_MOST => Self::unknown(),
            _ => Self { pieces },
        };
    }

    /// Returns the encoding for the store; none if every line is where its number says.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.pieces.len() * PIECE_BYTES);
        for Piece { first, fate } in &self.pieces {
            let (kind, by) = match *fate {
                Fate::Moved { by, mover } => (mover as u8, by),
                Fate::Replaced => (2, 0),
                Fate::Unknown => (3, 0),
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
        let mut pieces: Vec<Piece> = Vec::new();
        for piece in bytes.chunks(PIECE_BYTES) {
            let decoded = decode_piece(piece);
            let follows = |piece: &Piece| match pieces.last() {
                None => piece.first == 0,
                Some(last) => piece.first > last.first && piece.first < LAST,
            };
            match decoded.filter(follows) {
                Some(piece) if pieces.len() < PIECES_MOST => pieces.push(piece),
                _ => return Self::unknown(),
            }
        }
        Self { pieces }
    }
}

/// The fate of lines that are where their numbers say.
const UNMOVED: Fate = Fate::Moved {
    by: 0,
    mover: Mover::Session,
};

impl Mover {
    fn and(self, other: Mover) -> Mover {
        match (self, other) {
            (Mover::Session, Mover::Session) => Mover::Session,
            _ => Mover::Other,
        }
    }
}

/// Appends a piece. Numbers with the same fate as those before them are merged into the last piece.
fn push(pieces: &mut Vec<Piece>, first: i64, fate: Fate) {
    if pieces.last().is_none_or(|last| last.fate != fate) {
        pieces.push(Piece { first, fate });
    }
}

fn decode_piece(bytes: &[u8]) -> Option<Piece> {
    let (first, rest) = bytes.split_first_chunk()?;
    let (kind, by) = rest.split_first()?;
    let by = i64::from_le_bytes(by.try_into().ok()?);
    let moved = |mover| Fate::Moved { by, mover };
    let fate = match kind {
        0 => moved(Mover::Session),
        1 => moved(Mover::Other),
        2 => Fate::Replaced,
        3 => Fate::Unknown,
        _ => return None,
    };
    let first = i64::from_le_bytes(*first);
    (by.abs() < LAST).then_some(Piece { first, fate })
}

fn signed(line: u64) -> i64 {
    i64::try_from(line).unwrap_or(LAST).min(LAST)
}

fn unsigned(line: i64) -> u64 {
    u64::try_from(line).unwrap_or_default()
}

#[cfg(test)]
mod tests;
