//! A call as the hook of a test sees it, and how long a fault lasts.

use std::ffi::OsStr;

/// A call that is about to be made.
#[derive(Clone, Copy, Debug)]
pub struct DiskCall<'a> {
    /// The number of the call, from 1.
    pub number: u64,
    /// The name of the method; for a rename `rename_at`, `rename_at_if_free` or `exchange_at`.
    pub method: &'static str,
    /// The file name or path that the call concerns, if any.
    pub name: Option<&'a OsStr>,
}

/// How long a fault lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultDuration {
    /// That call alone fails.
    Once,
    /// That call and all after it fail.
    FromThereOn,
}
