//! Puts the calls of this process that write one file in order: each holds the file's turn from its first look to
//! its record, so that the second sees what the first wrote. Across processes the workspace's lock does the same.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::call::Cancel;

/// How often a call that waits looks whether it is still wanted.
const GLANCE: Duration = Duration::from_millis(50);

/// Who has the turn for which file.
#[derive(Default)]
pub(crate) struct Order {
    turns: Arc<Turns>,
}

#[derive(Default)]
struct Turns {
    taken: Mutex<HashSet<PathBuf>>,
    freed: Condvar,
}

/// The turn for some files, until it is dropped.
pub(crate) struct Turn {
    turns: Arc<Turns>,
    files: Vec<PathBuf>,
}

impl Order {
    /// Waits until none of these files is held, then holds them all; `None` where the call is to stop before that. All or
    /// none are taken at once, so no two calls can wait for each other.
    pub(crate) fn take<'p>(
        &self,
        files: impl IntoIterator<Item = &'p Path>,
        cancel: &Cancel,
    ) -> Option<Turn> {
        let mut files: Vec<PathBuf> = files.into_iter().map(Path::to_path_buf).collect();
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
            let waited = self.turns.freed.wait_timeout(taken, GLANCE);
            taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        taken.extend(files.iter().cloned());
        Some(Turn {
            turns: Arc::clone(&self.turns),
            files,
        })
    }

    /// Whether some call holds this file just now.
    pub(crate) fn is_held(&self, file: &Path) -> bool {
        let taken = self
            .turns
            .taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        taken.contains(file)
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
