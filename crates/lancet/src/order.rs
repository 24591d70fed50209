//! Puts the calls of this process that write one file in order: each holds the file's turn from its first look to
//! its record, so that the second sees what the first wrote. Across processes the workspace's lock does the same.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Who has the turn for which file.
#[derive(Default)]
pub(crate) struct Order {
    turns: Arc<Turns>,
}

#[derive(Default)]
struct Turns {
    taken: Mutex<HashMap<PathBuf, ()>>,
    freed: Condvar,
}

/// The turn for some files, until it is dropped.
pub(crate) struct Turn {
    turns: Arc<Turns>,
    files: Vec<PathBuf>,
}

impl Order {
    /// Waits until none of these files is held, then holds them all. All or none are taken at once, so no two calls
    /// can wait for each other.
    pub(crate) fn take<'p>(&self, files: impl IntoIterator<Item = &'p Path>) -> Turn {
        let mut files: Vec<PathBuf> = files.into_iter().map(Path::to_path_buf).collect();
        files.sort();
        files.dedup();
        let mut taken = self
            .turns
            .taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        while files.iter().any(|file| taken.contains_key(file)) {
            taken = self
                .turns
                .freed
                .wait(taken)
                .unwrap_or_else(PoisonError::into_inner);
        }
        for file in &files {
            taken.insert(file.clone(), ());
        }
        Turn {
            turns: Arc::clone(&self.turns),
            files,
        }
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
