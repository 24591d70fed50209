//! What a search looked at and what it left out, by reason. Each entry is counted once, a folder not entered as one.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of one search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Files that passed every rule: listed, or searched.
    pub searched: u64,
    /// Left out by an ignore file.
    pub ignored: u64,
    /// Left out because their name begins with a dot.
    pub hidden: u64,
    /// Held back by the gate.
    pub denied: u64,
    /// Files that are not text.
    pub binary: u64,
    /// Files that were searched up to a NUL byte far inside.
    pub cut: u64,
    /// Files, or lines of them, too large to be searched.
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

/// How far a search has come, for whoever waits for it. Says nothing of what it found.
#[derive(Debug, Default)]
pub struct SoFar {
    looked_at: AtomicU64,
    found: AtomicU64,
}

impl SoFar {
    /// Files that were looked at.
    pub fn looked_at(&self) -> u64 {
        self.looked_at.load(Ordering::Relaxed)
    }

    /// Files that belong to the answer.
    pub fn found(&self) -> u64 {
        self.found.load(Ordering::Relaxed)
    }

    pub(crate) fn look(&self) {
        self.looked_at.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn find(&self) {
        self.found.fetch_add(1, Ordering::Relaxed);
    }
}
