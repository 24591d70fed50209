//! Replaces a file if two names cannot be exchanged: the old file is renamed away and verified, and the new one is
//! linked to the name, which must still be free. Nothing is lost, but the name is missing for some microseconds.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use super::applied::{Applied, Rollback};
use super::exchange::keep;
use super::free_name::{RenameSafety, rename_to_free_name};
use super::lease::CheckedFile;
use super::retry::twice;
use super::scratch::{Scratch, is_unknown};
use super::stage::Replacement;
use super::swap::{self, applied, freshen, verify_and_adopt};
use super::{CommitFailure, Guarantee, Write};
use crate::disk::{Disk, Replace};
use crate::mounts::RenameTrust;

/// How long restoring the old file's name is tried if another machine stores it, and with which pauses.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);
/// How long a link alone is tried.
const LINK_PATIENCE: Duration = Duration::from_millis(200);

pub(super) fn move_aside(
    scratch: &mut Scratch<'_>,
    write: &Write<'_>,
    replacement: Replacement,
    mut old_file: CheckedFile,
) -> Result<Applied, CommitFailure> {
    let disk = scratch.disk();
    freshen(disk, write, &replacement, &old_file)?;
    let temporary = &replacement.temporary;
    let name = &write.located.name;
    let folder = write.located.folder();
    let old = aside_name(&temporary.name);
    disk.rename_at(folder, name, &old, Replace::Over)
        .map_err(|error| swap::refused("move aside", error))?;
    if let Err(failure) = verify_and_adopt(scratch, write, temporary, &old, &mut old_file) {
        return Err(put_back(scratch, write, &old, failure));
    }
    let trust = scratch.rename_trust(folder);
    let given = match rename_to_free_name(disk, trust, folder, &temporary.name, name) {
        Ok(given) => given,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // Another program created the file while the name was missing: that file stays. The old one is stored; it
            // contains what was checked.
            keep(scratch, write, &old);
            return Err(CommitFailure::Changed);
        }
        Err(source) => {
            let failure = CommitFailure::Io {
                step: "link",
                source,
            };
            return Err(put_back(scratch, write, &old, failure));
        }
    };
    scratch.release(&temporary.name);
    let guarantee = match given {
        RenameSafety::NeverReplaces => Guarantee::Aside,
        RenameSafety::CheckedFirst => Guarantee::Weak,
    };
    let (stamp, warnings) = (old_file.stamp, given.warnings());
    let rollback = |_| Rollback::Aside { old, old_file };
    Ok(applied(
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
pub(super) fn put_back(
    scratch: &Scratch<'_>,
    write: &Write<'_>,
    old: &OsStr,
    failure: CommitFailure,
) -> CommitFailure {
    let folder = write.located.folder();
    let name = &write.located.name;
    let trust = scratch.rename_trust(folder);
    let back = || rename_to_free_name(scratch.disk(), trust, folder, old, name).map(|_| ());
    let given = match trust {
        RenameTrust::Exact => twice(back),
        RenameTrust::Doubtful => patiently(scratch.disk(), folder, old, name, back),
    };
    match given {
        Ok(()) => failure,
        Err(_) => CommitFailure::Conflict(vec![keep(scratch, write, old)]),
    }
}

/// Retries for a while an operation that must not fail: a network file system may not find a file that it has just
/// renamed, until it has learned of every change that other machines made to the name. A link needs the file itself.
/// After a few pauses the file is renamed, for which its name is enough, if a new listing of the folder shows that the
/// other name is free.
fn patiently(
    disk: &dyn Disk,
    folder: BorrowedFd<'_>,
    old: &OsStr,
    name: &OsStr,
    mut link: impl FnMut() -> io::Result<()>,
) -> io::Result<()> {
    let mut waited = Duration::ZERO;
    loop {
        match link() {
            Err(error) if is_passing(&error) && waited < PATIENCE => {
                let is_tried = waited >= LINK_PATIENCE;
                if is_tried && rename_where_free(disk, folder, old, name).is_ok() {
                    return Ok(());
                }
                disk.pause(PAUSE);
                waited += PAUSE;
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
    match disk.rename_at(folder, old, name, Replace::Never) {
        Err(error) if is_unknown(&error) => disk.rename_at(folder, old, name, Replace::Over),
        done => done,
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::StaleNetworkFileHandle | io::ErrorKind::WouldBlock
    )
}
