//! Detects that a settings file is being written at the moment: a half-written file is not what its writer intends.

use std::io;
use std::os::fd::BorrowedFd;

use lancet_workspace::{Disk as _, Lease, RealDisk};

/// Returns whether a process has this file open for writing. The kernel reveals this only to the file's owner and root;
/// for others the answer is false.
pub fn is_open_for_writing(file: BorrowedFd<'_>) -> bool {
    match RealDisk.take_lease(file, Lease::Read) {
        Ok(()) => {
            let _ = RealDisk.drop_lease(file);
            false
        }
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    }
}
