//! Old files that somebody may still write into, on record until it is certain that nobody does.

use std::path::PathBuf;

use crate::entry::Revision;

/// An old file of the state folder that is not sealed yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsealed {
    /// Where it lies; its key.
    pub file: PathBuf,
    /// The file of the user that it was.
    pub path: PathBuf,
    /// What it held when it was displaced, or when it was last looked at.
    pub revision: Revision,
    /// The size of that.
    pub size: u64,
    /// Type and permission bits.
    pub mode: u32,
    /// The session whose change displaced it.
    pub session: String,
    /// That change.
    pub operation: String,
    /// The operation that has what came late, where something did: the session has not been told of it yet.
    pub late: Option<String>,
}
