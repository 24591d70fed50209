//! Flushes new content before it takes a name. A program or another machine may confirm a flush and tell only when a file is
//! closed that it could not keep the bytes: no room, a quota, a lost connection. So a copy of the handle is closed there,
//! while nothing has been replaced yet.

use std::io;
use std::os::fd::BorrowedFd;

use super::outcome::CommitFailure;
use crate::disk::Disk;
use crate::mounts::{RenameTrust, rename_trust};

/// Flushes a file that was written, and fails with what the file system says about it.
pub(super) fn flush(disk: &dyn Disk, file: BorrowedFd<'_>) -> Result<(), CommitFailure> {
    disk.sync(file).map_err(CommitFailure::at("flush"))?;
    close_where_doubtful(disk, file).map_err(CommitFailure::at("close"))
}

/// Closes a copy of the handle where a program or another machine keeps the file. The kernel's own file systems report
/// everything when they flush.
pub(super) fn close_where_doubtful(disk: &dyn Disk, file: BorrowedFd<'_>) -> io::Result<()> {
    match rename_trust(disk, file) {
        RenameTrust::Exact => Ok(()),
        RenameTrust::Doubtful => disk.close_copy(file),
    }
}
