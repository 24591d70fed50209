//! Which file a path leads to: device and inode, which stay when the file gets another name.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Device and inode, which identify the file that a path leads to.
pub type Identity = (u64, u64);

/// The identity of the file that a path leads to.
///
/// # Errors
/// There is no file, or it may not be looked at.
pub fn identity(file: &Path) -> io::Result<Identity> {
    fs::metadata(file).map(|found| identity_of(&found))
}

/// The identity of the file that this is the metadata of.
#[must_use]
pub fn identity_of(found: &fs::Metadata) -> Identity {
    (found.dev(), found.ino())
}
