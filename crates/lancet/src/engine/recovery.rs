//! Recovery after earlier processes, and displaced files of this process that may still be written to. This is plain
//! data that lives as long as the engine; the stages `heal`, `late` and `set_aside` act on it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use lancet_local_state::{SetAsideDatabase, UnsealedFile};

/// The recovery work of one engine. Each part that runs once has a cell that is set when the part has run.
#[derive(Debug, Default)]
pub(crate) struct PendingRecovery {
    /// Set when commits that were interrupted have been completed or rolled back on the files.
    pub(crate) recovered: OnceLock<()>,
    /// Set when operations that were unfinished in the history have been settled.
    pub(crate) settled: OnceLock<()>,
    /// Displaced files that may still be written to.
    pub(crate) late: LateWrites,
    /// The damaged databases that were set aside and reported to the observers.
    pub(crate) set_aside: ReportedDatabases,
}

/// Displaced files that another process may still have open, and the notices about what was written to them.
#[derive(Debug, Default)]
pub(crate) struct LateWrites(Mutex<OpenFiles>);

/// The content of [`LateWrites`], under its lock.
#[derive(Debug, Default)]
pub(crate) struct OpenFiles {
    /// Displaced files that are not sealed yet. They are checked again with later calls.
    pub(crate) unsealed: Vec<UnsealedFile>,
    /// Notices that did not fit into any answer yet.
    pub(crate) notices: Vec<LateNotice>,
}

/// A notice for the answer of a later call.
#[derive(Debug)]
pub(crate) struct LateNotice {
    /// The session that the notice is for; none where the next call of any session gets it.
    pub(crate) session: Option<String>,
    pub(crate) words: String,
    /// The displaced file whose row in the history is dropped once the notice has been given.
    pub(crate) row: Option<PathBuf>,
}

impl LateWrites {
    /// Locks the files and notices.
    pub(crate) fn lock(&self) -> MutexGuard<'_, OpenFiles> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts how many of the damaged databases that the store has set aside were reported to one listener.
#[derive(Debug, Default)]
pub(crate) struct ReportedDatabases(AtomicUsize);

impl ReportedDatabases {
    /// Copies the state of another listener, for a session that is forked from it.
    pub(crate) fn copied_from(other: &ReportedDatabases) -> ReportedDatabases {
        ReportedDatabases(AtomicUsize::new(other.0.load(Ordering::Relaxed)))
    }

    /// Returns whether some of the databases were not reported to the listener yet.
    pub(crate) fn has_unreported(&self, all: &[SetAsideDatabase]) -> bool {
        all.len() > self.0.load(Ordering::Relaxed)
    }

    /// Returns the databases that were not reported to the listener yet. From now on all count as reported.
    pub(crate) fn take_unreported(&self, all: Vec<SetAsideDatabase>) -> Vec<SetAsideDatabase> {
        let told = self.0.fetch_max(all.len(), Ordering::Relaxed);
        all.into_iter().skip(told).collect()
    }
}
