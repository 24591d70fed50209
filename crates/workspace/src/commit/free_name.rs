//! Gives a file a name that must be free, by the safest means that the file system offers. Where the flags of a rename
//! may be ignored, that is a hard link: it is the only call that was never seen to replace a file on any file system.

use std::ffi::OsStr;
use std::io;
use std::os::fd::BorrowedFd;

use super::outcome::WriteWarning;
use super::retry::retry_once;
use super::scratch::{is_unsupported, temporary_name};
use crate::disk::{Disk, ReplaceMode};
use crate::mounts::RenameTrust;

/// How safely a file got a name that had to be free.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RenameSafety {
    /// By a system call that never replaces a file.
    NeverReplaces,
    /// By a check and a rename, where the file system offers nothing better; a file created in between is replaced.
    CheckedFirst,
}

impl RenameSafety {
    pub(super) fn warnings(self) -> Vec<WriteWarning> {
        match self {
            RenameSafety::NeverReplaces => Vec::new(),
            RenameSafety::CheckedFirst => vec![WriteWarning::Unprotected],
        }
    }
}

/// Renames to a name that must be free.
pub(crate) fn rename_to_free_name(
    disk: &dyn Disk,
    trust: RenameTrust,
    folder: BorrowedFd<'_>,
    from: &OsStr,
    to: &OsStr,
) -> io::Result<RenameSafety> {
    if trust == RenameTrust::Exact {
        match disk.rename_at(folder, from, to, ReplaceMode::Never) {
            Ok(()) => return Ok(RenameSafety::NeverReplaces),
            Err(error) if !is_unsupported(&error) => return Err(error),
            Err(_) => {}
        }
    }
    match disk.link_at(folder, from, folder, to) {
        Ok(()) => {
            // If this fails the file has two names; recovery removes the temporary one.
            let _ = retry_once(|| disk.remove_at(folder, from));
            return Ok(RenameSafety::NeverReplaces);
        }
        Err(error) if !is_link_unsupported(&error) => return Err(error),
        Err(_) => {}
    }
    match disk.stat_at(folder, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
    }
    if trust == RenameTrust::Doubtful {
        // The flag may be ignored, so it is not relied on; if it is respected, it closes the gap after the check.
        match disk.rename_at(folder, from, to, ReplaceMode::Never) {
            Ok(()) => return Ok(RenameSafety::CheckedFirst),
            Err(error) if !is_unsupported(&error) => return Err(error),
            Err(_) => {}
        }
    }
    disk.rename_at(folder, from, to, ReplaceMode::Over)?;
    Ok(RenameSafety::CheckedFirst)
}

/// Moves a file to a free name in another folder. Where the flags of a rename may be ignored, the file first gets a
/// temporary name, where no other program touches it: with a link alone there would be a moment in which another
/// program's new file at the old name is removed.
pub(crate) fn move_to_free_name(
    disk: &dyn Disk,
    trust: RenameTrust,
    (folder, name): (BorrowedFd<'_>, &OsStr),
    (to_folder, to): (BorrowedFd<'_>, &OsStr),
) -> io::Result<()> {
    if trust == RenameTrust::Exact {
        return disk.move_at(folder, name, to_folder, to);
    }
    let aside = temporary_name();
    disk.rename_at(folder, name, &aside, ReplaceMode::Over)?;
    let moved = match disk.link_at(folder, &aside, to_folder, to) {
        Ok(()) => {
            let _ = retry_once(|| disk.remove_at(folder, &aside));
            return Ok(());
        }
        Err(error) if is_link_unsupported(&error) => disk.move_at(folder, &aside, to_folder, to),
        Err(error) => Err(error),
    };
    if moved.is_err() {
        let back = || rename_to_free_name(disk, trust, folder, &aside, name);
        let _ = retry_once(|| back().map(|_| ()));
    }
    moved
}

/// Returns whether a link failed because the file system has none.
pub(super) fn is_link_unsupported(error: &io::Error) -> bool {
    is_unsupported(error) || error.kind() == io::ErrorKind::PermissionDenied
}
