//! One attempt at a change: whether its files may come from the cache, and what the attempt relied on.

/// The permitted sources of the bytes of a file that is to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// The cached copy in the session's ledger may be used if the file's stat still equals the cached one. Such a stat
    /// may be racy (taken so soon after a write that a second write could have left the same stat); the commit compares
    /// every byte.
    Cached,
    /// The bytes must be read from the disk now.
    FromDisk,
}

/// The sources that one attempt may read, and those that it relied on.
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

    /// Notes that a cached copy was used although its stat is racy.
    pub(crate) fn rely_on_racy_stat(&mut self) {
        self.relied_on_racy_stat = true;
    }

    /// Returns whether the result of the attempt must be confirmed by reading from the disk before it is reported: then
    /// the change is attempted again with [`Freshness::FromDisk`].
    pub(crate) fn needs_fresh_read(&self) -> bool {
        self.relied_on_racy_stat
    }
}
