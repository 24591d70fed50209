//! Is what is there still what the change was computed from, and may it be written? Decided by content; for a large
//! file the stamp may stand for it.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use super::{Barrier, Expected, Failure, NewBytes, Write};
use crate::disk::Open;
use crate::snapshot::{Known, ReadError, holds};
use crate::stamp::Stamp;

/// Up to this length the bytes are compared whatever the stamp says: a store through a mapping changes no stamp, and
/// reading so little costs less than one flush.
const ALWAYS_COMPARED: u64 = 1 << 20;

/// What stands at the name.
#[derive(Debug)]
pub(super) enum Current {
    Absent,
    File { handle: OwnedFd, stamp: Stamp },
}

pub(super) fn check(write: &Write<'_>) -> Result<Current, Failure> {
    let located = write.located;
    let Expected::Content { stamp: seen, .. } = &write.expected else {
        if !located.missing_folders.is_empty() {
            return Ok(Current::Absent);
        }
        return match located.disk.stat_at(located.folder(), &located.name) {
            Ok(_) => Err(Failure::Exists),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Current::Absent),
            Err(source) => Err(Failure::Io {
                step: "look",
                source,
            }),
        };
    };
    let (handle, stamp) = located.open_file(Open::Read).map_err(not_there)?;
    if stamp.size != seen.size {
        return Err(Failure::Changed);
    }
    let proven = stamp.same_file_state(seen) && !seen.racy() && stamp.size > ALWAYS_COMPARED;
    // A streamed write reads and compares all of it anyway.
    let streamed = matches!(write.new, NewBytes::Streamed { .. });
    if !proven && !streamed && !holds_expected(write, &handle, stamp.size)? {
        return Err(Failure::Changed);
    }
    if stamp.permissions() & 0o222 == 0 {
        return Err(Failure::ReadOnly(Barrier::File));
    }
    match located
        .disk
        .check_writable_at(located.folder(), &located.name)
    {
        Ok(()) => Ok(Current::File { handle, stamp }),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(Failure::ReadOnly(Barrier::File))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Failure::Changed),
        Err(source) => Err(Failure::Io {
            step: "permission",
            source,
        }),
    }
}

/// The last look before the swap: the file that was checked, in the state in which it was checked.
pub(super) fn look_again(write: &Write<'_>, checked: &Stamp) -> Result<(), Failure> {
    let located = write.located;
    let now = match located.disk.stat_at(located.folder(), &located.name) {
        Ok(now) => now,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Failure::Changed),
        Err(source) => {
            return Err(Failure::Io {
                step: "last look",
                source,
            });
        }
    };
    if now.same_file_state(checked) {
        return Ok(());
    }
    // Touched, or replaced by a copy: fine as long as bytes, mode and owner are those that were staged for.
    let same_outside = now.mode == checked.mode && now.uid == checked.uid && now.gid == checked.gid;
    if !same_outside || now.size != checked.size || now.links != checked.links {
        return Err(Failure::Changed);
    }
    let (handle, stamp) = located.open_file(Open::Read).map_err(not_there)?;
    if stamp.same_file_state(&now) && holds_expected(write, &handle, stamp.size)? {
        Ok(())
    } else {
        Err(Failure::Changed)
    }
}

fn holds_expected(write: &Write<'_>, handle: &OwnedFd, size: u64) -> Result<bool, Failure> {
    let Expected::Content {
        revision, bytes, ..
    } = &write.expected
    else {
        return Ok(false);
    };
    let known = match bytes {
        Some(bytes) => Known::Bytes(bytes),
        None => Known::Revision(*revision),
    };
    holds(&*write.located.disk, handle.as_fd(), size, known).map_err(Failure::at("read"))
}

fn not_there(error: ReadError) -> Failure {
    match error {
        ReadError::Io(source) => Failure::Io {
            step: "open",
            source,
        },
        _ => Failure::Changed,
    }
}
