//! What a search looked at and what it left out, by reason. Each entry is counted once, a folder not entered as one.

use std::ops::AddAssign;

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
