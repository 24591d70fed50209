//! The files that a scan covers.

use std::path::Path;

use lancet_search::{Excludes, Gate};

/// The files below a root that a scan covers, and the size limit of those whose bytes are stored.
///
/// Covered are all files that no ignore file excludes, including hidden ones; ignored files that git tracks
/// nevertheless; and small ignored files directly in a folder that is not ignored. Files in a `.git` and files that
/// the gate denies are never covered.
pub struct ScanCoverage<'c> {
    /// git's global excludes file, if it is to apply.
    pub excludes: Option<&'c Excludes>,
    /// Decides which entries may be read.
    pub gate: &'c dyn Gate,
    /// Excludes entries although no ignore file does; the path is relative to the root.
    pub leaves_out: &'c (dyn Fn(&Path) -> bool + Sync),
    /// Includes entries although they are ignored; the path is relative to the root.
    pub takes_in: &'c (dyn Fn(&Path) -> bool + Sync),
    /// Decides whether an ignored folder is searched for entries to include; the path is relative to the root.
    pub may_take_in_below: &'c (dyn Fn(&Path) -> bool + Sync),
    /// The largest size of a file whose bytes are stored; of larger files only the stat is stored.
    pub largest_file: u64,
    /// The number of bytes that one checkpoint stores, apart from those of recorded changes. The bytes of further files
    /// are not stored.
    pub most_bytes: u64,
    /// Returns a number that differs between coverages that may cover different files, or read different ones.
    pub fingerprint: &'c (dyn Fn() -> [u8; 32] + Sync),
}
