//! The result of checking stored contents against their hashes.

use crate::entry::Revision;

/// The result of one step of checking contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct CheckedContents {
    /// The number of contents that were checked.
    pub number: u64,
    /// The contents that are not what they should be.
    pub faults: Vec<(Revision, ContentFault)>,
    /// Where the next step goes on.
    pub upto: i64,
    /// Whether the budget ended before the work.
    pub is_unfinished: bool,
}

/// What is wrong with a stored content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContentFault {
    /// Its bytes cannot be read.
    Missing,
    /// Its bytes have another hash.
    Damaged,
}
