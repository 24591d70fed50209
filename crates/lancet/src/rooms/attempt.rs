//! One attempt of a change: where the bytes of its files may come from.

/// Where the bytes of a file that is to be changed may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// The copy in the session's ledger will do if the file's stat is still the one that belongs to it. The stat may be racy
    /// (taken so soon after a write that a second write could have left the same one); the commit compares every byte.
    Cached,
    /// Only bytes that are read now.
    FromDisk,
}

/// What one attempt reads, and on what it relied.
#[derive(Debug)]
pub(crate) struct Attempt {
    freshness: Freshness,
    relied_on_racy_stat: bool,
}

impl Attempt {
    pub(super) fn new(freshness: Freshness) -> Attempt {
        Attempt {
            freshness,
            relied_on_racy_stat: false,
        }
    }

    pub(crate) fn freshness(&self) -> Freshness {
        self.freshness
    }

    /// Notes that a cached copy was used although the stat that belongs to it is racy.
    pub(crate) fn rely_on_racy_stat(&mut self) {
        self.relied_on_racy_stat = true;
    }

    /// Whether what the attempt found out needs a read from the disk before anyone is told of it: then the change is
    /// attempted again with [`Freshness::FromDisk`].
    pub(crate) fn needs_fresh_read(&self) -> bool {
        self.relied_on_racy_stat
    }
}
