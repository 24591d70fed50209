//! Totals over the history.

use std::path::PathBuf;

/// A filter on the operations that are counted. Fields are added with new versions: end a literal with
/// `..StatisticsQuery::default()`.
#[derive(Clone, Debug, Default)]
pub struct StatisticsQuery {
    /// Only files that are, or were before they were moved, below one of these folders; other files of the same
    /// operations are not counted.
    pub below: Vec<PathBuf>,
    /// Only this file, or the files below this folder; other files of the same operations are not counted. Refusals are
    /// recorded without a file, so there are none then.
    pub path: Option<PathBuf>,
    /// Only operations of this session.
    pub session: Option<String>,
    /// Only operations that this client program made, and the refusals of its sessions.
    pub client: Option<String>,
    /// Only operations since this time, in milliseconds since 1970. Refusals are counted by the hour.
    pub since: Option<i64>,
    /// Roots to exclude: operations on files recorded with one of them are not counted, since they are other folders
    /// that had the same path.
    pub without: Vec<[u8; 32]>,
    /// Files whose lines are not counted.
    pub without_lines: Vec<PathBuf>,
}

/// The number of operations and of changed lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// The number of operations.
    pub operations: u64,
    /// The number of lines added.
    pub added: u64,
    /// The number of lines removed.
    pub removed: u64,
}

/// Totals by name, the largest first.
pub type TotalsByName = Vec<(String, Totals)>;

/// The totals of the history, in several groupings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The totals of all operations.
    pub total: Totals,
    /// The totals of each file.
    pub files: Vec<(PathBuf, Totals)>,
    /// The totals of each tool.
    pub tools: TotalsByName,
    /// The totals of each session.
    pub sessions: TotalsByName,
    /// The totals of each client; clients that gave no name are left out.
    pub clients: TotalsByName,
    /// The number of times that each matching method (rung of the match ladder) was used.
    pub rungs: Vec<(String, u64)>,
    /// The number of refusals of each name. Refusals that an older version of lancet counted have no folder, and are
    /// only part of the totals of all folders.
    pub refusals: Vec<(String, u64)>,
}
