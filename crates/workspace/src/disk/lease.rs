//! Leases: the three `fcntl` calls that rustix does not know. The only place of this crate that is not checked by the
//! compiler; each call passes an open handle and a plain number, and touches no memory of ours.

use std::io;
use std::os::fd::BorrowedFd;

use super::Lease;

#[cfg(any(target_os = "linux", target_os = "android"))]
#[allow(unsafe_code, reason = "fcntl takes a number or nothing here")]
mod calls {
    use std::io;
    use std::os::fd::{AsRawFd as _, BorrowedFd};

    fn fcntl(file: BorrowedFd<'_>, command: libc::c_int, argument: libc::c_int) -> io::Result<i32> {
        // SAFETY: the handle is open for as long as it is borrowed, and none of the commands below takes a pointer.
        match unsafe { libc::fcntl(file.as_raw_fd(), command, argument) } {
            -1 => Err(io::Error::last_os_error()),
            value => Ok(value),
        }
    }

    pub(super) fn set(file: BorrowedFd<'_>, kind: libc::c_int) -> io::Result<()> {
        fcntl(file, libc::F_SETLEASE, kind).map(|_| ())
    }

    pub(super) fn get(file: BorrowedFd<'_>) -> io::Result<libc::c_int> {
        fcntl(file, libc::F_GETLEASE, 0)
    }

    /// `F_SETSIG`, which the C library's binding leaves out; the same number on every system that Rust runs on.
    const SET_SIGNAL: libc::c_int = 10;

    /// Whoever wants the file makes the system send a signal. SIGIO would end the process; SIGURG is ignored unless the
    /// host handles it, and one too many does no harm.
    pub(super) fn quieten(file: BorrowedFd<'_>) -> io::Result<()> {
        fcntl(file, SET_SIGNAL, libc::SIGURG).map(|_| ())
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn number(lease: Lease) -> libc::c_int {
    match lease {
        Lease::Read => libc::F_RDLCK,
        Lease::Write => libc::F_WRLCK,
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn take(file: BorrowedFd<'_>, lease: Lease) -> io::Result<()> {
    calls::quieten(file)?;
    calls::set(file, number(lease))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn is_quiet(file: BorrowedFd<'_>, lease: Lease) -> io::Result<bool> {
    Ok(calls::get(file)? == number(lease))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn give_back(file: BorrowedFd<'_>) -> io::Result<()> {
    calls::set(file, libc::F_UNLCK)
}

/// No other system has leases. Untested.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn take(_: BorrowedFd<'_>, _: Lease) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn is_quiet(_: BorrowedFd<'_>, _: Lease) -> io::Result<bool> {
    Ok(false)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn give_back(_: BorrowedFd<'_>) -> io::Result<()> {
    Ok(())
}
