//! The early check: whether the file still has the expected content and may be written. It refuses before anything is
//! staged; the comparison under the lease decides.

use std::ffi::OsStr;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use super::lease::{CheckedFile, LeaseProtection};
use super::{CommitFailure, ExpectedState, FileWrite, NewBytes, OldFilePermission, ReadOnlyReason};
use crate::disk::{Disk, OpenMode};
use crate::revision::Revision;
use crate::scan::{KnownContent, has_content};
use crate::snapshot::ReadError;
use crate::stamp::Stamp;

/// The file at the name, opened.
#[derive(Debug)]
pub(super) enum CurrentFile {
    Absent,
    File {
        handle: OwnedFd,
        stamp: Stamp,
    },
    /// A symbolic link or an empty folder.
    WithoutBytes(Stamp),
}

pub(super) fn check_current_file(write: &FileWrite<'_>) -> Result<CurrentFile, CommitFailure> {
    let located = write.located;
    if matches!(
        write.expected,
        ExpectedState::Link { .. } | ExpectedState::EmptyFolder { .. }
    ) {
        if !can_follow_without_bytes(write) {
            return Err(CommitFailure::Changed);
        }
        return compare_without_bytes(write).map(|found| CurrentFile::WithoutBytes(found.stamp));
    }
    let ExpectedState::Content { stamp: seen, .. } = &write.expected else {
        if !located.missing_folders.is_empty() {
            return Ok(CurrentFile::Absent);
        }
        return match located.disk.stat_at(located.folder(), &located.name) {
            Ok(_) => Err(CommitFailure::Exists),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(CurrentFile::Absent),
            Err(source) => Err(CommitFailure::Io {
                step: "look",
                source,
            }),
        };
    };
    let (handle, stamp) = located.open_file(OpenMode::Read).map_err(open_failure)?;
    if stamp.size != seen.size {
        return Err(CommitFailure::Changed);
    }
    // If the stamp differs, compare the bytes now; if it does not, they are compared under the lease. A streamed
    // write reads the whole file anyway.
    let streamed = matches!(write.new, NewBytes::Streamed { .. });
    if !stamp.has_same_state(seen)
        && !streamed
        && !has_expected_content(write, &handle, stamp.size)
            .map_err(CommitFailure::at_step("read"))?
    {
        return Err(CommitFailure::Changed);
    }
    if write.options.permission == OldFilePermission::NotNeeded {
        return Ok(CurrentFile::File { handle, stamp });
    }
    if stamp.permissions() & 0o222 == 0 {
        return Err(CommitFailure::ReadOnly(ReadOnlyReason::File));
    }
    match located
        .disk
        .check_writable_at(located.folder(), &located.name)
    {
        Ok(()) => Ok(CurrentFile::File { handle, stamp }),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            let reason = match located.disk.is_immutable(handle.as_fd()) {
                true => ReadOnlyReason::Immutable,
                false => ReadOnlyReason::from_error(&error, ReadOnlyReason::File),
            };
            Err(CommitFailure::ReadOnly(reason))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(CommitFailure::Changed),
        Err(source) => Err(CommitFailure::Io {
            step: "permission",
            source,
        }),
    }
}

/// Returns whether the new content can follow a link or an empty folder: it needs none of the old bytes.
fn can_follow_without_bytes(write: &FileWrite<'_>) -> bool {
    match write.new {
        NewBytes::Nothing
        | NewBytes::Link(_)
        | NewBytes::EmptyFolder { .. }
        | NewBytes::Whole(_)
        | NewBytes::Copied { .. } => true,
        NewBytes::MovedTo(_) => matches!(write.expected, ExpectedState::Link { .. }),
        NewBytes::Spliced { .. }
        | NewBytes::Streamed { .. }
        | NewBytes::CopiedFrom { .. }
        | NewBytes::HardLink { .. } => false,
    }
}

