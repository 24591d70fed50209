//! Closes a handle and returns the result, which dropping it does not.

use std::io;
use std::os::fd::BorrowedFd;

/// Closes a copy of a handle and returns the result. A close that a signal interrupts has closed it.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn close_copy(file: BorrowedFd<'_>) -> io::Result<()> {
    match nix::unistd::close(file.try_clone_to_owned()?) {
        Ok(()) | Err(nix::errno::Errno::EINTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Untested there.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn close_copy(file: BorrowedFd<'_>) -> io::Result<()> {
    file.try_clone_to_owned().map(drop)
}
