//! Replaces a file by exchanging names: the new file and the old one swap names, and the displaced file is verified. If
//! it is not the one that was checked, the names are swapped back. The exchange destroys nothing: every file that ever
//! had the name is still at it or under our temporary name.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::PathBuf;

use super::applied::{AppliedWrite, RollbackData};
use super::free_name::rename_to_free_name;
use super::fresh_look::{force_lookup_if_uncertain, reopen_and_compare_revision};
use super::lease::{CheckedFile, LeaseProtection, take_lease};
use super::retry::retry_once;
use super::scratch::{Scratch, TemporaryFile};
use super::stage::StagedReplacement;
use super::swap::{self, applied_replacement, update_metadata, verify_and_adopt};
use super::{CommitFailure, FileWrite, WriteGuarantee, WriteMethod};
use crate::disk::{Disk, Lease, OpenMode, ReplaceMode};
use crate::displaced::Seal;
use crate::mounts::{MissingFeature, RenameTrust};
use crate::revision::Revision;
use crate::scan::{KnownContent, has_content};
use crate::stamp::Stamp;

/// How often the exchange back is retried while another program removes the file.
const MAX_TRIES: usize = 8;

pub(super) fn exchange_files(
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
    // The order of the names matters: with it, file watchers end on an event about the file, not about the temporary
    // name.
    disk.rename_at(folder, name, &temporary.name, ReplaceMode::Exchange)
        .map_err(|error| exchange_failure(scratch, &old_file.stamp, error))?;
    // From here on the temporary name may be another program's only copy.
    scratch.release_name(&temporary.name);
    let verified = verify_and_adopt(scratch, write, temporary, &temporary.name, &mut old_file);
    if let Err(failure) = verified {
        let StagedReplacement {
            temporary,
            ours,
            revision,
            ..
        } = replacement;
        return Err(withdraw_new_file(
            scratch, write, temporary, &ours, revision, failure,
        ));
    }
    let guarantee = match old_file.protection {
        LeaseProtection::Leased | LeaseProtection::Immutable => WriteGuarantee::ExchangeLeased,
        LeaseProtection::PartlyLeased | LeaseProtection::NotLeased => WriteGuarantee::Exchange,
    };
    let (old, warnings) = (old_file.stamp, Vec::new());
    let rollback = |temporary| RollbackData::Exchange {
        temporary,
        old_file,
    };
    Ok(applied_replacement(
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
fn exchange_failure(scratch: &Scratch<'_>, old: &Stamp, error: io::Error) -> CommitFailure {
    use rustix::io::Errno;
    match Errno::from_io_error(&error) {
        Some(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            scratch
                .workspace
                .mounts
                .record_missing(old.device, MissingFeature::Exchange);
            CommitFailure::RetryWith(WriteMethod::MoveAside)
        }
        _ => swap::rename_failure("exchange", error),
    }
}

/// Withdraws the new file, because the displaced one is not what was checked, and gives the displaced one its name
/// back. Any other file that turns up is stored. Returns the resulting failure.
fn withdraw_new_file(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    temporary: TemporaryFile,
    ours: &Stamp,
    revision: Revision,
    failure: CommitFailure,
) -> CommitFailure {
    let disk = scratch.disk();
    let folder = write.located.folder();
    let name = &write.located.name;
    let TemporaryFile {
        name: aside, file, ..
    } = temporary;
    // Our own handle would count as a writer of the file that is withdrawn.
    drop(file);
    for _ in 0..MAX_TRIES {
        let exchange = || disk.rename_at(folder, name, &aside, ReplaceMode::Exchange);
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
            force_lookup_if_uncertain(scratch, folder, &aside)?;
            disk.stat_at(folder, &aside)
        };
        let Ok(off) = stat().or_else(|_| stat()) else {
            break;
        };
        if !off.is_same_file(ours) {
            // Another program's file, newer than the one at the name: the newest stays at the name.
            let _ = retry_once(exchange);
            break;
        }
        if is_our_unchanged_file(scratch, folder, &aside, ours, revision) {
            let _ = remove_our_file(disk, folder, &aside, ours);
            return failure;
        }
        break;
    }
    CommitFailure::Conflict(vec![preserve_version(scratch, write, &aside)])
}

/// Returns whether a file of ours still has the content we wrote and no process has it open for writing. Waits a while
/// for a writer: a process that another thread of this one is just starting holds our own handles until it runs its
/// program.
pub(super) fn is_our_unchanged_file(
    scratch: &Scratch<'_>,
    folder: BorrowedFd<'_>,
    name: &OsStr,
    ours: &Stamp,
    revision: Revision,
) -> bool {
    let disk = scratch.disk();
    let is_doubtful = scratch.rename_trust(folder) == RenameTrust::Doubtful;
    let check = || -> Result<bool, CommitFailure> {
        force_lookup_if_uncertain(scratch, folder, name).map_err(CommitFailure::at_step("look"))?;
        if ours.is_link() {
            let found = disk
                .read_link_at(folder, name)
                .map_err(CommitFailure::at_step("look"))?;
            return Ok(Revision::from_link(&found) == revision);
        }
        if ours.is_folder() {
            // It is removed only if it is empty.
            let now = disk.stat_at(folder, name);
            return Ok(now
                .map_err(CommitFailure::at_step("look"))?
                .is_same_file(ours));
        }
        let handle = disk
            .open_at(folder, name, OpenMode::Read)
            .map_err(CommitFailure::at_step("look"))?;
        let patience = scratch.workspace.lease_patience;
        take_lease(scratch, &handle, Lease::Read, patience)?;
        let now = disk
            .stat(handle.as_fd())
            .map_err(CommitFailure::at_step("look"))?;
        if is_doubtful {
            // The inode number of a file may have changed with its name, so its content alone decides.
            return reopen_and_compare_revision(disk, folder, name, revision)
                .map_err(CommitFailure::at_step("look"));
        }
        Ok(now.is_same_file(ours)
            && now.size == ours.size
            && has_content(
                disk,
                handle.as_fd(),
                now.size,
                KnownContent::Revision(revision),
            )
            .map_err(CommitFailure::at_step("look"))?)
    };
    match check() {
        Err(CommitFailure::Io { .. }) => check().unwrap_or(false),
        other => other.unwrap_or(false),
    }
}

/// Removes a file, link or empty folder of ours from a temporary name.
pub(super) fn remove_our_file(
    disk: &dyn Disk,
    folder: BorrowedFd<'_>,
    name: &OsStr,
    ours: &Stamp,
) -> io::Result<()> {
    retry_once(|| match ours.is_folder() {
        true => disk.remove_folder_at(folder, name),
        false => disk.remove_at(folder, name),
    })
}

/// Moves a version that must not be lost into the state folder and returns its path. If that fails, the file stays next
/// to the original.
pub(super) fn preserve_version(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
    aside: &OsStr,
) -> PathBuf {
    let located = write.located;
    let beside = located.path().with_file_name(aside);
    if scratch.workspace.state_folder.is_none() {
        return beside;
    }
    let put_away = || {
        scratch.workspace.displaced.store_file(
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
