//! Checks a file past the kernel's cache, if a program or another machine stores it: a name may have been answered from
//! the cache, and so may the bytes behind it.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use super::FileWrite;
use super::check::has_expected_content;
use super::scratch::Scratch;
use crate::disk::{Disk, OpenMode};
use crate::mounts::RenameTrust;
use crate::revision::Revision;
use crate::scan::{KnownContent, has_content};

/// Makes the kernel look up a temporary name of ours again. Only for such a name: if it is free, a folder has it for a
/// moment, which would disturb another program if the name were the user's. Creating a folder under the name is a call
/// that the kernel does not answer from its cache for a FUSE mount. The call is expected to fail, because the name
/// exists.
pub(super) fn force_lookup(
    disk: &dyn Disk,
    folder: BorrowedFd<'_>,
    name: &OsStr,
) -> io::Result<()> {
    match disk.make_folder_at(folder, name) {
        Ok(()) => {
            // The file is not there, whatever the kernel's cache contains.
            if disk.remove_folder_at(folder, name).is_err() {
                let _ = disk.remove_folder_at(folder, name);
            }
            Err(io::ErrorKind::NotFound.into())
        }
        // Any other error reveals nothing about the name, which is checked next.
        Err(_) => Ok(()),
    }
}

/// Makes the kernel look a name up again if its cache may be out of date.
pub(super) fn force_lookup_if_uncertain(
    scratch: &Scratch<'_>,
    folder: BorrowedFd<'_>,
    name: &OsStr,
) -> io::Result<()> {
    match scratch.rename_trust(folder) {
        RenameTrust::Exact => Ok(()),
        RenameTrust::Doubtful => force_lookup(scratch.disk(), folder, name),
    }
}

/// Returns whether a file, opened again, has the content that the change was computed from.
pub(super) fn reopen_and_compare_expected(
    disk: &dyn Disk,
    write: &FileWrite<'_>,
    folder: BorrowedFd<'_>,
    name: &OsStr,
) -> io::Result<bool> {
    reopen_and_read(disk, folder, name, |file, size| {
        has_expected_content(write, file, size)
    })
}

/// Returns whether a file, opened again, has the content of this revision.
pub(super) fn reopen_and_compare_revision(
    disk: &dyn Disk,
    folder: BorrowedFd<'_>,
    name: &OsStr,
    revision: Revision,
) -> io::Result<bool> {
    reopen_and_read(disk, folder, name, |file, size| {
        let known = KnownContent::Revision(revision);
        has_content(disk, file.as_fd(), size, known)
    })
}

/// Reads past the cache if that is possible.
fn reopen_and_read(
    disk: &dyn Disk,
    folder: BorrowedFd<'_>,
    name: &OsStr,
    read: impl Fn(&OwnedFd, u64) -> io::Result<bool>,
) -> io::Result<bool> {
    let open_and_read = |mode| {
        let file = disk.open_at(folder, name, mode)?;
        let stamp = disk.stat(file.as_fd())?;
        Ok::<_, io::Error>(stamp.is_file() && read(&file, stamp.size)?)
    };
    match open_and_read(OpenMode::Uncached) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => open_and_read(OpenMode::Read),
        other => other,
    }
}
