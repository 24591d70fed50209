//! The result of checking stored contents against their hashes.

use crate::entry::Revision;

/// The result of one step of checking contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct CheckedContents {
    /// The number of contents that were checked.
    pub number: u64,
    /// The contents that are missing or damaged.
    pub faults: Vec<(Revision, ContentFault)>,
    /// The position at which the next step continues.
    pub upto: i64,
    /// Whether the budget ended before the work.
    pub is_unfinished: bool,
}

/// The fault of a stored content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContentFault {
    /// Its bytes cannot be read.
    Missing,
    /// Its bytes have another hash.
    Damaged,
}
