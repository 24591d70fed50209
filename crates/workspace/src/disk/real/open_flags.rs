//! The flags with which the real disk opens a name.

use std::io;

use rustix::fs::OFlags;
#[cfg(not(target_os = "linux"))]
use rustix::io::Errno;

use crate::disk::OpenMode;

/// The flag of a folder that is opened as a starting point for lookups.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) const PASSAGE: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) const PASSAGE: OFlags = OFlags::RDONLY;

/// Flags for every open: follow no link, do not block, take no controlling terminal, close on exec.
const CAREFUL: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Returns the flags of a mode, and the permission bits of a file that is created; fails if the system lacks the mode.
pub(super) fn flags_of(how: OpenMode) -> io::Result<(OFlags, u32)> {
    let (flags, mode) = match how {
        OpenMode::Folder => (OFlags::RDONLY | OFlags::DIRECTORY, 0),
        OpenMode::Passage => (PASSAGE | OFlags::DIRECTORY, 0),
        OpenMode::Read => (OFlags::RDONLY, 0),
        #[cfg(target_os = "linux")]
        OpenMode::Uncached => (OFlags::RDONLY | OFlags::DIRECT, 0),
        #[cfg(not(target_os = "linux"))]
        OpenMode::Uncached => return Err(Errno::INVAL.into()),
        #[cfg(target_os = "linux")]
        OpenMode::Link => (OFlags::PATH, 0),
        // `O_SYMLINK` of macOS. Untested.
        #[cfg(not(target_os = "linux"))]
        OpenMode::Link => (OFlags::from_bits_retain(0x0020_0000), 0),
        OpenMode::Rewrite => (OFlags::RDWR, 0),
        OpenMode::Create { mode } => (OFlags::RDWR | OFlags::CREATE | OFlags::EXCL, mode),
        #[cfg(target_os = "linux")]
        OpenMode::Unnamed { mode } => (OFlags::RDWR | OFlags::TMPFILE, mode),
        #[cfg(not(target_os = "linux"))]
        OpenMode::Unnamed { .. } => return Err(Errno::OPNOTSUPP.into()),
        OpenMode::Lock => (OFlags::RDWR | OFlags::CREATE, 0o600),
    };
    let flags = match how {
        #[cfg(not(target_os = "linux"))]
        OpenMode::Link => flags | OFlags::CLOEXEC,
        // `O_PATH` takes only these flags.
        OpenMode::Passage | OpenMode::Link => flags | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        _ => flags | CAREFUL,
    };
    Ok((flags, mode))
}
