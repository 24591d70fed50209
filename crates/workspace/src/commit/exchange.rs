//! Replaces a file by exchanging names: the new file and the old one swap names, and the displaced file is verified. If
//! it is not the one that was checked, the names are swapped back. The exchange destroys nothing: every file that ever
//! had the name is still at it or under our temporary name.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::PathBuf;

use super::applied::{Applied, Rollback};
use super::free_name::rename_to_free_name;
use super::fresh_look::{holds_revision_afresh, look_up_where_doubtful};
use super::lease::{CheckedFile, Protection, take_lease};
use super::retry::twice;
use super::scratch::{Scratch, Temporary};
use super::stage::Replacement;
use super::swap::{self, applied, freshen, verify_and_adopt};
use super::{CommitFailure, Guarantee, Method, Write};
use crate::disk::{Lease, OpenMode, Replace};
use crate::displaced::Seal;
use crate::mounts::{MissingFeature, RenameTrust};
use crate::revision::Revision;
use crate::scan::{KnownContent, holds};
use crate::stamp::Stamp;

/// How often the exchange back is retried while another program removes the file.
const TRIES: usize = 8;

pub(super) fn exchange(
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
    // The order of the names matters: with it, file watchers end on an event about the file, not about the temporary
    // name.
    disk.rename_at(folder, name, &temporary.name, Replace::Exchange)
        .map_err(|error| refused(scratch, &old_file.stamp, error))?;
    // From here on the temporary name may be another program's only copy.
    scratch.release(&temporary.name);
    let verified = verify_and_adopt(scratch, write, temporary, &temporary.name, &mut old_file);
    if let Err(failure) = verified {
        let Replacement {
            temporary,
            ours,
            revision,
            ..
        } = replacement;
        return Err(withdraw(
            scratch, write, temporary, &ours, revision, failure,
        ));
    }
    let guarantee = match old_file.protection {
        Protection::Leased | Protection::Immutable => Guarantee::ExchangeLeased,
        Protection::PartlyLeased | Protection::NotLeased => Guarantee::Exchange,
    };
    let (old, warnings) = (old_file.stamp, Vec::new());
    let rollback = |temporary| Rollback::Exchange {
        temporary,
        old_file,
    };
    Ok(applied(
        disk,
        write,
        replacement,
        &old,
        guarantee,
        warnings,
        rollback,
    ))
}

/// Maps an error of the exchange, which has changed nothing, to the method to try next.
fn refused(scratch: &Scratch<'_>, old: &Stamp, error: io::Error) -> CommitFailure {
    use rustix::io::Errno;
    match Errno::from_io_error(&error) {
        Some(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            scratch
                .workspace
                .mounts
                .note(old.device, MissingFeature::Exchange);
            CommitFailure::RetryWith(Method::MoveAside)
        }
        _ => swap::refused("exchange", error),
    }
}

/// Withdraws the new file, because the displaced one is not what was checked, and gives the displaced one its name
/// back. Any other file that turns up is stored. Returns the resulting failure.
fn withdraw(
    scratch: &mut Scratch<'_>,
    write: &Write<'_>,
    temporary: Temporary,
    ours: &Stamp,
    revision: Revision,
    failure: CommitFailure,
) -> CommitFailure {
    let disk = scratch.disk();
    let folder = write.located.folder();
    let name = &write.located.name;
    let Temporary {
        name: aside, file, ..
    } = temporary;
    // Our own handle would count as a writer of the file that is withdrawn.
    drop(file);
    for _ in 0..TRIES {
        let exchange = || disk.rename_at(folder, name, &aside, Replace::Exchange);
        match exchange() {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Another program removed the new file: the name is free for the displaced one.
                let trust = scratch.rename_trust(folder);
                match rename_to_free_name(disk, trust, folder, &aside, name) {
                    Ok(_) => return failure,
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                    Err(_) => break,
                }
            }
            Err(_) if exchange().is_ok() => {}
            Err(_) => break,
        }
        let stat = || {
            look_up_where_doubtful(scratch, folder, &aside)?;
            disk.stat_at(folder, &aside)
        };
        let Ok(off) = stat().or_else(|_| stat()) else {
            break;
        };
        if !off.same_file(ours) {
            // Another program's file, newer than the one at the name: the newest stays at the name.
            let _ = twice(exchange);
            break;
        }
        if is_untouched(scratch, folder, &aside, ours, revision) {
            let _ = twice(|| disk.remove_at(folder, &aside));
            return failure;
        }
        break;
    }
    CommitFailure::Conflict(vec![keep(scratch, write, &aside)])
}

/// Returns whether a file of ours still has the content we wrote and no process has it open for writing. Waits a while
/// for a writer: a process that another thread of this one is just starting holds our own handles until it runs its
/// program.
pub(super) fn is_untouched(
    scratch: &Scratch<'_>,
    folder: BorrowedFd<'_>,
    name: &OsStr,
    ours: &Stamp,
    revision: Revision,
) -> bool {
    let disk = scratch.disk();
    let is_doubtful = scratch.rename_trust(folder) == RenameTrust::Doubtful;
    let check = || -> Result<bool, CommitFailure> {
        look_up_where_doubtful(scratch, folder, name).map_err(CommitFailure::at("look"))?;
        if ours.is_link() {
            let found = disk
                .read_link_at(folder, name)
                .map_err(CommitFailure::at("look"))?;
            return Ok(Revision::of_link(&found) == revision);
        }
        let handle = disk
            .open_at(folder, name, OpenMode::Read)
            .map_err(CommitFailure::at("look"))?;
        let patience = scratch.workspace.lease_patience;
        take_lease(scratch, &handle, Lease::Read, patience)?;
        let now = disk
            .stat(handle.as_fd())
            .map_err(CommitFailure::at("look"))?;
        if is_doubtful {
            // The inode number of a file may have changed with its name, so its content alone decides.
            return holds_revision_afresh(disk, folder, name, revision)
                .map_err(CommitFailure::at("look"));
        }
        Ok(now.same_file(ours)
            && now.size == ours.size
            && holds(
                disk,
                handle.as_fd(),
                now.size,
                KnownContent::Revision(revision),
            )
            .map_err(CommitFailure::at("look"))?)
    };
    match check() {
        Err(CommitFailure::Io { .. }) => check().unwrap_or(false),
        other => other.unwrap_or(false),
    }
}

/// Moves a version that must not be lost into the state folder and returns its path. If that fails, the file stays next
/// to the original.
pub(super) fn keep(scratch: &Scratch<'_>, write: &Write<'_>, aside: &OsStr) -> PathBuf {
    let located = write.located;
    let beside = located.path().with_file_name(aside);
    if scratch.workspace.state_folder.is_none() {
        return beside;
    }
    let put_away = || {
        scratch.workspace.displaced.put_away(
            scratch.disk(),
            located.folder(),
            aside,
            &located.name,
            Seal::Open,
        )
    };
    match put_away().or_else(|_| put_away()) {
        Ok(Some(path)) => path,
        _ => beside,
    }
}
