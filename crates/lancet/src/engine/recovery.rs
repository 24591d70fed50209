//! What earlier processes left behind, and what is still open of changes that this one made. Plain data that lives as long
//! as the engine; the rooms `heal`, `late` and `set_aside` act on it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use lancet_history::{SetAside, Unsealed};

/// The recovery work of one engine: each part that runs once has a cell that says it has run.
#[derive(Debug, Default)]
pub(crate) struct PendingRecovery {
    /// Commits that were interrupted half way have been finished or taken back on the files.
    pub(crate) recovered: OnceLock<()>,
    /// Operations that the history has as unfinished have been settled.
    pub(crate) settled: OnceLock<()>,
    /// Displaced files that may still be written to.
    pub(crate) late: LateWrites,
    /// The databases set aside that the observers have heard of.
    pub(crate) set_aside: Notified,
}

/// Displaced files that another process may still have open, and the notices about what was written to them.
#[derive(Debug, Default)]
pub(crate) struct LateWrites(Mutex<OpenFiles>);

/// The content of [`LateWrites`], under its lock.
#[derive(Debug, Default)]
pub(crate) struct OpenFiles {
    /// Displaced files that are not sealed yet: checked again with later calls.
    pub(crate) unsealed: Vec<Unsealed>,
    /// Notices that no answer has had room for yet.
    pub(crate) notices: Vec<LateNotice>,
}

/// A notice for the answer of a later call.
#[derive(Debug)]
pub(crate) struct LateNotice {
    /// The session that it is for; none: whichever calls next.
    pub(crate) session: Option<String>,
    pub(crate) words: String,
    /// The displaced file whose row in the history is dropped once the notice has been given.
    pub(crate) row: Option<PathBuf>,
}

impl LateWrites {
    /// The files and notices, locked.
    pub(crate) fn lock(&self) -> MutexGuard<'_, OpenFiles> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many of the damaged databases that the store has set aside a listener has been told of.
#[derive(Debug, Default)]
pub(crate) struct Notified(AtomicUsize);

impl Notified {
    /// The state of another listener, for a session that is forked from it.
    pub(crate) fn like(other: &Notified) -> Notified {
        Notified(AtomicUsize::new(other.0.load(Ordering::Relaxed)))
    }

    /// Whether the listener has not been told of all of them.
    pub(crate) fn misses_some(&self, all: &[SetAside]) -> bool {
        all.len() > self.0.load(Ordering::Relaxed)
    }

    /// Those that the listener has not been told of; from now on it counts as told.
    pub(crate) fn take_new(&self, all: Vec<SetAside>) -> Vec<SetAside> {
        let told = self.0.fetch_max(all.len(), Ordering::Relaxed);
        all.into_iter().skip(told).collect()
    }
}