/// Opens the link or folder at the name; fails if it is not the expected one.
pub(super) fn compare_without_bytes(write: &FileWrite<'_>) -> Result<CheckedFile, CommitFailure> {
    let located = write.located;
    match open_expected(write, &located.name) {
        Ok(found) => found.ok_or(CommitFailure::Changed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(CommitFailure::Changed),
        Err(source) => Err(CommitFailure::Io {
            step: "look",
            source,
        }),
    }
}

/// Opens the link or folder that has a name in the folder of a write; `None` if it is not what the write expects.
pub(super) fn open_expected(
    write: &FileWrite<'_>,
    name: &OsStr,
) -> io::Result<Option<CheckedFile>> {
    match &write.expected {
        ExpectedState::Link { target, .. } => open_expected_link(write, name, target),
        ExpectedState::EmptyFolder { stamp } => open_expected_folder(write, name, stamp),
        ExpectedState::Missing | ExpectedState::Content { .. } => Ok(None),
    }
}

fn open_expected_folder(
    write: &FileWrite<'_>,
    name: &OsStr,
    expected: &Stamp,
) -> io::Result<Option<CheckedFile>> {
    let (disk, folder) = (&*write.located.disk, write.located.folder());
    let handle = match disk.open_at(folder, name, OpenMode::Folder) {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(None),
        other => other?,
    };
    let stamp = disk.stat(handle.as_fd())?;
    let is_it = stamp.is_same_file(expected) && is_empty(disk, handle.as_fd())?;
    Ok(is_it.then_some(CheckedFile {
        handle,
        stamp,
        protection: LeaseProtection::Immutable,
    }))
}

/// Returns whether a folder has no entries.
pub(crate) fn is_empty(disk: &dyn Disk, folder: BorrowedFd<'_>) -> io::Result<bool> {
    let mut is_empty = true;
    disk.list(folder, &mut |_, _| {
        is_empty = false;
        ControlFlow::Break(())
    })?;
    Ok(is_empty)
}

fn open_expected_link(
    write: &FileWrite<'_>,
    name: &OsStr,
    target: &OsStr,
) -> io::Result<Option<CheckedFile>> {
    let (disk, folder) = (&*write.located.disk, write.located.folder());
    let handle = disk.open_at(folder, name, OpenMode::Link)?;
    let stamp = disk.stat(handle.as_fd())?;
    if !stamp.is_link() {
        return Ok(None);
    }
    let found = match disk.read_link_at(folder, name) {
        // Another program replaced the link by something that has no target.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Ok(None),
        other => other?,
    };
    let is_it = found == target && disk.stat_at(folder, name)?.is_same_file(&stamp);
    Ok(is_it.then_some(CheckedFile {
        handle,
        stamp,
        protection: LeaseProtection::Immutable,
    }))
}

/// Returns whether an open file has the content that the change was computed from.
pub(super) fn has_expected_content(
    write: &FileWrite<'_>,
    handle: &OwnedFd,
    size: u64,
) -> io::Result<bool> {
    let ExpectedState::Content {
        revision,
        bytes,
        stamp,
    } = &write.expected
    else {
        return Ok(false);
    };
    if size != stamp.size {
        return Ok(false);
    }
    let known = match bytes {
        Some(bytes) => KnownContent::Bytes(bytes),
        None => KnownContent::Revision(*revision),
    };
    has_content(&*write.located.disk, handle.as_fd(), size, known)
}

pub(super) fn open_failure(error: ReadError) -> CommitFailure {
    match error {
        ReadError::Io(source) => CommitFailure::Io {
            step: "open",
            source,
        },
        _ => CommitFailure::Changed,
    }
}

/// Fails if a streamed write has read other bytes than expected.
pub(super) fn check_base(
    write: &FileWrite<'_>,
    base: Option<Revision>,
) -> Result<(), CommitFailure> {
    match (&write.expected, base) {
        (ExpectedState::Content { revision, .. }, Some(base)) if *revision != base => {
            Err(CommitFailure::Changed)
        }
        _ => Ok(()),
    }
}
