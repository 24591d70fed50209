//! Identifies the file that a path leads to by device and inode, which do not change when the file is renamed.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Device and inode, which identify the file that a path leads to.
pub type Identity = (u64, u64);

/// Returns the identity of the file that a path leads to.
///
/// # Errors
/// There is no file, or its metadata may not be read.
pub fn file_identity(file: &Path) -> io::Result<Identity> {
    fs::metadata(file).map(|found| identity_from_metadata(&found))
}

/// Returns the identity of the file that this metadata belongs to.
#[must_use]
pub fn identity_from_metadata(found: &fs::Metadata) -> Identity {
    (found.dev(), found.ino())
}
