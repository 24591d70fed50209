//! Replaces a file if two names cannot be exchanged: the old file is renamed away and verified, and the new one is
//! linked to the name, which must still be free. Nothing is lost, but the name is missing for some microseconds.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use super::applied::{AppliedWrite, RollbackData};
use super::exchange::preserve_version;
use super::free_name::{RenameSafety, rename_to_free_name};
use super::lease::CheckedFile;
use super::retry::retry_once;
use super::scratch::{Scratch, is_unsupported};
use super::stage::StagedReplacement;
use super::swap::{self, applied_replacement, update_metadata, verify_and_adopt};
use super::{CommitFailure, FileWrite, WriteGuarantee};
use crate::disk::{Disk, ReplaceMode};
use crate::mounts::RenameTrust;

/// How long restoring the old file's name is tried if another machine stores it, and with which pauses.
const RESTORE_PATIENCE: Duration = Duration::from_secs(5);
const RETRY_PAUSE: Duration = Duration::from_millis(20);
/// How long a link alone is tried.
const LINK_PATIENCE: Duration = Duration::from_millis(200);

pub(super) fn move_aside(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    replacement: StagedReplacement,
    mut old_file: CheckedFile,
) -> Result<AppliedWrite, CommitFailure> {
    let disk = scratch.disk();
    update_metadata(disk, write, &replacement, &old_file)?;
    let temporary = &replacement.temporary;
    let name = &write.located.name;
    let folder = write.located.folder();
    let old = aside_name(&temporary.name);
    disk.rename_at(folder, name, &old, ReplaceMode::Over)
        .map_err(|error| swap::rename_failure("move aside", error))?;
    if let Err(failure) = verify_and_adopt(scratch, write, temporary, &old, &mut old_file) {
        return Err(restore_old_name(scratch, write, &old, failure));
    }
    let trust = scratch.rename_trust(folder);
    let given = match rename_to_free_name(disk, trust, folder, &temporary.name, name) {
        Ok(given) => given,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // Another program created the file while the name was missing: that file stays. The old one is stored; it
            // contains what was checked.
            preserve_version(scratch, write, &old);
            return Err(CommitFailure::Changed);
        }
        Err(source) => {
            let failure = CommitFailure::Io {
                step: "link",
                source,
            };
            return Err(restore_old_name(scratch, write, &old, failure));
        }
    };
    scratch.release_name(&temporary.name);
    let guarantee = match given {
        RenameSafety::NeverReplaces => WriteGuarantee::Aside,
        RenameSafety::CheckedFirst => WriteGuarantee::Weak,
    };
    let (stamp, warnings) = (old_file.stamp, given.warnings());
    let rollback = |_| RollbackData::Aside { old, old_file };
    Ok(applied_replacement(
        disk,
        write,
        replacement,
        &stamp,
        guarantee,
        warnings,
        rollback,
    ))
}

/// Returns the name that the old file is renamed to, derived from the temporary name of the new one.
pub(crate) fn aside_name(temporary: &OsStr) -> OsString {
    let mut name = temporary.to_owned();
    name.push(".old");
    name
}

/// Renames the old file back, or stores it if the name has been taken.
pub(super) fn restore_old_name(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
    old: &OsStr,
    failure: CommitFailure,
) -> CommitFailure {
    let folder = write.located.folder();
    let name = &write.located.name;
    let trust = scratch.rename_trust(folder);
    let back = || rename_to_free_name(scratch.disk(), trust, folder, old, name).map(|_| ());
    let given = match trust {
        RenameTrust::Exact => retry_once(back),
        RenameTrust::Doubtful => retry_for_a_while(scratch.disk(), folder, old, name, back),
    };
    match given {
        Ok(()) => failure,
        Err(_) => CommitFailure::Conflict(vec![preserve_version(scratch, write, old)]),
    }
}

/// Retries for a while an operation that must not fail: a network file system may not find a file that it has just
/// renamed, until it has learned of every change that other machines made to the name. A link needs the file itself.
/// After a few pauses the file is renamed, for which its name is enough, if a new listing of the folder shows that the
/// other name is free.
fn retry_for_a_while(
    disk: &dyn Disk,
    folder: BorrowedFd<'_>,
    old: &OsStr,
    name: &OsStr,
    mut link: impl FnMut() -> io::Result<()>,
) -> io::Result<()> {
    let mut waited = Duration::ZERO;
    loop {
        match link() {
            Err(error) if is_transient(&error) && waited < RESTORE_PATIENCE => {
                let is_tried = waited >= LINK_PATIENCE;
                if is_tried && rename_where_free(disk, folder, old, name).is_ok() {
                    return Ok(());
                }
                disk.sleep(RETRY_PAUSE);
                waited += RETRY_PAUSE;
            }
            done => return done,
        }
    }
}

fn rename_where_free(
    disk: &dyn Disk,
    folder: BorrowedFd<'_>,
    old: &OsStr,
    name: &OsStr,
) -> io::Result<()> {
    let is_listed = disk.list_inodes(folder)?.iter().any(|(one, _)| one == name);
    if is_listed || disk.stat_at(folder, name).is_ok() {
        return Err(io::ErrorKind::NotFound.into());
    }
    match disk.rename_at(folder, old, name, ReplaceMode::Never) {
        Err(error) if is_unsupported(&error) => {
            disk.rename_at(folder, old, name, ReplaceMode::Over)
        }
        done => done,
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::StaleNetworkFileHandle | io::ErrorKind::WouldBlock
    )
}
