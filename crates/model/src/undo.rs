//! The requests to undo, redo and restore, from a person, a host or the Undo tool. *examine* finds the operations and
//! computes the resulting files.

use crate::non_exhaustive::NonExhaustive;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use lancet_history::PromptMark;
use lancet_text::Hunk;

use crate::call::Cancel;

/// A request to undo or redo changes. It is a change like any other: it passes *approve* and *commit* and is itself an
/// operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoRequest {
    /// The selected operations.
    pub selection: Selection,
    /// The folders in which the selected operations changed a file; they may also have changed files elsewhere below
    /// the roots. Without folders, all files of a selected operation are below the roots. A selection by id or file
    /// names its operations itself.
    pub project: Vec<PathBuf>,
    /// Whether to undo or to redo.
    pub direction: Direction,
    /// What happens if a file has changed since.
    pub overlap: Overlap,
    /// What happens to the other files if one is in conflict.
    pub conflicts: Conflicts,
    /// What happens to files that another call may have changed.
    pub shared: SharedChanges,
    /// What happens to changes whose caller is not known.
    pub unknown_callers: UnknownCallers,
    /// Whether the change is only shown.
    pub dry_run: bool,
    /// The handle that stops the request; without one it ends after the usual time limit.
    pub cancel: Option<Cancel>,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

impl UndoRequest {
    /// Makes a request in one of the two directions; a file that has changed since is refused.
    pub fn new(direction: Direction, selection: Selection) -> Self {
        Self {
            selection,
            project: Vec::new(),
            direction,
            overlap: Overlap::Refuse,
            conflicts: Conflicts::Refuse,
            shared: SharedChanges::LeaveOut,
            unknown_callers: UnknownCallers::LeaveOut,
            dry_run: false,
            cancel: None,
            non_exhaustive: NonExhaustive,
        }
    }

    /// Makes a request to undo operations.
    pub fn undo(selection: Selection) -> Self {
        Self::new(Direction::Undo, selection)
    }

    /// Makes a request to redo operations that were undone.
    pub fn redo(selection: Selection) -> Self {
        Self::new(Direction::Redo, selection)
    }

    /// Sets what happens if a file has changed since.
    #[must_use]
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = overlap;
        self
    }

    /// Sets what happens to the other files if one is in conflict.
    #[must_use]
    pub fn conflicts(mut self, conflicts: Conflicts) -> Self {
        self.conflicts = conflicts;
        self
    }

    /// Makes the request a dry run: the patch is shown and nothing is written.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
}

/// Selects operations.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Selection {
    /// The newest operation below the roots that has not been undone (redo: the latest undo that has not been redone).
    Newest,
    /// This many of the newest operations, as one operation.
    Last(usize),
    /// The operation whose id begins with this text.
    Operation(String),
    /// The newest change of this file, without the other files that the same operation changed.
    File(PathBuf),
    /// All operations of this session, as one operation.
    Session(String),
    /// All operations that this client program made, as one operation (redo: the latest undo of such operations).
    Client(String),
    /// All operations of this turn, as one operation.
    Turn(String),
    /// All operations since this time, in milliseconds since 1970, as one operation.
    Since(i64),
    /// All operations of a session since a person's prompt, as one operation.
    SincePrompt(PromptMark),
    /// These operations, by their whole ids, as one operation. Those that are already undone are skipped.
    These(Vec<String>),
}

/// Undo or redo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Changes are undone.
    Undo,
    /// Changes that were undone are made again.
    Redo,
}

/// What happens if a file is no longer in the state that the operation left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Overlap {
    /// The request is refused.
    Refuse,
    /// The operation's change alone is undone, if later changes do not touch its lines (a three-way merge).
    Merge,
}

/// What happens if some of the files are in conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conflicts {
    /// The whole request is refused.
    Refuse,
    /// The files in conflict are left out and named; the others are undone.
    LeaveOut,
}

/// What happens to changes whose caller is not known, in a selection of the newest changes or of a period: those of the
/// tool `unattributed` and of the client `watched`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownCallers {
    /// They are skipped. A selection that names them, by id or client, includes them all the same.
    LeaveOut,
    /// They are undone like the others.
    Include,
}

