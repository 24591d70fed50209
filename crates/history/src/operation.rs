//! The record of a change: who made it, which files it touched, and their state before and after. These are plain
//! values; nothing here reads or writes a file.
//!
//! Operations are listed in the order in which they were recorded, not by the clock. An operation that is too old is
//! removed only if two clean-ups a day apart agree on that.

mod checked;
mod draft;
mod query;
mod statistics;
mod store;

use std::fmt;
use std::path::PathBuf;

pub use checked::{CheckedContents, ContentFault};
pub use draft::{
    ContentDraft, DraftState, FileDraft, OperationAuthor, OperationDraft, ReversedChange,
};
pub use query::{
    CallerFilter, FilesBelow, IdMatch, LogQuery, ParentFilter, ReversalDirection, RivalState,
};
pub use statistics::{Statistics, StatisticsQuery, Totals, TotalsByName};
pub use store::{
    CompressResult, ConfirmOutcome, ContentStore, HistoryLimits, LaterState, OperationStore,
    PruneResult, RecordStore, StoreUpkeep,
};

use crate::entry::Revision;
use crate::recorded_call::RecordedCall;
use crate::workspace::KnownWorkspace;

/// Whether an operation is a change or reverses earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperationKind {
    /// The operation is a change.
    Change,
    /// The operation reverses earlier changes.
    Undo,
    /// The operation reverses an undo.
    Redo,
    /// A late write: bytes that another program wrote into a displaced file, so they were never the content of the
    /// file's name. There is nothing to undo; the bytes can be restored.
    Late,
}

/// The progress of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperationState {
    /// The operation was announced; the record does not say yet whether the files were written.
    Begun,
    /// The files were written.
    Done,
    /// The process ended before it recorded the outcome, and the files have neither the old nor the new content.
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
    /// The file gets other permission bits and keeps its content.
    Mode,
}

/// The tool name of operations that are known only by their effect, because the process that was to record them was
/// killed.
pub const UNATTRIBUTED_TOOL: &str = "unattributed";

/// The client of operations that were recorded because a person let lancet watch the files, whichever program changed
/// them.
pub const WATCHED_CLIENT: &str = "watched";

/// The value of [`FileChange::undone_by`] if no operation undid the change: the file already had its old content.
pub const ALREADY_UNDONE_MARK: &str = "-";

impl OperationKind {
    /// Returns the name of this value in JSON output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Undo => "undo",
            Self::Redo => "redo",
            Self::Late => "late",
        }
    }

    pub(crate) fn database_number(self) -> i64 {
        self as i64
    }

    /// Returns the kind with this number in the database; none for a number that only a newer version of lancet
    /// knows.
    pub(crate) fn from_number(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Change),
            1 => Some(Self::Undo),
            2 => Some(Self::Redo),
            3 => Some(Self::Late),
            _ => None,
        }
    }
}

impl OperationState {
    /// Returns the name of this value in JSON output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Done => "done",
            Self::Unsure => "unsure",
        }
    }

    pub(crate) fn database_number(self) -> i64 {
        self as i64
    }

    /// Returns the state with this number in the database; none for a number that only a newer version of lancet
    /// knows.
    pub(crate) fn from_number(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Begun),
            1 => Some(Self::Done),
            2 => Some(Self::Unsure),
            _ => None,
        }
    }
}

impl ChangeKind {
    /// Returns the name of this value in JSON output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::Mode => "mode",
        }
    }

    pub(crate) fn database_number(self) -> i64 {
        self as i64
    }

    /// Returns the kind with this number in the database; none for a number that only a newer version of lancet
    /// knows.
    pub(crate) fn from_number(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Create),
            1 => Some(Self::Update),
            2 => Some(Self::Delete),
            3 => Some(Self::Move),
            4 => Some(Self::Mode),
            _ => None,
        }
    }
}

/// The state of a file before or after an operation, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedState {
    /// The BLAKE3 hash of its bytes.
    pub revision: Revision,
    /// Its size in bytes.
    pub size: u64,
    /// File type and permission bits (`st_mode`); 0 if they were not known.
    pub mode: u32,
    /// The target, if the file is a symbolic link.
    pub link: Option<PathBuf>,
}

