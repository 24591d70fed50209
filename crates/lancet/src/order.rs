//! Serialises the calls of this process that write the same file: each call holds the file's turn from its first read
//! until it is recorded, so that the next call sees what it wrote. Across processes the workspace's lock does the same.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::call::Cancel;

/// How often a waiting call checks whether it was cancelled.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The files that calls of this process hold at the moment.
#[derive(Default)]
pub(crate) struct WriteTurns {
    turns: Arc<LockedFiles>,
}

#[derive(Default)]
struct LockedFiles {
    /// By their bytes: a path is hashed component by component, which takes five times as long.
    taken: Mutex<HashSet<OsString>>,
    freed: Condvar,
}

/// The right to write some files; it ends when the value is dropped.
pub(crate) struct Turn {
    turns: Arc<LockedFiles>,
    files: Vec<OsString>,
}

impl WriteTurns {
    /// Waits until no other call holds one of these files, then holds them all; `None` where the call is cancelled or
    /// times out before. All files are taken at once, so no two calls can wait for each other.
    pub(crate) fn take<'p>(
        &self,
        files: impl IntoIterator<Item = &'p Path>,
        cancel: &Cancel,
    ) -> Option<Turn> {
        let mut files: Vec<OsString> = files.into_iter().map(OsString::from).collect();
        files.sort();
        files.dedup();
        let mut taken = self
            .turns
            .taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        while files.iter().any(|file| taken.contains(file)) {
            if cancel.stopped().is_some() {
                return None;
            }
            let waited = self.turns.freed.wait_timeout(taken, CANCEL_CHECK_INTERVAL);
            taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        taken.extend(files.iter().cloned());
        Some(Turn {
            turns: Arc::clone(&self.turns),
            files,
        })
    }

    /// Returns whether a call holds this file at the moment.
    pub(crate) fn is_held(&self, file: &Path) -> bool {
        let taken = self
            .turns
            .taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        taken.contains(file.as_os_str())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut taken = self
            .turns
            .taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for file in &self.files {
            taken.remove(file);
        }
        self.turns.freed.notify_all();
    }
}
