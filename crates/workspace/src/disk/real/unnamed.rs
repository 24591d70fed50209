//! Gives an unnamed file its first name.

use std::ffi::OsStr;
use std::io;
use std::os::fd::BorrowedFd;

#[cfg(target_os = "linux")]
pub(super) fn link(file: BorrowedFd<'_>, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    use rustix::fs::{self, AtFlags};
    use rustix::io::Errno;
    use std::os::fd::AsRawFd as _;
    // Link by handle, which needs a privilege before Linux 6.10 and then fails with ENOENT; otherwise through /proc.
    match fs::linkat(file, "", folder, name, AtFlags::EMPTY_PATH) {
        Err(Errno::NOENT | Errno::PERM | Errno::ACCESS) => {
            let path = format!("/proc/self/fd/{}", file.as_raw_fd());
            Ok(fs::linkat(
                fs::CWD,
                path,
                folder,
                name,
                AtFlags::SYMLINK_FOLLOW,
            )?)
        }
        other => Ok(other?),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn link(_: BorrowedFd<'_>, _: BorrowedFd<'_>, _: &OsStr) -> io::Result<()> {
    Err(rustix::io::Errno::NOSYS.into())
}
