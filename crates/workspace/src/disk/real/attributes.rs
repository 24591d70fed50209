//! Permission bits, modification time and extended attributes (ACLs included), copied from the old file to the new
//! one; and the immutable flag.

use std::ffi::OsStr;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt as _;

use rustix::buffer::spare_capacity;
use rustix::fs;
use rustix::io::Errno;

use crate::disk::{AttributesCopied, FileSystemHost};
use crate::stamp::Moment;

/// Converts permission bits to the system's type.
pub(super) fn permission_bits(mode: u32) -> fs::Mode {
    // `RawMode` is 16 bits wide on some systems; permission bits fit everywhere.
    fs::Mode::from_raw_mode((mode & 0o7777) as fs::RawMode)
}

/// Returns whether a file is immutable (`chattr +i`).
#[cfg(target_os = "linux")]
pub(super) fn is_immutable(file: BorrowedFd<'_>) -> bool {
    let found = fs::statx(file, "", fs::AtFlags::EMPTY_PATH, fs::StatxFlags::empty());
    found.is_ok_and(|found| {
        let attributes = found.stx_attributes;
        attributes.contains(fs::StatxAttributes::IMMUTABLE)
    })
}

/// Not known on this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_immutable(_file: BorrowedFd<'_>) -> bool {
    false
}

/// Sets the modification time and leaves the access time. Many file systems in user space ignore a modification time
/// that is set alone, and report success; for those the current access time is passed as well.
pub(super) fn set_modified(file: BorrowedFd<'_>, (seconds, nanoseconds): Moment) -> io::Result<()> {
    let is_exact =
        super::host::file_system_host(file).is_ok_and(FileSystemHost::respects_rename_flags);
    let accessed = match is_exact {
        true => fs::Timespec {
            tv_sec: 0,
            tv_nsec: fs::UTIME_OMIT as _,
        },
        false => {
            let found = fs::fstat(file)?;
            fs::Timespec {
                tv_sec: found.st_atime,
                tv_nsec: found.st_atime_nsec as _,
            }
        }
    };
    let modified = fs::Timespec {
        tv_sec: seconds,
        tv_nsec: nanoseconds.into(),
    };
    Ok(fs::futimens(
        file,
        &fs::Timestamps {
            last_access: accessed,
            last_modification: modified,
        },
    )?)
}

/// Returns whether a file has attributes besides the label of the security system.
pub(super) fn has_attributes(file: BorrowedFd<'_>) -> bool {
    let names = attribute_names(file).unwrap_or_default();
    let mut names = names.split(|&byte| byte == 0);
    names.any(|name| {
        let is_label = name.starts_with(b"security.") && name != b"security.capability";
        !name.is_empty() && !is_label
    })
}

/// Returns the names of all attributes of a file, each ending in a zero byte.
fn attribute_names(file: BorrowedFd<'_>) -> Result<Vec<u8>, Errno> {
    let mut names = Vec::with_capacity(1024);
    loop {
        match fs::flistxattr(file, spare_capacity(&mut names)) {
            Ok(_) => return Ok(names),
            Err(Errno::RANGE) => names.reserve(names.capacity() * 4),
            Err(error) => return Err(error),
        }
    }
}

/// Copies every extended attribute that can be copied.
pub(super) fn copy_attributes(
    from: BorrowedFd<'_>,
    to: BorrowedFd<'_>,
) -> io::Result<AttributesCopied> {
    let names = match attribute_names(from) {
        // A file system without attributes has none to copy.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(AttributesCopied::All),
        names => names?,
    };
    let mut carried = AttributesCopied::All;
    for name in names
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
    {
        if copy_attribute(from, to, OsStr::from_bytes(name))? == AttributesCopied::NotAll {
            carried = AttributesCopied::NotAll;
        }
    }
    Ok(carried)
}

fn copy_attribute(
    from: BorrowedFd<'_>,
    to: BorrowedFd<'_>,
    name: &OsStr,
) -> io::Result<AttributesCopied> {
    let mut value = Vec::with_capacity(256);
    loop {
        match fs::fgetxattr(from, name, spare_capacity(&mut value)) {
            Ok(_) => break,
            Err(Errno::RANGE) => value.reserve(value.capacity() * 4),
            // The attribute was removed meanwhile or may not be read: nothing to copy.
            Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::ACCESS | Errno::PERM) => {
                return Ok(AttributesCopied::All);
            }
            Err(error) => return Err(error.into()),
        }
    }
    match fs::fsetxattr(to, name, &value, fs::XattrFlags::empty()) {
        // Security labels and capabilities need privileges to be set.
        Err(Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP)
            if !name.as_bytes().starts_with(b"user.") =>
        {
            Ok(AttributesCopied::NotAll)
        }
        other => Ok(other.map(|()| AttributesCopied::All)?),
    }
}
