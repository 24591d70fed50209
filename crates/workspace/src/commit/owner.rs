//! Gives a new file to the user and group that it is to belong to.

use std::io;
use std::os::fd::BorrowedFd;

use super::{CommitFailure, FileWrite};
use crate::disk::Disk;

/// All permission bits.
const ALL_BITS: u32 = 0o7777;
/// Those that do not act in the name of the owner or group.
const WITHOUT_SET_ID: u32 = 0o1777;

/// Gives a new file to its user and group, where this process may, and returns the permission bits that the file may
/// have: a file that stays with this process must not act in its name.
pub(super) fn give_to_owner(
    disk: &dyn Disk,
    write: &FileWrite<'_>,
    file: BorrowedFd<'_>,
) -> Result<u32, CommitFailure> {
    let Some((uid, gid)) = write.options.owner else {
        return Ok(ALL_BITS);
    };
    let now = disk.stat(file).map_err(CommitFailure::at_step("look"))?;
    if (now.uid, now.gid) == (uid, gid) {
        return Ok(ALL_BITS);
    }
    match disk.set_owner(file, uid, gid) {
        Ok(()) => Ok(ALL_BITS),
        // Some file systems have no owners, or only some of them.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied
                    | io::ErrorKind::InvalidInput
                    | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(WITHOUT_SET_ID)
        }
        Err(source) => Err(CommitFailure::Io {
            step: "owner",
            source,
        }),
    }
}
