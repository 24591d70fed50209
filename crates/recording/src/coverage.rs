//! Which files are looked at.

use std::path::Path;

use lancet_search::{Excludes, Gate};

/// Which files below a root are looked at, and how large one may be whose bytes are kept.
///
/// Looked at are all files that no ignore file leaves out, hidden ones too; files that git tracks although they are ignored;
/// and small ignored files directly in a folder that is not ignored. Never what is in a `.git`, and never what the gate denies.
pub struct Coverage<'c> {
    /// git's global excludes file, if it is to apply.
    pub excludes: Option<&'c Excludes>,
    /// Decides which entries may be looked at at all.
    pub gate: &'c dyn Gate,
    /// Entries that are left out, though nothing ignores them; the path is relative to the root.
    pub leaves_out: &'c (dyn Fn(&Path) -> bool + Sync),
    /// Entries that are looked at, though they are ignored; the path is relative to the root.
    pub takes_in: &'c (dyn Fn(&Path) -> bool + Sync),
    /// Of larger files the stat is kept, and no bytes.
    pub largest_file: u64,
}
