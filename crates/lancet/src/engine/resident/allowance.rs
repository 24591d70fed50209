//! The part of the memory and watches, shared by all of the user's processes, that the trees of this process may use.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use lancet_search::{MemoryBudget, WatchAllowance};
use lancet_workspace::watch_limit;

/// The memory and watches that trees may use.
#[derive(Clone)]
pub(super) struct Allowance {
    /// The memory setting that it was opened with.
    memory: u64,
    pub(super) budget: MemoryBudget,
    pub(super) watches: WatchAllowance,
}

/// The allowance of an engine, opened when the first tree needs it.
pub(super) struct SharedAllowance {
    /// The folder through which processes share. Without one, the process has its own allowance.
    state: Option<PathBuf>,
    opened: Mutex<Option<Allowance>>,
}

impl SharedAllowance {
    pub(super) fn new(state: Option<PathBuf>) -> Self {
        SharedAllowance {
            state,
            opened: Mutex::default(),
        }
    }

    /// Returns the allowance, and reopens it where the settings give another amount of memory.
    pub(super) fn for_memory(&self, memory: u64) -> Allowance {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened.as_ref().filter(|known| known.memory == memory) {
            return known.clone();
        }
        let limit = watch_limit();
        let (budget, watches) = match &self.state {
            Some(state) => (
                MemoryBudget::open(state, memory),
                WatchAllowance::open(state, limit),
            ),
            None => (
                MemoryBudget::for_process(memory),
                WatchAllowance::for_process(limit),
            ),
        };
        let allowance = Allowance {
            memory,
            budget,
            watches,
        };
        opened.insert(allowance).clone()
    }
}
