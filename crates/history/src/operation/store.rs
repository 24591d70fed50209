//! What a store of operations does. The one in SQLite is beside the ledgers'; another one needs nothing but this.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{
    Draft, Found, LogQuery, Operation, OperationState, Statistics, StatisticsQuery, TakenBack,
    Unsealed,
};
use crate::entry::Revision;
use crate::kept::KeptContent;
use crate::store::{Saved, SetAside, StoreError};

/// Whether an announced operation could be confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// It is on record as carried out.
    Done,
    /// It is no longer announced: the database was set aside, perhaps just now, or somebody settled it.
    Missing(Saved),
}

/// Keeps operations and the contents of files before and after them. Several processes may use one store at once.
///
/// A change is put on record in two steps: [`begin`](Self::begin) before the files are touched, with everything that it
/// takes to go back, and [`finish`](Self::finish) afterwards. What a process that ended in between has left is found by
/// [`unfinished`](Self::unfinished) and settled by whoever can look at the files.
pub trait OperationStore: Send + Sync {
    /// The damaged databases that were set aside since this store was made, oldest first: also those that a work met
    /// which had no answer to tell it in.
    fn set_aside(&self) -> Vec<SetAside>;

    /// Keeps the contents and announces the operation, all or nothing.
    ///
    /// # Errors
    /// The store takes no bytes, or has an operation of this id.
    fn begin(&self, draft: &Draft<'_>) -> Result<Saved, StoreError>;

    /// The operation was carried out. The modes of the files afterwards are taken from the draft; one that is no longer
    /// announced, because the database was set aside or somebody settled it, is put on record anew.
    ///
    /// # Errors
    /// The store takes no bytes.
    fn finish(&self, draft: &Draft<'_>) -> Result<Saved, StoreError>;

    /// The operation was carried out exactly as announced, and takes nothing back: the cheap half of
    /// [`finish`](Self::finish). Not where it is no longer announced; then it has to be put on record anew.
    ///
    /// # Errors
    /// The store takes no bytes.
    fn confirm(&self, id: &str) -> Result<Confirmed, StoreError>;

    /// Takes over a file of the state folder that holds this content: as the content itself, where that is awaited, else
    /// it goes, being kept already. One whose content no operation names stays where it is.
    ///
    /// # Errors
    /// The state folder takes no bytes.
    fn adopt(&self, revision: &Revision, file: &Path) -> Result<(), StoreError>;

    /// Takes in the displaced files that processes have left in the state folder when they ended, as
    /// [`adopt`](Self::adopt) does, for at most `budget`. One that somebody may still write into is not among them.
    ///
    /// # Errors
    /// The state folder cannot be read.
    fn adopt_left(&self, budget: Duration) -> Result<(), StoreError>;

    /// Removes files with contents that no operation names and that nobody is just writing; how many bytes.
    ///
    /// # Errors
    /// The state folder cannot be read.
    fn sweep(&self) -> Result<u64, StoreError>;

    /// The operation was not carried out.
    ///
    /// # Errors
    /// The store takes no bytes.
    fn abandon(&self, id: &str) -> Result<(), StoreError>;

    /// Operations that were announced by processes that have ended. What else they were just writing is removed.
    ///
    /// # Errors
    /// The store cannot be read.
    fn unfinished(&self) -> Result<Vec<Operation>, StoreError>;

    /// Settles an operation that was left unfinished: the files at these places were written, the others were not.
    ///
    /// # Errors
    /// The store takes no bytes.
    fn settle(
        &self,
        operation: &Operation,
        state: OperationState,
        written: &[usize],
    ) -> Result<(), StoreError>;

    /// Operations, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn log(&self, query: &LogQuery) -> Result<Vec<Operation>, StoreError>;

    /// The operation whose id begins like this: of those all of whose files are below one of the folders, where there
    /// are any, else of all.
    ///
    /// # Errors
    /// The store cannot be read.
    fn find(&self, beginning: &str, below: &[PathBuf]) -> Result<Found, StoreError>;

    /// For each of these ids how many of its characters no other id begins with.
    ///
    /// # Errors
    /// The store cannot be read.
    fn shortest(&self, ids: &[&str]) -> Result<Vec<usize>, StoreError>;

    /// What an operation takes back, file by file.
    ///
    /// # Errors
    /// The store cannot be read.
    fn taken_back(&self, operation: &str) -> Result<Vec<TakenBack>, StoreError>;

    /// Notes that an operation parted the file at this place from its other names (hard links).
    ///
    /// # Errors
    /// The store takes no bytes.
    fn part(&self, operation: &str, at: usize) -> Result<(), StoreError>;

    /// The places of the files that an operation parted from their other names.
    ///
    /// # Errors
    /// The store cannot be read.
    fn parted(&self, operation: &str) -> Result<Vec<usize>, StoreError>;

    /// The bytes of a content; none where they are not kept, or no longer what their hash says.
    ///
    /// # Errors
    /// The store cannot be read.
    fn content(&self, revision: &Revision) -> Result<Option<Vec<u8>>, StoreError>;

    /// A content that is read piece by piece, for one that is too large to be held. None where it is not kept. Whether it is
    /// what its name says is for who reads it to check.
    ///
    /// # Errors
    /// The store cannot be read.
    fn open_content(&self, revision: &Revision) -> Result<Option<KeptContent>, StoreError>;

    /// Counts a refusal.
    ///
    /// # Errors
    /// The store takes no bytes.
    fn count_refusal(&self, session: &str, tool: &str, name: &str) -> Result<(), StoreError>;

    /// Sums up.
    ///
    /// # Errors
    /// The store cannot be read.
    fn statistics(&self, query: &StatisticsQuery) -> Result<Statistics, StoreError>;

    /// Marks files of operations as taken back although no operation took them back: each was found as it was before.
    ///
    /// # Errors
    /// The store takes no bytes.
    fn mark_found_back(&self, files: &[(String, usize)]) -> Result<(), StoreError>;

    /// Whether a change that is none of `except`, was recorded after the operation `after` and has not been taken back
    /// touched one of these files.
    ///
    /// # Errors
    /// The store cannot be read.
    fn is_changed_later(
        &self,
        paths: &[PathBuf],
        after: &str,
        except: &[String],
    ) -> Result<bool, StoreError>;

    /// Removes the oldest operations beyond the limits, and contents that nothing needs any more. One that is beyond the
    /// age goes only where an earlier call, a day ago at least, found it so too: a clock that was wrong once takes nothing
    /// along. The newest operation of each file stays, and all of sessions that are at work. Stops after `budget`; the rest is done next time.
    ///
    /// # Errors
    /// The store takes no bytes.
    fn prune(&self, limits: &Limits, budget: Duration) -> Result<Removed, StoreError>;

    /// What [`prune`](Self::prune) would remove. Writes nothing.
    ///
    /// # Errors
    /// The store cannot be read.
    fn forecast(&self, limits: &Limits) -> Result<Removed, StoreError>;

    /// Compresses contents that are not yet, for at most `budget`.
    ///
    /// # Errors
    /// The store takes no bytes.
    fn seal(&self, budget: Duration) -> Result<Sealed, StoreError>;

    /// Puts an old file on record that somebody may still write into, or what became of it. This process looks after it.
    ///
    /// # Errors
    /// The store takes no bytes.
    fn put_unsealed(&self, unsealed: &Unsealed) -> Result<(), StoreError>;

    /// The old files that are not sealed and that processes looked after which have ended.
    ///
    /// # Errors
    /// The store cannot be read.
    fn unsealed(&self) -> Result<Vec<Unsealed>, StoreError>;

    /// Nothing is left to be done about this old file.
    ///
    /// # Errors
    /// The store takes no bytes.
    fn drop_unsealed(&self, file: &Path) -> Result<(), StoreError>;
}

/// How much history is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes on the disk.
    pub size: u64,
    /// Age of an operation.
    pub age: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            size: 1 << 30,
            age: Duration::from_secs(30 * 24 * 60 * 60),
        }
    }
}

/// What pruning removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Removed {
    /// Operations.
    pub operations: u64,
    /// Contents.
    pub contents: u64,
    /// Their bytes on the disk.
    pub bytes: u64,
    /// Bytes that the history takes now.
    pub left: u64,
    /// Operations beyond the limits that stay for now: how sessions that have just changed something found their files.
    pub spared: u64,
    /// Operations that are too old and go at a clean-up a day from now at the earliest.
    pub waiting: u64,
    /// The budget ended before the work.
    pub unfinished: bool,
}

/// What sealing did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Sealed {
    /// Contents compressed.
    pub contents: u64,
    /// Bytes that they took before.
    pub before: u64,
    /// Bytes that they take now.
    pub after: u64,
    /// Contents that still wait.
    pub left: u64,
}
