//! Whether a settings file is being written at the moment: a half-written file is not what its writer means.

use std::io;
use std::os::fd::BorrowedFd;

use lancet_workspace::{Disk as _, Lease, RealDisk};

/// Whether a process has this file open for writing. The kernel tells only the file's owner and root; for others the
/// answer is no.
pub fn has_writer(file: BorrowedFd<'_>) -> bool {
    match RealDisk.take_lease(file, Lease::Read) {
        Ok(()) => {
            let _ = RealDisk.drop_lease(file);
            false
        }
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    }
}