/// What happens to files that another recorded call, which ran at the same time, may have changed instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedChanges {
    /// They are left out and named, unless the request covers the other call as well.
    LeaveOut,
    /// They are undone: a person is asked about them.
    Include,
}

/// A request to bring one file back to a state in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restore {
    /// The file's absolute path.
    pub file: PathBuf,
    /// The operation, by its id, or by an ending or a beginning of it.
    pub operation: String,
    /// Whether the file is restored as it was before or after the operation.
    pub moment: OperationSide,
    /// Whether the change is only shown.
    pub dry_run: bool,
    /// The handle that stops the request; without one it ends after the usual time limit.
    pub cancel: Option<Cancel>,
}

impl Restore {
    /// Makes a request for one file: its absolute path, the beginning of an operation's id, and before or after that
    /// operation.
    pub fn new(
        file: impl Into<PathBuf>,
        operation: impl Into<String>,
        moment: OperationSide,
    ) -> Self {
        Self {
            file: file.into(),
            operation: operation.into(),
            moment,
            dry_run: false,
            cancel: None,
        }
    }

    /// Makes the request a dry run: the patch is shown and nothing is written.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
}

/// A request to undo one hunk: of the changes of a file that are to be reviewed (`lancet::review`), or of one
/// operation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HunkUndoRequest {
    /// The file's absolute path.
    pub file: PathBuf,
    /// The id of the newest operation that was shown.
    pub operation: String,
    /// The revision that the hunk was shown against; none if there was no file.
    pub before: Option<[u8; 32]>,
    /// The hunk.
    pub hunk: HunkLines,
    /// The difference that the hunk is part of.
    pub part_of: HunkSource,
    /// Whether the change is only shown.
    pub dry_run: bool,
}

/// The difference that a hunk is part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HunkSource {
    /// The difference between the last review and what the operation left.
    #[default]
    Review,
    /// What the operation itself did to the file.
    Operation,
}

impl HunkUndoRequest {
    /// Makes a request for one hunk of a file, as it was shown.
    pub fn new(
        file: impl Into<PathBuf>,
        operation: impl Into<String>,
        before: Option<[u8; 32]>,
        hunk: HunkLines,
    ) -> Self {
        Self {
            file: file.into(),
            operation: operation.into(),
            before,
            hunk,
            part_of: HunkSource::Review,
            dry_run: false,
        }
    }

    /// Makes the hunk one of the operation's own change.
    #[must_use]
    pub fn for_operation(mut self) -> Self {
        self.part_of = HunkSource::Operation;
        self
    }

    /// Makes the request a dry run: the patch is shown and nothing is written.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
}

/// A hunk of a difference, named by its lines as in the head of a unified diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HunkLines {
    /// The number of the first old line, and how many there are.
    pub old: (usize, usize),
    /// The number of the first new line, and how many there are.
    pub new: (usize, usize),
}

impl HunkLines {
    /// Returns the name of a hunk.
    pub fn from_hunk(hunk: &Hunk) -> Self {
        Self {
            old: (hunk.old_start, hunk.old_lines),
            new: (hunk.new_start, hunk.new_lines),
        }
    }
}

impl fmt::Display for HunkLines {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((old, olds), (new, news)) = (self.old, self.new);
        write!(out, "{old},{olds},{new},{news}")
    }
}

impl FromStr for HunkLines {
    type Err = InvalidHunk;

    fn from_str(text: &str) -> Result<Self, InvalidHunk> {
        let numbers: Result<Vec<usize>, _> = text.split(',').map(str::parse).collect();
        match numbers.as_deref() {
            Ok(&[old, olds, new, news]) => Ok(Self {
                old: (old, olds),
                new: (new, news),
            }),
            _ => Err(InvalidHunk),
        }
    }
}

/// The text does not name a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hunk is named by four numbers with commas between them")]
pub struct InvalidHunk;

/// The state before or after an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationSide {
    /// The state before the operation.
    Before,
    /// The state that the operation left.
    After,
}
