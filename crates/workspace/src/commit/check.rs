//! The early check: whether the file still has the expected content and may be written. It refuses before anything is
//! staged; the comparison under the lease decides.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use super::{CommitFailure, Expected, NewBytes, ReadOnlyReason, Write};
use crate::disk::OpenMode;
use crate::revision::Revision;
use crate::scan::{KnownContent, holds};
use crate::snapshot::ReadError;
use crate::stamp::Stamp;

/// The file at the name, opened.
#[derive(Debug)]
pub(super) enum Current {
    Absent,
    File { handle: OwnedFd, stamp: Stamp },
    Link(Stamp),
}

pub(super) fn check(write: &Write<'_>) -> Result<Current, CommitFailure> {
    let located = write.located;
    if let Expected::Link { .. } = &write.expected {
        return match write.new {
            NewBytes::MovedTo(_) => compare_link(write).map(Current::Link),
            _ => Err(CommitFailure::Changed),
        };
    }
    let Expected::Content { stamp: seen, .. } = &write.expected else {
        if !located.missing_folders.is_empty() {
            return Ok(Current::Absent);
        }
        return match located.disk.stat_at(located.folder(), &located.name) {
            Ok(_) => Err(CommitFailure::Exists),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Current::Absent),
            Err(source) => Err(CommitFailure::Io {
                step: "look",
                source,
            }),
        };
    };
    let (handle, stamp) = located.open_file(OpenMode::Read).map_err(not_there)?;
    if stamp.size != seen.size {
        return Err(CommitFailure::Changed);
    }
    // If the stamp differs, compare the bytes now; if it does not, they are compared under the lease. A streamed
    // write reads the whole file anyway.
    let streamed = matches!(write.new, NewBytes::Streamed { .. });
    if !stamp.same_file_state(seen)
        && !streamed
        && !holds_expected(write, &handle, stamp.size).map_err(CommitFailure::at("read"))?
    {
        return Err(CommitFailure::Changed);
    }
    if stamp.permissions() & 0o222 == 0 {
        return Err(CommitFailure::ReadOnly(ReadOnlyReason::File));
    }
    match located
        .disk
        .check_writable_at(located.folder(), &located.name)
    {
        Ok(()) => Ok(Current::File { handle, stamp }),
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

/// Returns the stamp of the link at the name; fails if it is not the expected link.
pub(super) fn compare_link(write: &Write<'_>) -> Result<Stamp, CommitFailure> {
    let located = write.located;
    let disk = &*located.disk;
    let Expected::Link { target, .. } = &write.expected else {
        return Err(CommitFailure::Changed);
    };
    let failed = |source: io::Error| match source.kind() {
        // Reading the target of something that is not a link fails with an invalid argument.
        io::ErrorKind::NotFound | io::ErrorKind::InvalidInput => CommitFailure::Changed,
        _ => CommitFailure::Io {
            step: "look",
            source,
        },
    };
    let stamp = disk
        .stat_at(located.folder(), &located.name)
        .map_err(failed)?;
    let found = disk
        .read_link_at(located.folder(), &located.name)
        .map_err(failed)?;
    if stamp.is_link() && found == *target {
        Ok(stamp)
    } else {
        Err(CommitFailure::Changed)
    }
}

/// Returns whether an open file has the content that the change was computed from.
pub(super) fn holds_expected(write: &Write<'_>, handle: &OwnedFd, size: u64) -> io::Result<bool> {
    let Expected::Content {
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
    holds(&*write.located.disk, handle.as_fd(), size, known)
}

pub(super) fn not_there(error: ReadError) -> CommitFailure {
    match error {
        ReadError::Io(source) => CommitFailure::Io {
            step: "open",
            source,
        },
        _ => CommitFailure::Changed,
    }
}

/// Fails if a streamed write has read other bytes than expected.
pub(super) fn check_base(write: &Write<'_>, base: Option<Revision>) -> Result<(), CommitFailure> {
    match (&write.expected, base) {
        (Expected::Content { revision, .. }, Some(base)) if *revision != base => {
            Err(CommitFailure::Changed)
        }
        _ => Ok(()),
    }
}
