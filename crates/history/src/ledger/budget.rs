//! The limits within which a ledger holds entries and contents.

/// The limits of what a ledger holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerBudget {
    /// The number of files whose content is held in memory.
    pub contents: usize,
    /// The bytes of content held in memory, over all files.
    pub content_bytes: u64,
    /// The number of files known by hash and ranges.
    pub entries: usize,
    /// The number of files that count as recently written.
    pub written: usize,
}

impl Default for LedgerBudget {
    fn default() -> Self {
        Self {
            contents: 100,
            content_bytes: 25 << 20,
            entries: 10_000,
            written: 100,
        }
    }
}
