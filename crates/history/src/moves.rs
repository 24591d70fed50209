//! Files and roots that other programs moved: their records continue under the present names. The implementation in
//! SQLite is [`Store`](crate::Store).

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::error::HistoryError;
use crate::workspace::{KnownWorkspace, WorkspaceRef};

/// A recorded change of a file that has since been renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordRename {
    /// The operation.
    pub operation: String,
    /// The index of the file in the operation.
    pub at: usize,
    /// The path in the record.
    pub from: PathBuf,
    /// The path that the record gets.
    pub to: PathBuf,
}

/// A point in the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryPoint {
    /// The newest operation that is finished, by its [`sequence`](crate::Operation::sequence).
    pub newest: i64,
    /// The operations that are announced but not finished.
    pub begun: Vec<String>,
}

/// A path that a root had earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormerRoot {
    /// The path.
    pub root: PathBuf,
    /// The newest operation that was recorded there, by its [`sequence`](crate::Operation::sequence).
    pub newest: i64,
}

/// A store whose records can be given other names.
pub trait MoveStore: Send + Sync {
    /// Returns the present point.
    ///
    /// # Errors
    /// The store cannot be read.
    fn current_point(&self) -> Result<HistoryPoint, HistoryError>;

    /// Returns the names of the files that operations have changed or may have changed since a point in the history.
    /// For such a name, the file that has it now may not be the one in the records of that point.
    ///
    /// # Errors
    /// The store cannot be read.
    fn paths_changed_since(&self, moment: &HistoryPoint) -> Result<HashSet<PathBuf>, HistoryError>;

    /// Gives records other paths, except those of files that an operation changed since the point at which the
    /// records were read. The path at the time of the change is stored in addition.
    ///
    /// # Errors
    /// The store cannot be written.
    fn rename_records(
        &self,
        renames: &[RecordRename],
        since: &HistoryPoint,
    ) -> Result<(), HistoryError>;

    /// Reassigns all records of a root to the same folder under its present path. Returns the number of operations.
    ///
    /// # Errors
    /// The store cannot be written.
    fn move_root(&self, from: &KnownWorkspace, to: &WorkspaceRef<'_>) -> Result<u64, HistoryError>;

    /// Returns the paths that a root had earlier, latest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn former_roots(&self, id: &[u8; 32]) -> Result<Vec<FormerRoot>, HistoryError>;

    /// Returns all roots that changes were recorded with, except the one at this path.
    ///
    /// # Errors
    /// The store cannot be read.
    fn other_roots(&self, path: &Path) -> Result<Vec<KnownWorkspace>, HistoryError>;
}
