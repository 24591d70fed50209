//! Lists the entries of a folder.

use std::ffi::{CStr, OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{self, AtFlags, FileType, RawMode};

use crate::disk::EntryKind;

type Each<'e> = &'e mut dyn FnMut(&OsStr, EntryKind) -> ControlFlow<()>;

/// The buffer of one `getdents` call; most folders fit.
#[cfg(target_os = "linux")]
const LISTING_BUFFER_BYTES: usize = 1 << 15;

/// Lists through a new handle, since the given one may be shared.
pub(super) fn for_each_entry(folder: BorrowedFd<'_>, each: Each<'_>) -> io::Result<()> {
    for entry in fs::Dir::read_from(folder)? {
        let entry = entry?;
        if report_entry(folder, entry.file_name(), entry.file_type(), each).is_break() {
            break;
        }
    }
    Ok(())
}

/// Lists through the given handle.
#[cfg(target_os = "linux")]
pub(super) fn list_through_handle(folder: BorrowedFd<'_>, each: Each<'_>) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(LISTING_BUFFER_BYTES);
    let mut entries = fs::RawDir::new(folder, buffer.spare_capacity_mut());
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        if report_entry(folder, entry.file_name(), entry.file_type(), each).is_break() {
            break;
        }
    }
    Ok(())
}

/// Lists names and inode numbers through a new handle, without a lookup of any name.
pub(super) fn list_inodes(folder: BorrowedFd<'_>) -> io::Result<Vec<(OsString, u64)>> {
    let mut entries = Vec::new();
    for entry in fs::Dir::read_from(folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            entries.push((name.to_owned(), entry.ino()));
        }
    }
    Ok(entries)
}

fn report_entry(
    folder: BorrowedFd<'_>,
    name: &CStr,
    kind: FileType,
    each: Each<'_>,
) -> ControlFlow<()> {
    let name = OsStr::from_bytes(name.to_bytes());
    if name == "." || name == ".." {
        return ControlFlow::Continue(());
    }
    let kind = match kind {
        FileType::Unknown => match fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => FileType::from_raw_mode(stat.st_mode as RawMode),
            // The entry was removed since it was listed.
            Err(_) => return ControlFlow::Continue(()),
        },
        known => known,
    };
    let kind = match kind {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Special,
    };
    each(name, kind)
}
