//! Why a root cannot be watched.

/// A tree with more entries is not kept in memory.
pub(super) const MAX_ENTRIES: usize = 1_000_000;

/// Why a root cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The user has no watches left.
    #[error("the user's limit of watched folders is reached")]
    NoWatches,
    /// The root is on a file system whose changes the kernel does not report.
    #[error("the kernel does not report changes on this file system")]
    NotReported,
    /// The root has too many files.
    #[error("it has more than {MAX_ENTRIES} files")]
    TooLarge,
    /// The root is gone, or cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(std::io::Error),
}
