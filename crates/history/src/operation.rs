//! What a change is on record: who made it, which files it touched, how they were before and after. Plain values; the
//! store keeps them, and who reads or writes the files is not known here.

mod draft;
mod query;
mod statistics;
mod store;
mod unsealed;

use std::fmt;
use std::path::PathBuf;

pub use draft::{By, Content, Draft, FileDraft, State, TakenBack};
pub use query::{Found, LogQuery, Standing};
pub use statistics::{Statistics, StatisticsQuery, Sum, Sums};
pub use store::{Confirmed, Limits, OperationStore, Removed, Sealed};
pub use unsealed::Unsealed;

use crate::entry::Revision;

/// What an operation is in the order of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// A change of its own.
    Change,
    /// It takes others back.
    Undo,
    /// It takes an undo back.
    Redo,
    /// Somebody else's: what they wrote into a file that had been displaced, and so never stood under its name. Nothing
    /// to take back; its bytes can be restored.
    Late,
}

/// How far an operation came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationState {
    /// Announced; whether the files were written is not on record yet.
    Begun,
    /// Carried out.
    Done,
    /// Its process ended before it could say, and the files hold neither the old nor the new content any more.
    Unsure,
}

/// The kind of change that a call makes to one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The file is new.
    Create,
    /// The file existed and gets other content.
    #[default]
    Update,
    /// The file is removed.
    Delete,
    /// The file gets another name.
    Move,
}

/// In place of the operation that took a change back, where the file was found taken back and nothing was written.
pub const FOUND_BACK: &str = "-";

impl OperationKind {
    /// Its word in data for programs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Undo => "undo",
            Self::Redo => "redo",
            Self::Late => "late",
        }
    }

    pub(crate) fn number(self) -> i64 {
        self as i64
    }

    pub(crate) fn of(number: i64) -> Self {
        match number {
            1 => Self::Undo,
            2 => Self::Redo,
            3 => Self::Late,
            _ => Self::Change,
        }
    }
}

impl OperationState {
    /// Its word in data for programs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Done => "done",
            Self::Unsure => "unsure",
        }
    }

    pub(crate) fn number(self) -> i64 {
        self as i64
    }

    pub(crate) fn of(number: i64) -> Self {
        match number {
            0 => Self::Begun,
            2 => Self::Unsure,
            _ => Self::Done,
        }
    }
}

impl ChangeKind {
    /// Its word in data for programs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Move => "move",
        }
    }

    pub(crate) fn number(self) -> i64 {
        self as i64
    }

    pub(crate) fn of(number: i64) -> Self {
        match number {
            0 => Self::Create,
            2 => Self::Delete,
            3 => Self::Move,
            _ => Self::Update,
        }
    }
}

/// A file at one moment, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The hash of its bytes.
    pub revision: Revision,
    /// Its size in bytes.
    pub size: u64,
    /// Type and permission bits, as `stat` has them; 0 where they were not known.
    pub mode: u32,
    /// Where it points to, if it is a symbolic link.
    pub link: Option<PathBuf>,
}

/// What an operation did to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Its place in the operation, from 0.
    pub at: usize,
    /// The file, absolute.
    pub path: PathBuf,
    /// What happened.
    pub kind: ChangeKind,
    /// Of a move: the old name.
    pub moved_from: Option<PathBuf>,
    /// Before; none where there was no file.
    pub before: Option<Kept>,
    /// After; none where there is no file.
    pub after: Option<Kept>,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// Folders made for it, outermost first.
    pub folders: Vec<PathBuf>,
    /// The operation that took this back, where one has; [`FOUND_BACK`] where the file was found as it was before.
    pub undone_by: Option<String>,
}

/// An operation on record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Twelve lower-case letters and digits that sort by time, as far as the clock does.
    pub id: String,
    /// Its place in the order of recording, which counts where the clock was set back.
    pub sequence: i64,
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// What it is.
    pub kind: OperationKind,
    /// How far it came.
    pub state: OperationState,
    /// The session that made it.
    pub session: String,
    /// The client's name.
    pub client: Option<String>,
    /// The client's version.
    pub version: Option<String>,
    /// The caller's turn.
    pub turn: Option<String>,
    /// The caller's id of the call.
    pub call: Option<String>,
    /// The tool.
    pub tool: String,
    /// The rung of each edit, in order.
    pub rungs: Vec<String>,
    /// Who let it through, or by which rule.
    pub approved: Option<String>,
    /// The operations that it takes back.
    pub takes_back: Vec<String>,
    /// Its files.
    pub files: Vec<FileChange>,
}

impl Operation {
    /// Whether all of it has been taken back.
    #[must_use]
    pub fn is_undone(&self) -> bool {
        self.files.iter().all(|file| file.undone_by.is_some())
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.id)
    }
}
