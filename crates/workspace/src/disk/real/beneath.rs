//! Opens a folder below another in one call.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

#[cfg(target_os = "linux")]
pub(super) fn open(folder: BorrowedFd<'_>, relative: &Path) -> io::Result<OwnedFd> {
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    Ok(rustix::io::retry_on_intr(|| {
        openat2(folder, relative, flags, Mode::empty(), resolve)
    })?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn open(_: BorrowedFd<'_>, _: &Path) -> io::Result<OwnedFd> {
    Err(rustix::io::Errno::NOSYS.into())
}
