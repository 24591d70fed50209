//! What a person, a host or the Undo tool may ask to be taken back. Which operations that are, and what becomes of the
//! files, is worked out in *examine*.

use std::path::PathBuf;

/// Takes changes back, or does again what was taken back. It is a change like any other: it passes *approve* and
/// *commit* and is itself an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TakeBack {
    /// Which.
    pub selection: Selection,
    /// Which way.
    pub direction: Direction,
    /// What happens where a file has moved on since.
    pub overlap: Overlap,
    /// What happens to the other files where one is in conflict.
    pub conflicts: Conflicts,
    /// Only shown, not done.
    pub dry_run: bool,
}

impl TakeBack {
    /// A request in one of the two directions that refuses a file that has moved on since.
    pub fn new(direction: Direction, selection: Selection) -> Self {
        Self {
            selection,
            direction,
            overlap: Overlap::Refuse,
            conflicts: Conflicts::Refuse,
            dry_run: false,
        }
    }

    /// Takes operations back.
    pub fn undo(selection: Selection) -> Self {
        Self::new(Direction::Undo, selection)
    }

    /// Does operations again that were taken back.
    pub fn redo(selection: Selection) -> Self {
        Self::new(Direction::Redo, selection)
    }

    /// Sets what happens where a file has moved on since.
    #[must_use]
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = overlap;
        self
    }

    /// Sets what happens to the other files where one is in conflict.
    #[must_use]
    pub fn conflicts(mut self, conflicts: Conflicts) -> Self {
        self.conflicts = conflicts;
        self
    }

    /// Shows the patch and writes nothing.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
}

/// Which operations are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Selection {
    /// The newest below the roots that has not been taken back (redo: the latest undo that has not been redone).
    Newest,
    /// So many of the newest, as one operation.
    Last(usize),
    /// The one whose id begins like this.
    Operation(String),
    /// The newest of this file, and of no other file that the same operation changed.
    File(PathBuf),
    /// All of this session, as one operation.
    Session(String),
    /// All of this turn, as one operation.
    Turn(String),
    /// All since this time, in milliseconds since 1970, as one operation.
    Since(i64),
}

/// Undo or redo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Back.
    Undo,
    /// Forward again.
    Redo,
}

/// What happens where a file is no longer what the operation left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Overlap {
    /// It is refused.
    Refuse,
    /// That change alone is taken back, if what came later does not touch its lines.
    Merge,
}

/// What happens where some of the files are in conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conflicts {
    /// All of it is refused.
    Refuse,
    /// They are left out and named; the others are taken back.
    LeaveOut,
}

/// Brings one file back to a state that the history has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restore {
    /// The file, absolute.
    pub file: PathBuf,
    /// The operation, by the beginning of its id.
    pub operation: String,
    /// As the operation left it, or as it was before.
    pub moment: Side,
    /// Only shown, not done.
    pub dry_run: bool,
}

impl Restore {
    /// A request for one file: absolute path, the beginning of an operation's id, before or after that operation.
    pub fn new(file: impl Into<PathBuf>, operation: impl Into<String>, moment: Side) -> Self {
        Self {
            file: file.into(),
            operation: operation.into(),
            moment,
            dry_run: false,
        }
    }

    /// Shows the patch and writes nothing.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
}

/// Before or after an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// As it was before.
    Before,
    /// As the operation left it.
    After,
}
