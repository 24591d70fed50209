//! What the history sums up to.

use std::path::PathBuf;

/// Which operations count.
#[derive(Clone, Debug, Default)]
pub struct StatisticsQuery {
    /// Only operations all of whose files are below one of these folders.
    pub below: Vec<PathBuf>,
    /// Only those of this session.
    pub session: Option<String>,
    /// Only those since this time, in milliseconds since 1970. Refusals are counted by the hour.
    pub since: Option<i64>,
}

/// Operations and lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many operations.
    pub operations: u64,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

/// Sums by name, the largest first.
pub type Sums = Vec<(String, Sum)>;

/// The sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Of everything.
    pub total: Sum,
    /// By file.
    pub files: Vec<(PathBuf, Sum)>,
    /// By tool.
    pub tools: Sums,
    /// By session.
    pub sessions: Sums,
    /// By client; those that gave no name are left out.
    pub clients: Sums,
    /// How often each rung was used.
    pub rungs: Vec<(String, u64)>,
    /// Refusals by name, counted for all folders.
    pub refusals: Vec<(String, u64)>,
}
