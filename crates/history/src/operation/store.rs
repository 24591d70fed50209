//! The interface of a store of operations, in three traits: the records, the contents of files, and upkeep. The
//! implementation in SQLite is [`Store`](crate::Store).

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::checked::CheckedContents;
use super::{
    IdMatch, LogQuery, Operation, OperationDraft, OperationKind, OperationState, ReversedChange,
    RivalState, Statistics, StatisticsQuery,
};
use crate::activity::ActivityStore;
use crate::checkpoint::{CheckpointStore, DroppedObjects};
use crate::entry::Revision;
use crate::error::HistoryError;
use crate::event::EventStore;
use crate::kept::StoredContent;
use crate::mark::MarkStore;
use crate::moves::MoveStore;
use crate::program_call::ProgramCallStore;
use crate::question::QuestionStore;
use crate::review::ReviewStore;
use crate::store::SaveOutcome;
use crate::sub_agent::SubAgentStore;
use crate::workspace::KnownWorkspace;

/// Whether an announced operation could be confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfirmOutcome {
    /// The operation is recorded as carried out.
    Done,
    /// The operation is no longer announced: the database was set aside, or another process settled the operation.
    Missing(SaveOutcome),
}

/// The state that an operation found at a path before it changed the file there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaterState {
    /// The content; none if there was no file.
    pub revision: Option<Revision>,
    /// The permission bits.
    pub mode: u32,
    /// Whether the operation was carried out. An operation that was only announced has seen the state, and may have
    /// been refused since.
    pub is_finished: bool,
}

/// A store of operations and of the contents of files before and after them. Several processes may use one store at
/// once.
///
/// A change is recorded in two steps: [`begin`](RecordStore::begin) before the files are written, with everything
/// that undo needs, and [`finish`](RecordStore::finish) afterwards. [`unfinished_operations`](RecordStore::unfinished_operations) returns
/// the operations of processes that ended in between; a caller that can read the files settles them.
pub trait OperationStore:
    RecordStore
    + ContentStore
    + StoreUpkeep
    + MarkStore
    + SubAgentStore
    + MoveStore
    + QuestionStore
    + EventStore
    + ReviewStore
    + ActivityStore
    + CheckpointStore
    + ProgramCallStore
{
}

impl<S> OperationStore for S where
    S: RecordStore
        + ContentStore
        + StoreUpkeep
        + MarkStore
        + SubAgentStore
        + MoveStore
        + QuestionStore
        + EventStore
        + ReviewStore
        + ActivityStore
        + CheckpointStore
        + ProgramCallStore
        + ProgramCallStore
{
}

