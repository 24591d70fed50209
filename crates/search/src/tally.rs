//! Counts of what a search visited and what it left out, by reason. Each entry is counted once; a folder that is not
//! entered counts as one.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicU64, Ordering};

/// The counts of one search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Files that passed every rule: listed, or searched.
    pub searched: u64,
    /// Entries that an ignore file left out.
    pub ignored: u64,
    /// Entries that were left out because their name begins with a dot.
    pub hidden: u64,
    /// Entries that the [`Gate`](crate::Gate) denied.
    pub denied: u64,
    /// Files that are not text.
    pub binary: u64,
    /// Files that were searched up to a NUL byte far inside.
    pub cut: u64,
    /// Files that were too large, or had a line too large, to be searched.
    pub too_large: u64,
    /// Files and folders that the system would not open.
    pub unreadable: u64,
    /// Symbolic links, which a walk does not follow.
    pub links: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.searched += other.searched;
        self.ignored += other.ignored;
        self.hidden += other.hidden;
        self.denied += other.denied;
        self.binary += other.binary;
        self.cut += other.cut;
        self.too_large += other.too_large;
        self.unreadable += other.unreadable;
        self.links += other.links;
    }
}

/// The progress of a running search, for a thread that waits for it.
#[derive(Debug, Default)]
pub struct SearchProgress {
    visited: AtomicU64,
    found: AtomicU64,
}

impl SearchProgress {
    /// Returns the number of files visited so far.
    pub fn visited_count(&self) -> u64 {
        self.visited.load(Ordering::Relaxed)
    }

    /// Returns the number of files found so far that belong to the result.
    pub fn found_count(&self) -> u64 {
        self.found.load(Ordering::Relaxed)
    }

    pub(crate) fn count_visited(&self) {
        self.visited.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_found(&self) {
        self.found.fetch_add(1, Ordering::Relaxed);
    }
}
