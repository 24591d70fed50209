//! What file systems turned out not to know, remembered by device so that each is asked once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a file system may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// Exchanging two names.
    Exchange,
    /// Files without a name.
    Unnamed,
}

#[derive(Debug, Default)]
pub(crate) struct Mounts(Mutex<HashMap<u64, Vec<Lack>>>);

impl Mounts {
    pub(crate) fn lacks(&self, device: u64, what: Lack) -> bool {
        self.table()
            .get(&device)
            .is_some_and(|lacking| lacking.contains(&what))
    }

    pub(crate) fn note(&self, device: u64, what: Lack) {
        let mut table = self.table();
        let lacking = table.entry(device).or_default();
        if !lacking.contains(&what) {
            lacking.push(what);
        }
    }

    fn table(&self) -> MutexGuard<'_, HashMap<u64, Vec<Lack>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
