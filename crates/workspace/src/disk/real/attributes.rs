//! Permission bits, the time of the last change, and extended attributes, ACLs among them, from the old file to the new
//! one; and the attribute that forbids a new one.

use std::ffi::OsStr;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt as _;

use rustix::buffer::spare_capacity;
use rustix::fs;
use rustix::io::Errno;

use crate::disk::AttributesCopied;
use crate::stamp::Moment;

/// Permission bits in the system's own type.
pub(super) fn permission_bits(mode: u32) -> fs::Mode {
    // `RawMode` is 16 bits wide on some systems; permission bits fit everywhere.
    fs::Mode::from_raw_mode((mode & 0o7777) as fs::RawMode)
}

/// Whether nobody may change an open file, the superuser neither.
#[cfg(target_os = "linux")]
pub(super) fn is_immutable(file: BorrowedFd<'_>) -> bool {
    let found = fs::statx(file, "", fs::AtFlags::EMPTY_PATH, fs::StatxFlags::empty());
    found.is_ok_and(|found| {
        let attributes = found.stx_attributes;
        attributes.contains(fs::StatxAttributes::IMMUTABLE)
    })
}

/// Whether nobody may change an open file: not told here.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_immutable(_file: BorrowedFd<'_>) -> bool {
    false
}

/// Sets the time of the last change and leaves that of the last reading.
pub(super) fn set_modified(file: BorrowedFd<'_>, (seconds, nanoseconds): Moment) -> io::Result<()> {
    let omit = fs::Timespec {
        tv_sec: 0,
        tv_nsec: fs::UTIME_OMIT as _,
    };
    let modified = fs::Timespec {
        tv_sec: seconds,
        tv_nsec: nanoseconds.into(),
    };
    Ok(fs::futimens(
        file,
        &fs::Timestamps {
            last_access: omit,
            last_modification: modified,
        },
    )?)
}

/// Copies every extended attribute that can be carried over.
pub(super) fn copy(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> io::Result<AttributesCopied> {
    let mut names = Vec::with_capacity(1024);
    loop {
        match fs::flistxattr(from, spare_capacity(&mut names)) {
            Ok(_) => break,
            Err(Errno::RANGE) => names.reserve(names.capacity() * 4),
            // A file system without attributes has none to copy.
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(AttributesCopied::All),
            Err(error) => return Err(error.into()),
        }
    }
    let mut carried = AttributesCopied::All;
    for name in names
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
    {
        if copy_one(from, to, OsStr::from_bytes(name))? == AttributesCopied::NotAll {
            carried = AttributesCopied::NotAll;
        }
    }
    Ok(carried)
}

fn copy_one(
    from: BorrowedFd<'_>,
    to: BorrowedFd<'_>,
    name: &OsStr,
) -> io::Result<AttributesCopied> {
    let mut value = Vec::with_capacity(256);
    loop {
        match fs::fgetxattr(from, name, spare_capacity(&mut value)) {
            Ok(_) => break,
            Err(Errno::RANGE) => value.reserve(value.capacity() * 4),
            // Removed meanwhile, or not for our eyes: nothing that could be carried over.
            Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::ACCESS | Errno::PERM) => {
                return Ok(AttributesCopied::All);
            }
            Err(error) => return Err(error.into()),
        }
    }
    match fs::fsetxattr(to, name, &value, fs::XattrFlags::empty()) {
        // Labels of the security system are its own to set, capabilities the administrator's.
        Err(Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP)
            if !name.as_bytes().starts_with(b"user.") =>
        {
            Ok(AttributesCopied::NotAll)
        }
        other => Ok(other.map(|()| AttributesCopied::All)?),
    }
}
