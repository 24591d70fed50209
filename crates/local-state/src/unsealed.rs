//! Displaced files that a late writer may still have open. The record remains until no process has the file open.

use std::path::PathBuf;

/// A displaced file in the state folder that another program may still write into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsealedFile {
    /// The path in the state folder, which is the key of the record.
    pub file: PathBuf,
    /// The path that the file had before it was displaced.
    pub path: PathBuf,
    /// The hash of its bytes when it was displaced or last checked.
    pub revision: [u8; 32],
    /// The number of those bytes.
    pub size: u64,
    /// File type and permission bits (`st_mode`).
    pub mode: u32,
    /// The session whose change displaced the file.
    pub session: String,
    /// The operation that displaced the file.
    pub operation: String,
    /// The operation that records a late write, if there was one that the session has not been informed of yet.
    pub late: Option<String>,
}
