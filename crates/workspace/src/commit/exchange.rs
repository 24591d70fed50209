//! Replaces a file by exchanging names: the new file and the old one swap names, the displaced file is verified, and
//! if it is not the one that was checked the names are swapped back. The exchange destroys nothing: every file that
//! ever had the name is still at it or under our temporary name.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::PathBuf;
use std::sync::Arc;

use super::lease::{CheckedFile, Displacement, Protection, take_lease, verify_displaced};
use super::rollback::{Applied, Rollback, twice};
use super::scratch::{Scratch, Temporary};
use super::stage::{Replacement, breaks_links, copy_metadata, later_than};
use super::{CommitFailure, Guarantee, Method, ReadOnlyReason, Warning, Write, Written};
use crate::disk::{AttributesCopied, Disk, Lease, OpenMode, Replace};
use crate::displaced::Seal;
use crate::mounts::MissingFeature;
use crate::revision::Revision;
use crate::snapshot::{KnownContent, holds};
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
    let Replacement {
        temporary,
        ours,
        revision,
        checked,
        carried,
        ..
    } = replacement;
    freshen(disk, write, &temporary, &old_file, &checked)?;
    let name = &write.located.name;
    let folder = write.located.folder();
    // The order of the names matters: file watchers then end on an event about the file, not about the temporary
    // name.
    disk.rename_at(folder, name, &temporary.name, Replace::Exchange)
        .map_err(|error| refused(scratch, &old_file.stamp, error))?;
    // From here on the temporary name may be another program's only copy.
    scratch.release(&temporary.name);
    match verify_displaced(scratch, write, &temporary.name, &old_file) {
        Displacement::SameFile => {}
        Displacement::SameContent(other) => {
            // Another program replaced the file by an equal one: copy the metadata from that.
            let _ = copy_metadata(disk, write, &temporary, &other.handle, &other.stamp, None);
            old_file = other;
        }
        Displacement::Different(failure) => {
            return Err(withdraw(
                scratch, write, temporary, &ours, revision, failure,
            ));
        }
    }
    let mut written = Written {
        stamp: ours,
        revision,
        guarantee: match old_file.protection {
            Protection::Leased => Guarantee::ExchangeLeased,
            Protection::LeasedExceptMappings | Protection::NotLeased => Guarantee::Exchange,
        },
        durable: false,
        created_folders: Vec::new(),
        warnings: Vec::new(),
        displaced: None,
    };
    settle_stamp(disk, write, &temporary, &old_file.stamp, &mut written);
    if old_file.stamp.links > 1 && breaks_links(write) {
        written.warnings.push(Warning::LinksBroken);
    }
    if carried == AttributesCopied::NotAll {
        written.warnings.push(Warning::AttributesLost);
    }
    Ok(Applied {
        written,
        folder: Arc::clone(&write.located.folder),
        rollback: Rollback::Exchange {
            temporary,
            old_file,
        },
    })
}

/// Updates the new file right before the swap: its modification time, and the mode and attributes where those of the
/// old file have changed since staging.
pub(super) fn freshen(
    disk: &dyn Disk,
    write: &Write<'_>,
    temporary: &Temporary,
    old_file: &CheckedFile,
    checked: &Stamp,
) -> Result<(), CommitFailure> {
    if old_file.stamp.ctime != checked.ctime || !old_file.stamp.same_file(checked) {
        // Whether all attributes were copied is known from staging.
        let _ = copy_metadata(
            disk,
            write,
            temporary,
            &old_file.handle,
            &old_file.stamp,
            None,
        )?;
    }
    let time = later_than(old_file.stamp.mtime, disk.now());
    disk.set_modified(temporary.file.as_fd(), time)
        .map_err(CommitFailure::at("time"))
}

/// Reads the stamp of the new file at its name; warns where another program's file is there instead.
pub(super) fn settle_stamp(
    disk: &dyn Disk,
    write: &Write<'_>,
    temporary: &Temporary,
    old: &Stamp,
    written: &mut Written,
) {
    let ours = written.stamp;
    let stat = || disk.stat_at(temporary.folder.as_fd(), &write.located.name);
    match stat().or_else(|_| stat()) {
        Ok(now) if now.same_file(&ours) => written.stamp = now,
        Ok(_) => written.warnings.push(Warning::Overwritten),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            written.warnings.push(Warning::Overwritten);
        }
        // The write is not undone; with the stamp from before the swap the next check compares content.
        Err(_) => {}
    }
    if written.stamp.mtime <= old.mtime && written.stamp.same_file(&ours) {
        // The file system stores times in steps of one or two seconds.
        let file = temporary.file.as_fd();
        let _ = disk.set_modified(file, (old.mtime.0.saturating_add(2), 0));
        written.stamp = disk.stat(file).unwrap_or(written.stamp);
    }
}

/// Maps an error of the exchange, which has changed nothing, to the method to try next.
fn refused(scratch: &Scratch<'_>, old: &Stamp, error: io::Error) -> CommitFailure {
    use rustix::io::Errno;
    match Errno::from_io_error(&error) {
        Some(Errno::NOENT) => CommitFailure::Changed,
        Some(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            scratch
                .workspace
                .mounts
                .note(old.device, MissingFeature::Exchange);
            CommitFailure::RetryWith(Method::MoveAside)
        }
        Some(Errno::BUSY | Errno::PERM | Errno::ACCESS | Errno::XDEV) => {
            CommitFailure::RetryWith(Method::InPlace)
        }
        Some(Errno::ROFS) => CommitFailure::ReadOnly(ReadOnlyReason::FileSystem),
        _ => CommitFailure::Io {
            step: "exchange",
            source: error,
        },
    }
}

/// Withdraws the new file, because the displaced one is not what was checked, and gives that its name back. Any other
/// file that turns up is kept. Returns the resulting failure.
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
                match disk.rename_at(folder, &aside, name, Replace::Never) {
                    Ok(()) => return failure,
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                    Err(_) => break,
                }
            }
            Err(_) if exchange().is_ok() => {}
            Err(_) => break,
        }
        let stat = || disk.stat_at(folder, &aside);
        let Ok(off) = stat().or_else(|_| stat()) else {
            break;
        };
        if !off.same_file(ours) {
            // Another program's file, newer than the one at the name: the newest stays.
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

/// Whether a file of ours still has the content we wrote and nobody has it open for writing.
pub(super) fn is_untouched(
    scratch: &Scratch<'_>,
    folder: BorrowedFd<'_>,
    name: &OsStr,
    ours: &Stamp,
    revision: Revision,
) -> bool {
    let disk = scratch.disk();
    let look = || -> Result<bool, CommitFailure> {
        let handle = disk
            .open_at(folder, name, OpenMode::Read)
            .map_err(CommitFailure::at("look"))?;
        take_lease(scratch, &handle, Lease::Read, std::time::Duration::ZERO)?;
        let now = disk
            .stat(handle.as_fd())
            .map_err(CommitFailure::at("look"))?;
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
    match look() {
        Err(CommitFailure::Io { .. }) => look().unwrap_or(false),
        other => other.unwrap_or(false),
    }
}

/// Moves a version that must not be lost into the state folder and returns its path; where that fails it stays beside
/// the file.
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
