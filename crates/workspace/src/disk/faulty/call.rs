//! A call that a test sees before it is made, and how long a fault of it lasts.

use std::ffi::OsStr;

/// One call that is about to be made.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Counted from 1.
    pub number: u64,
    /// The method's name; of a rename `rename_at`, `rename_at_if_free` or `exchange_at`.
    pub method: &'static str,
    /// The name it is about, where it is about a name.
    pub name: Option<&'a OsStr>,
}

/// How long a fault lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// That call alone fails.
    Once,
    /// That call and all after it fail.
    FromThereOn,
}
