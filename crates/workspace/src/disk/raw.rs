//! System calls made through `libc`: leases, early write-back, sleeps without timer slack. The only file of this crate
//! with `unsafe`; each call passes an open handle and plain numbers, and no pointer.

use std::io;
use std::os::fd::BorrowedFd;

use super::Lease;

#[cfg(any(target_os = "linux", target_os = "android"))]
#[allow(unsafe_code, reason = "no call here takes a pointer")]
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

    pub(super) fn set_lease(file: BorrowedFd<'_>, kind: libc::c_int) -> io::Result<()> {
        fcntl(file, libc::F_SETLEASE, kind).map(|_| ())
    }

    pub(super) fn get_lease(file: BorrowedFd<'_>) -> io::Result<libc::c_int> {
        fcntl(file, libc::F_GETLEASE, 0)
    }

    pub(super) fn begin_sync(file: BorrowedFd<'_>, offset: i64, length: i64) {
        let flags = libc::SYNC_FILE_RANGE_WRITE;
        // SAFETY: the handle is open for as long as it is borrowed; the rest are numbers. A hint may fail.
        let _ = unsafe { libc::sync_file_range(file.as_raw_fd(), offset, length, flags) };
    }

    /// Returns the timer slack of this thread in nanoseconds; 0, which means the default when it is set,
    /// where it cannot be read.
    pub(super) fn timer_slack() -> libc::c_ulong {
        // SAFETY: reads a number of the calling thread.
        let found = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK, 0, 0, 0, 0) };
        libc::c_ulong::try_from(found).unwrap_or(0)
    }

    pub(super) fn set_slack(nanoseconds: libc::c_ulong) {
        // SAFETY: sets a number of the calling thread; that may fail, and the sleep is longer then.
        let _ = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0) };
    }

    /// `F_SETSIG`, which the `libc` crate does not define; the number is the same on every Linux target of Rust.
    const SET_SIGNAL: libc::c_int = 10;

    /// Selects the signal that the kernel sends to the holder at a lease break. SIGIO, the default, would end the
    /// process; SIGURG is ignored unless the host handles it, and a spurious one does no harm.
    pub(super) fn use_harmless_signal(file: BorrowedFd<'_>) -> io::Result<()> {
        fcntl(file, SET_SIGNAL, libc::SIGURG).map(|_| ())
    }
}

/// While this value lives, timers of its thread end at most a nanosecond late; dropping it restores the timer slack.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) struct NoTimerSlack {
    slack: libc::c_ulong,
}

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn without_timer_slack() -> NoTimerSlack {
    let slack = calls::timer_slack();
    calls::set_slack(1);
    NoTimerSlack { slack }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
impl Drop for NoTimerSlack {
    fn drop(&mut self) {
        calls::set_slack(self.slack);
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn without_timer_slack() {}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn lease_number(lease: Lease) -> libc::c_int {
    match lease {
        Lease::Read => libc::F_RDLCK,
        Lease::Write => libc::F_WRLCK,
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn take_lease(file: BorrowedFd<'_>, lease: Lease) -> io::Result<()> {
    calls::use_harmless_signal(file)?;
    calls::set_lease(file, lease_number(lease))
}

/// Returns whether the lease is still held and no program waits for it: the kernel reports another kind once a break
/// has begun.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn lease_is_unbroken(file: BorrowedFd<'_>, lease: Lease) -> io::Result<bool> {
    Ok(calls::get_lease(file)? == lease_number(lease))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn drop_lease(file: BorrowedFd<'_>) -> io::Result<()> {
    calls::set_lease(file, libc::F_UNLCK)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn begin_sync(file: BorrowedFd<'_>, offset: u64, length: u64) {
    if let (Ok(offset), Ok(length)) = (i64::try_from(offset), i64::try_from(length)) {
        calls::begin_sync(file, offset, length);
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn begin_sync(_: BorrowedFd<'_>, _: u64, _: u64) {}

/// Other systems have no leases. Untested.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn take_lease(_: BorrowedFd<'_>, _: Lease) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn lease_is_unbroken(_: BorrowedFd<'_>, _: Lease) -> io::Result<bool> {
    Ok(false)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn drop_lease(_: BorrowedFd<'_>) -> io::Result<()> {
    Ok(())
}
