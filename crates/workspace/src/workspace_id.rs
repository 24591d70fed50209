//! Identifies a root folder, so that a different folder at the same path (in another container, or recreated) is not
//! mistaken for it.
//!
//! The id is the BLAKE3 hash of path, inode and birth time. On FUSE, where inodes change, the birth time alone counts;
//! in a container's own file system (overlayfs), the inode and the container.

use std::fmt;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::disk::Disk;
use crate::revision::hex_digits;
use crate::stamp::Moment;

/// The properties of a folder, besides its path, that its file system reports. They must stay the same as long as the
/// folder exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FolderOrigin {
    /// The inode number; none if the file system assigns another one at each mount.
    pub inode: Option<u64>,
    /// The time at which the folder was created; none if the file system does not record it.
    pub born: Option<Moment>,
}

/// Identifies a root: BLAKE3 of its path, inode number and birth time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkspaceId([u8; 32]);

impl WorkspaceId {
    pub(crate) fn from_open_folder(
        disk: &dyn Disk,
        path: &Path,
        folder: BorrowedFd<'_>,
    ) -> WorkspaceId {
        WorkspaceId::from_origin(path, &disk.folder_origin(folder, path))
    }

    fn from_origin(path: &Path, origin: &FolderOrigin) -> WorkspaceId {
        let mut hasher = blake3::Hasher::new_derive_key("lancet workspace");
        let bytes = path.as_os_str().as_bytes();
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
        hasher.update(&[u8::from(origin.inode.is_some())]);
        hasher.update(&origin.inode.unwrap_or_default().to_le_bytes());
        if let Some((seconds, nanoseconds)) = origin.born {
            hasher.update(&seconds.to_le_bytes());
            hasher.update(&nanoseconds.to_le_bytes());
        }
        WorkspaceId(*hasher.finalize().as_bytes())
    }

    /// Returns the id of the folder that is at this path now; none if there is no folder.
    ///
    /// # Errors
    /// The folder cannot be opened for another reason than that it is missing.
    pub fn id_at_path(disk: &dyn Disk, path: &Path) -> io::Result<Option<WorkspaceId>> {
        match disk.open_folder(path) {
            Ok(folder) => Ok(Some(WorkspaceId::from_open_folder(
                disk,
                path,
                folder.as_fd(),
            ))),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// Returns the id that an open folder had while it was at another path; none if its file system distinguishes
    /// folders only by their path.
    pub(crate) fn from_former_path(
        disk: &dyn Disk,
        (path, folder): (&Path, BorrowedFd<'_>),
        former: &Path,
    ) -> Option<WorkspaceId> {
        let origin = disk.folder_origin(folder, path);
        let is_told_apart = origin.inode.is_some() && origin.born.is_some();
        is_told_apart.then(|| WorkspaceId::from_origin(former, &origin))
    }

    /// Returns all 32 bytes, for storage.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the first 16 hexadecimal digits, the form that people and programs see.
    pub fn short_hex(&self) -> String {
        hex_digits(&self.0[..8])
    }
}

impl From<[u8; 32]> for WorkspaceId {
    fn from(bytes: [u8; 32]) -> WorkspaceId {
        WorkspaceId(bytes)
    }
}

impl fmt::Debug for WorkspaceId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "WorkspaceId({})", self.short_hex())
    }
}