impl RecordedState {
    /// Returns the state of a regular file.
    #[must_use]
    pub fn from_file(revision: Revision, size: u64, mode: u32) -> Self {
        Self {
            revision,
            size,
            mode,
            link: None,
        }
    }

    /// Returns whether it is the state of an empty folder.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        const KIND: u32 = 0o170_000;
        const FOLDER: u32 = 0o040_000;
        self.mode & KIND == FOLDER
    }

    /// Returns the state of a symbolic link.
    #[must_use]
    pub fn of_link(revision: Revision, target: PathBuf, mode: u32) -> Self {
        Self {
            revision,
            size: target.as_os_str().len() as u64,
            mode,
            link: Some(target),
        }
    }
}

/// The change that an operation made to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileChange {
    /// The index of the file in the operation, from 0.
    pub at: usize,
    /// The absolute path of the file.
    pub path: PathBuf,
    /// The kind of change that was made to the file.
    pub kind: ChangeKind,
    /// The old path, if the file was renamed.
    pub moved_from: Option<PathBuf>,
    /// The state before the operation; none if the file did not exist.
    pub before: Option<RecordedState>,
    /// The state after the operation; none if the file no longer exists.
    pub after: Option<RecordedState>,
    /// The number of lines added.
    pub added: u64,
    /// The number of lines removed.
    pub removed: u64,
    /// The folders that were created for the file, outermost first.
    pub folders: Vec<PathBuf>,
    /// The operation that undid this change, if any; [`ALREADY_UNDONE_MARK`] if the file already had its old content.
    pub undone_by: Option<String>,
    /// The root that contained the file; none if an older version of lancet recorded the change.
    pub workspace: Option<KnownWorkspace>,
    /// The inode number of the file before the change, if it is known.
    pub before_inode: Option<u64>,
    /// The inode number of the file that the change left, if it is known.
    pub inode: Option<u64>,
    /// The path of the file when it was changed, if another program has moved it since.
    pub former_path: Option<PathBuf>,
}

/// A recorded change of one file or several.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Operation {
    /// Twelve lower-case letters and digits. Ids sort by time as long as the clock is not set back.
    pub id: String,
    /// The number of the operation in the order of recording, which does not depend on the clock.
    pub sequence: i64,
    /// The time of the change, in milliseconds since 1970.
    pub time: i64,
    /// Whether the operation is a change or reverses others.
    pub kind: OperationKind,
    /// The progress of the operation.
    pub state: OperationState,
    /// The name of the session that made the change.
    pub session: String,
    /// The name of the client program.
    pub client: Option<String>,
    /// The version of the client program.
    pub version: Option<String>,
    /// The conversation turn that the caller named.
    pub turn: Option<String>,
    /// The caller's own id of the tool call.
    pub call: Option<String>,
    /// The name of the tool that was called.
    pub tool: String,
    /// The matching method (the rung of the match ladder) that found each edit, in order.
    pub rungs: Vec<String>,
    /// The approver of the change, or the rule that allowed it.
    pub approved: Option<String>,
    /// The operation whose hook made this change, or which the recorded command was to prove.
    pub parent: Option<String>,
    /// The ids of the operations that this one reverses.
    pub takes_back: Vec<String>,
    /// The files that were changed.
    pub files: Vec<FileChange>,
    /// Details of the call, if another program made the change and lancet recorded it.
    pub recorded: Option<RecordedCall>,
}

impl Operation {
    /// Returns whether the change of every file has been undone. A call that changed no file never is.
    #[must_use]
    pub fn is_undone(&self) -> bool {
        let is_any = !self.files.is_empty();
        is_any && self.files.iter().all(|file| file.undone_by.is_some())
    }

    /// Returns whether it is known who made the change. An undo includes other changes only if they are named.
    #[must_use]
    pub fn has_known_caller(&self) -> bool {
        self.tool != UNATTRIBUTED_TOOL && self.client.as_deref() != Some(WATCHED_CLIENT)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.id)
    }
}
