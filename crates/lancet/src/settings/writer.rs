//! Whether a settings file is in the middle of being written: what it says then is not yet what its writer means.

use std::io;
use std::os::fd::BorrowedFd;

use lancet_workspace::{Disk as _, Lease, RealDisk};

/// Whether somebody has this file open for writing just now. No, where the system does not tell: it tells the file's owner
/// and root.
pub fn has_writer(file: BorrowedFd<'_>) -> bool {
    match RealDisk.take_lease(file, Lease::Read) {
        Ok(()) => {
            let _ = RealDisk.drop_lease(file);
            false
        }
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    }
}
