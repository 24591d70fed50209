//! Flushes new content before it takes a name. A program or another machine may confirm a flush and report only when a
//! file is closed that it could not store the bytes: disk full, a quota, a lost connection. So a copy of the handle is
//! closed there, while nothing has been replaced yet.

use std::io;
use std::os::fd::BorrowedFd;

use super::outcome::CommitFailure;
use crate::disk::Disk;
use crate::mounts::{RenameTrust, rename_trust};

/// Flushes a written file, and fails with the file system's error.
pub(super) fn flush_file(disk: &dyn Disk, file: BorrowedFd<'_>) -> Result<(), CommitFailure> {
    disk.sync(file).map_err(CommitFailure::at_step("flush"))?;
    close_if_uncertain(disk, file).map_err(CommitFailure::at_step("close"))
}

/// Closes a copy of the handle if a program or another machine stores the file. The kernel's own file systems report
/// every error when they flush.
pub(super) fn close_if_uncertain(disk: &dyn Disk, file: BorrowedFd<'_>) -> io::Result<()> {
    match rename_trust(disk, file) {
        RenameTrust::Exact => Ok(()),
        RenameTrust::Doubtful => disk.close_copy(file),
    }
}