/// The records of operations: written in two steps, queried, and settled after a crash.
pub trait RecordStore: Send + Sync {
    /// Stores the contents and announces the operation, in one transaction.
    ///
    /// # Errors
    /// The store cannot be written, an operation with this id exists, or the user has stopped the session's writes.
    fn begin(&self, draft: &OperationDraft<'_>) -> Result<SaveOutcome, HistoryError>;

    /// Records that the operation was carried out. The modes of the files afterwards are taken from the draft. An
    /// operation that is no longer announced, because the database was set aside or another process settled it, is
    /// inserted again.
    ///
    /// # Errors
    /// The store cannot be written.
    fn finish(&self, draft: &OperationDraft<'_>) -> Result<SaveOutcome, HistoryError>;

    /// Records that the operation of this kind was carried out on all its files exactly as announced, and reverses
    /// nothing. This is cheaper than [`finish`](Self::finish). `inodes` has the inode number of each file that exists
    /// afterwards. An operation that is no longer announced is not recorded: call `finish` then.
    ///
    /// # Errors
    /// The store cannot be written.
    fn confirm(
        &self,
        id: &str,
        kind: OperationKind,
        inodes: &[Option<u64>],
    ) -> Result<ConfirmOutcome, HistoryError>;

    /// Removes an operation that was not carried out. Returns those of its folders in which no other operation has a
    /// file.
    ///
    /// # Errors
    /// The store cannot be written.
    fn remove_not_carried_out(&self, id: &str) -> Result<Vec<PathBuf>, HistoryError>;

    /// Returns the operations that were announced by processes that have ended. Removes temporary files of these
    /// processes.
    ///
    /// # Errors
    /// The store cannot be read.
    fn unfinished_operations(&self) -> Result<Vec<Operation>, HistoryError>;

    /// Returns the states that the operations after this one found at `path`, oldest first, in the workspace of its
    /// file `at`. They show how an operation ended whose process did not record it: the next operation on the file
    /// found what it left.
    ///
    /// # Errors
    /// The store cannot be read.
    fn later_states(
        &self,
        operation: &Operation,
        at: usize,
        path: &Path,
    ) -> Result<Vec<LaterState>, HistoryError>;

    /// Returns the states that other operations, not undone since, made of the state that this one found at `path`.
    /// If several operations found the same state, only one of them can have changed it, whichever was announced
    /// first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn rival_states(
        &self,
        operation: &Operation,
        at: usize,
        path: &Path,
    ) -> Result<Vec<RivalState>, HistoryError>;

    /// Settles an unfinished operation: the files at the indexes in `written` were written. Returns folders like
    /// `abandon`.
    ///
    /// # Errors
    /// The store cannot be written.
    fn settle_unfinished(
        &self,
        operation: &Operation,
        state: OperationState,
        written: &[usize],
    ) -> Result<Vec<PathBuf>, HistoryError>;

    /// Records that a folder, which an interrupted change had made, belongs to the oldest change that created a file
    /// in it.
    ///
    /// # Errors
    /// The store cannot be written.
    fn add_made_folder(&self, folder: &Path) -> Result<(), HistoryError>;

    /// Returns the operations that match the query, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn query_log(&self, query: &LogQuery) -> Result<Vec<Operation>, HistoryError>;

    /// Finds operations by the ending of their id; if there is none, by the beginning: first among those all of whose
    /// files are below one of the folders; if there is none, among all.
    ///
    /// # Errors
    /// The store cannot be read.
    fn find(&self, part: &str, below: &[PathBuf]) -> Result<IdMatch, HistoryError>;

    /// Returns the length of the shortest unique ending of each of these ids.
    ///
    /// # Errors
    /// The store cannot be read.
    fn shortest_unique_endings(&self, ids: &[&str]) -> Result<Vec<usize>, HistoryError>;

    /// Returns the file changes that an operation reverses.
    ///
    /// # Errors
    /// The store cannot be read.
    fn reversed_changes(&self, operation: &str) -> Result<Vec<ReversedChange>, HistoryError>;

    /// Marks file changes as undone although no operation undid them: the files already had their old content.
    ///
    /// # Errors
    /// The store cannot be written.
    fn mark_already_undone(&self, files: &[(String, usize)]) -> Result<(), HistoryError>;

    /// Returns the roots that files were recorded with and that are at, below or above one of these folders.
    ///
    /// # Errors
    /// The store cannot be read.
    fn recorded_workspaces(&self, folders: &[PathBuf])
    -> Result<Vec<KnownWorkspace>, HistoryError>;

    /// Returns whether one of these files was changed after the operation `after` by a change that is not in `except`
    /// and has not been undone. Changes of files that were recorded with the roots `without` do not count.
    ///
    /// # Errors
    /// The store cannot be read.
    fn has_later_changes(
        &self,
        paths: &[PathBuf],
        after: &str,
        except: &[String],
        without: &[[u8; 32]],
    ) -> Result<bool, HistoryError>;

    /// Records that an operation replaced one name of a file with several hard links, so that its other names keep
    /// the old content.
    ///
    /// # Errors
    /// The store cannot be written.
    fn record_broken_link(&self, operation: &str, at: usize) -> Result<(), HistoryError>;

    /// Returns the indexes of the files for which [`record_broken_link`](Self::record_broken_link) was called.
    ///
    /// # Errors
    /// The store cannot be read.
    fn broken_links(&self, operation: &str) -> Result<Vec<usize>, HistoryError>;

    /// Adds one to the count of refusals of this name in this folder.
    ///
    /// # Errors
    /// The store cannot be written.
    fn count_refusal(
        &self,
        session: &str,
        tool: &str,
        name: &str,
        folder: &Path,
    ) -> Result<(), HistoryError>;

    /// Returns the totals over the operations that match the query.
    ///
    /// # Errors
    /// The store cannot be read.
    fn statistics(&self, query: &StatisticsQuery) -> Result<Statistics, HistoryError>;
}

/// The contents of files before and after operations, and the displaced files that become such contents.
pub trait ContentStore: Send + Sync {
    /// Returns the bytes of a content; none if they are not stored, or no longer have this hash.
    ///
    /// # Errors
    /// The store cannot be read.
    fn content(&self, revision: &Revision) -> Result<Option<Vec<u8>>, HistoryError>;

