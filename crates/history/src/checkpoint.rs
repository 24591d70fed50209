//! Checkpoints: the state of the files below a root at moments, each kept as the difference to the one before. A recorded call
//! is an operation that another program made between two of them. The implementation in SQLite is [`Store`](crate::Store).

use crate::entry::Revision;
use crate::error::HistoryError;
use crate::operation::Draft;
use crate::recorded_call::RecordedCall;
use crate::stamp::StampRecord;
use crate::workspace::{KnownWorkspace, WorkspaceRef};

/// Why a checkpoint was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckpointKind {
    /// By hand.
    ByHand,
    /// Before another program's call.
    Before,
    /// After another program's call.
    After,
    /// At a person's prompt.
    Prompt,
}

impl CheckpointKind {
    /// Returns the word for this value in JSON output.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::ByHand => "byHand",
            Self::Before => "before",
            Self::After => "after",
            Self::Prompt => "prompt",
        }
    }

    pub(crate) fn number(self) -> i64 {
        self as i64
    }

    pub(crate) fn of(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::ByHand),
            1 => Some(Self::Before),
            2 => Some(Self::After),
            3 => Some(Self::Prompt),
            _ => None,
        }
    }
}

/// A moment at which the files below a root were looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checkpoint {
    /// The number in the order of recording.
    pub number: i64,
    /// Twelve lower-case letters and digits, like the id of an operation.
    pub id: String,
    /// The time of the look, in milliseconds since 1970.
    pub time: i64,
    /// Why it was set.
    pub kind: CheckpointKind,
    /// The name that a person gave it.
    pub name: Option<String>,
    /// The name of the session that it was set for.
    pub session: String,
    /// The [`sequence`](crate::Operation::sequence) of the newest operation by that time.
    pub sequence: i64,
    /// The root.
    pub workspace: KnownWorkspace,
    /// The number of files, links and empty folders.
    pub files: u64,
    /// Whether it was set before a call by a process that has ended. If it is the newest of its root, the end of that call is
    /// not recorded.
    pub is_left_open: bool,
}

/// What an entry of a checkpoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointEntryKind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A folder without entries.
    EmptyFolder,
}

impl CheckpointEntryKind {
    pub(crate) fn number(self) -> i64 {
        self as i64
    }

    pub(crate) fn of(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::File),
            1 => Some(Self::Link),
            2 => Some(Self::EmptyFolder),
            _ => None,
        }
    }
}

/// What says which bytes a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Nothing: the file could not be read, or is no file.
    Unknown,
    /// BLAKE3 of its bytes.
    Revision(Revision),
    /// The id of git's blob that has its bytes.
    Blob([u8; 20]),
}

/// A file, link or empty folder of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointEntry {
    /// The name relative to the root, as bytes.
    pub name: Vec<u8>,
    /// What it is.
    pub kind: CheckpointEntryKind,
    /// File type and permission bits (`st_mode`).
    pub mode: u32,
    /// The size in bytes.
    pub size: u64,
    /// What says which bytes it has.
    pub identity: Identity,
    /// The target, of a link.
    pub link: Option<Vec<u8>>,
    /// The stat that it was seen with.
    pub stamp: StampRecord,
}

/// How an entry differs from the checkpoint before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryChange {
    /// It is new, or another one than before.
    Now(CheckpointEntry),
    /// It is the same with another stat or another form of its identity.
    Touched(CheckpointEntry),
    /// Nothing of this name is there any more.
    Gone(Vec<u8>),
}

/// A checkpoint that is about to be recorded.
pub struct CheckpointDraft<'a> {
    /// The id of the new checkpoint.
    pub id: &'a str,
    /// The time of the look, in milliseconds since 1970.
    pub time: i64,
    /// Why it is set.
    pub kind: CheckpointKind,
    /// The name that a person gives it.
    pub name: Option<&'a str>,
    /// The name of the session that it is set for.
    pub session: &'a str,
    /// The root.
    pub workspace: WorkspaceRef<'a>,
    /// The number of the checkpoint that the changes are the difference to; none for the first one of a root.
    pub previous: Option<i64>,
    /// The difference.
    pub changes: &'a [EntryChange],
    /// The number of all entries.
    pub files: u64,
}

/// A filter on checkpoints; the result is newest first. Fields are added with new versions: end a literal with
/// `..CheckpointQuery::default()`.
#[derive(Clone, Debug, Default)]
pub struct CheckpointQuery {
    /// Only those of this root.
    pub workspace: Option<[u8; 32]>,
    /// Only the one with exactly this name or id.
    pub called: Option<String>,
    /// The largest number of checkpoints to return.
    pub limit: Option<usize>,
}

/// Whether a checkpoint was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum CheckpointOutcome {
    /// It was, with this number.
    Recorded(i64),
    /// Another process has recorded one of this root since: the difference has to be worked out again.
    Overtaken,
}

/// A store of checkpoints.
pub trait CheckpointStore: Send + Sync {
    /// Returns the checkpoints that match the query, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn checkpoints(&self, query: &CheckpointQuery) -> Result<Vec<Checkpoint>, HistoryError>;

    /// Returns the entries of a root at a checkpoint, by name.
    ///
    /// # Errors
    /// The store cannot be read.
    fn checkpoint_entries(
        &self,
        workspace: &[u8; 32],
        number: i64,
    ) -> Result<Vec<CheckpointEntry>, HistoryError>;

    /// Returns the entry of one name at a checkpoint.
    ///
    /// # Errors
    /// The store cannot be read.
    fn checkpoint_entry(
        &self,
        workspace: &[u8; 32],
        number: i64,
        name: &[u8],
    ) -> Result<Option<CheckpointEntry>, HistoryError>;

    /// Returns whether a content is stored.
    ///
    /// # Errors
    /// The store cannot be read.
    fn has_content(&self, revision: &Revision) -> Result<bool, HistoryError>;

    /// Stores contents ahead of the checkpoint that names them. What no checkpoint names within an hour is removed.
    ///
    /// # Errors
    /// The store cannot be written.
    fn put_contents(&self, contents: &[(Revision, &[u8])]) -> Result<(), HistoryError>;

    /// Records a checkpoint, and the operations that happened before it, in one transaction.
    ///
    /// # Errors
    /// The store cannot be written.
    fn put_checkpoint(
        &self,
        draft: &CheckpointDraft<'_>,
        operations: &[(Draft<'_>, RecordedCall)],
    ) -> Result<CheckpointOutcome, HistoryError>;
}
