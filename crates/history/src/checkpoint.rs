//! Checkpoints: snapshots of the files below a root, each stored as the difference to the one before. A recorded call
//! is an operation that another program made between two of them. The implementation in SQLite is
//! [`Store`](crate::Store).

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::entry::Revision;
use crate::error::HistoryError;
use crate::git_head::GitHead;
use crate::operation::OperationDraft;
use crate::recorded_call::RecordedCall;
use crate::stamp::StampRecord;
use crate::workspace::{KnownWorkspace, WorkspaceRef};

/// The reason for a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckpointKind {
    /// Explicitly by the user.
    ByHand,
    /// Before another program's call.
    Before,
    /// After another program's call.
    After,
    /// When the user sent a prompt.
    Prompt,
    /// After another program's call that removed the root itself.
    RootRemoved,
}

impl CheckpointKind {
    /// Returns the name of this value in JSON output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ByHand => "byHand",
            Self::Before => "before",
            Self::After => "after",
            Self::Prompt => "prompt",
            Self::RootRemoved => "rootRemoved",
        }
    }

    pub(crate) fn database_number(self) -> i64 {
        self as i64
    }

    pub(crate) fn from_number(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::ByHand),
            1 => Some(Self::Before),
            2 => Some(Self::After),
            3 => Some(Self::Prompt),
            4 => Some(Self::RootRemoved),
            _ => None,
        }
    }
}

/// A snapshot of the files below a root.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checkpoint {
    /// The number in the order of recording.
    pub number: i64,
    /// Twelve lower-case letters and digits, like the id of an operation.
    pub id: String,
    /// The time at which the files were examined, in milliseconds since 1970.
    pub time: i64,
    /// The reason for it.
    pub kind: CheckpointKind,
    /// The name that the user gave it.
    pub name: Option<String>,
    /// The name of the session that it was set for.
    pub session: String,
    /// The [`sequence`](crate::Operation::sequence) of the newest operation at that time.
    pub sequence: i64,
    /// The root.
    pub workspace: KnownWorkspace,
    /// The number of files, links and empty folders.
    pub files: u64,
    /// HEAD of the root's git work tree.
    pub head: Option<GitHead>,
    /// Whether it was set before a call by a process that has ended. If it is the newest of its root, the end of that
    /// call is not recorded.
    pub is_left_open: bool,
}

/// The kind of an entry of a checkpoint.
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
    pub(crate) fn database_number(self) -> i64 {
        self as i64
    }

    pub(crate) fn from_number(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::File),
            1 => Some(Self::Link),
            2 => Some(Self::EmptyFolder),
            _ => None,
        }
    }
}

/// Identifies the bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentIdentity {
    /// Not identified: the file could not be read, or the entry is not a file.
    Unknown,
    /// BLAKE3 of its bytes.
    Revision(Revision),
    /// The id of the git blob with the same bytes.
    Blob([u8; 20]),
}

/// A file, link or empty folder of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointEntry {
    /// The name relative to the root, as bytes.
    pub name: Vec<u8>,
    /// Its kind.
    pub kind: CheckpointEntryKind,
    /// File type and permission bits (`st_mode`).
    pub mode: u32,
    /// The size in bytes.
    pub size: u64,
    /// Identifies its bytes.
    pub identity: ContentIdentity,
    /// The target, of a link.
    pub link: Option<Vec<u8>>,
    /// The stat stamp of the file when it was examined.
    pub stamp: StampRecord,
}

/// The difference of an entry to the checkpoint before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryChange {
    /// It is new, or differs from before.
    Now(CheckpointEntry),
    /// Its content is the same; its stat stamp or the form of its identity differs.
    Touched(CheckpointEntry),
    /// The entry of this name no longer exists.
    Gone(Vec<u8>),
}

/// A checkpoint that is about to be recorded.
pub struct CheckpointDraft<'a> {
    /// The id of the new checkpoint.
    pub id: &'a str,
    /// The time at which the files were examined, in milliseconds since 1970.
    pub time: i64,
    /// The reason for it.
    pub kind: CheckpointKind,
    /// The name that the user gives it.
    pub name: Option<&'a str>,
    /// The name of the session that it is set for.
    pub session: &'a str,
    /// The root.
    pub workspace: WorkspaceRef<'a>,
    /// The number of the checkpoint that the changes are relative to; none for the first one of a root.
    pub previous: Option<i64>,
    /// The difference.
    pub changes: &'a [EntryChange],
    /// The number of all entries.
    pub files: u64,
    /// HEAD of the root's git work tree.
    pub head: Option<&'a GitHead>,
}

/// The content of a git blob that was copied into the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentifiedBlob {
    /// The name of the file that had it, relative to the root, as bytes.
    pub name: Vec<u8>,
    /// The id of the blob.
    pub blob: [u8; 20],
    /// BLAKE3 of its bytes.
    pub revision: Revision,
}

/// Objects that git has dropped, and that the state folder still has because checkpoints may need them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedObjects {
    /// The root.
    pub root: PathBuf,
    /// The number of packs and loose objects.
    pub objects: u64,
    /// The bytes that they take.
    pub bytes: u64,
}

/// A filter on checkpoints; the result is newest first. Fields are added with new versions: end a literal with
/// `..CheckpointQuery::default()`.
#[derive(Clone, Debug, Default)]
pub struct CheckpointQuery {
    /// Only those of this root.
    pub workspace: Option<[u8; 32]>,
    /// Only the one with exactly this name or id.
    pub called: Option<String>,
    /// Only the one with this number.
    pub number: Option<i64>,
    /// The largest number of checkpoints to return.
    pub limit: Option<usize>,
}

/// Whether a checkpoint was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum CheckpointOutcome {
    /// The checkpoint was recorded, with this number.
    Recorded(i64),
    /// Another process has recorded a checkpoint of this root meanwhile, so the difference must be computed again.
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

    /// Returns the entries of some names at a checkpoint, by name.
    ///
    /// # Errors
    /// The store cannot be read.
    fn checkpoint_entries_named(
        &self,
        workspace: &[u8; 32],
        number: i64,
        names: &BTreeSet<Vec<u8>>,
    ) -> Result<Vec<CheckpointEntry>, HistoryError>;

    /// Returns the first names below a folder at a checkpoint, at most so many. The folder is relative to the root.
    ///
    /// # Errors
    /// The store cannot be read.
    fn checkpoint_names_below(
        &self,
        workspace: &[u8; 32],
        number: i64,
        folder: &[u8],
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, HistoryError>;

    /// Returns whether a content is stored.
    ///
    /// # Errors
    /// The store cannot be read.
    fn has_content(&self, revision: &Revision) -> Result<bool, HistoryError>;

    /// Stores contents before the checkpoint that refers to them. A content that no checkpoint refers to within an
    /// hour is removed.
    ///
    /// # Errors
    /// The store cannot be written.
    fn store_contents(&self, contents: &[(Revision, &[u8])]) -> Result<(), HistoryError>;

    /// Records that contents are in the history now: the entries of these names that refer to the blobs refer to the
    /// contents instead.
    ///
    /// # Errors
    /// The store cannot be written.
    fn identify_blobs(
        &self,
        workspace: &[u8; 32],
        blobs: &[IdentifiedBlob],
    ) -> Result<(), HistoryError>;

    /// Records a checkpoint, and the operations that happened before it, in one transaction.
    ///
    /// # Errors
    /// The store cannot be written.
    fn store_checkpoint(
        &self,
        draft: &CheckpointDraft<'_>,
        operations: &[(OperationDraft<'_>, RecordedCall)],
    ) -> Result<CheckpointOutcome, HistoryError>;
}