    /// Opens a content for reading in parts, for one that is too large for memory; none if it is not stored. The hash
    /// is not verified: a caller that reads all of it can do that.
    ///
    /// # Errors
    /// The store cannot be read.
    fn open_content(&self, revision: &Revision) -> Result<Option<StoredContent>, HistoryError>;

    /// Checks that stored contents match their hashes, for at most `budget`, beginning after the content `after` (0
    /// at first).
    ///
    /// # Errors
    /// The store cannot be read.
    fn check_contents(&self, after: i64, budget: Duration)
    -> Result<CheckedContents, HistoryError>;

    /// Adds a file of the state folder that has this content to the store. If an operation announced the content as
    /// [`Displaced`](super::ContentDraft::Displaced), the file is moved into the store. If the content is stored already,
    /// the file is removed. If no operation names the content, the file stays.
    ///
    /// # Errors
    /// The state folder cannot be written.
    fn adopt_file(&self, revision: &Revision, file: &Path) -> Result<(), HistoryError>;
}

/// Upkeep: limits of size and age, compression, orphaned files.
pub trait StoreUpkeep: Send + Sync {
    /// Removes the oldest operations beyond the limits, and contents that no operation needs any more. Stops after
    /// `budget`; the next call continues.
    ///
    /// An operation beyond the age limit is removed only if a call at least a day earlier also found it too old, so
    /// that a clock that was wrong once removes nothing. The newest operation of each file stays, and so do all
    /// operations that lead back to how a session of the last hour found its files.
    ///
    /// # Errors
    /// The store cannot be written.
    fn prune(&self, limits: &HistoryLimits, budget: Duration) -> Result<PruneResult, HistoryError>;

    /// Returns what [`prune`](Self::prune) would remove, without writing anything.
    ///
    /// # Errors
    /// The store cannot be read.
    fn forecast_prune(&self, limits: &HistoryLimits) -> Result<PruneResult, HistoryError>;

    /// Compresses contents that are not compressed yet, for at most `budget`.
    ///
    /// # Errors
    /// The store cannot be written.
    fn compress(&self, budget: Duration) -> Result<CompressResult, HistoryError>;

    /// Returns what git has dropped of the objects that checkpoints may need, by root.
    ///
    /// # Errors
    /// The store cannot be read.
    fn dropped_objects(&self) -> Result<Vec<DroppedObjects>, HistoryError>;

    /// Removes what [`dropped_objects`](Self::dropped_objects) returns; returns the number of bytes.
    ///
    /// # Errors
    /// The store cannot be read.
    fn remove_dropped_objects(&self) -> Result<u64, HistoryError>;

    /// Removes content files that no operation names and that are older than an hour, so that no process is writing
    /// them; returns the number of bytes.
    ///
    /// # Errors
    /// The state folder cannot be read.
    fn remove_orphans(&self) -> Result<u64, HistoryError>;
}

/// The limits of the stored history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLimits {
    /// The largest number of bytes on the disk.
    pub size: u64,
    /// The largest number of bytes that the contents of the checkpoints of one root take, apart from those of
    /// operations. The newest checkpoint of a root is never removed.
    pub checkpoints: u64,
    /// The greatest age of an operation.
    pub age: Duration,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self {
            size: 1 << 30,
            checkpoints: 1 << 30,
            age: Duration::from_secs(30 * 24 * 60 * 60),
        }
    }
}

/// The result of pruning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct PruneResult {
    /// The number of operations removed.
    pub operations: u64,
    /// The number of contents removed.
    pub contents: u64,
    /// The bytes on the disk that the contents took.
    pub bytes: u64,
    /// The bytes that the history takes now.
    pub left: u64,
    /// The operations beyond the limits that were not removed, because a session of the last hour needs them to go
    /// back to how it found its files.
    pub spared: u64,
    /// The operations that are too old and will be removed by a call a day from now at the earliest.
    pub waiting: u64,
    /// Whether the budget ended before the work.
    pub unfinished: bool,
}

/// The result of compressing contents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct CompressResult {
    /// The number of contents compressed.
    pub contents: u64,
    /// The bytes that they took before.
    pub before: u64,
    /// The bytes that they take now.
    pub after: u64,
    /// The number of contents that are not compressed yet.
    pub left: u64,
}
