//! Replaces a file by exchanging names: the new file and the old one swap names, the displaced file is verified, and
//! if it is not the one that was checked the names are swapped back. The exchange destroys nothing: every file that
//! ever had the name is still at it or under our temporary name.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::PathBuf;
use std::sync::Arc;

use super::back::{Back, Done, twice};
use super::hold::{Grip, Held, Look, lease, look};
use super::stage::{Replacement, breaks_links, dress, later_than};
use super::trial::{Scratch, Temporary};
use super::{Failure, Guarantee, ReadOnlyReason, Rung, Warning, Write, Written};
use crate::disk::{AttributesCopied, Disk, Lease, OpenMode, Replace};
use crate::displaced::Seal;
use crate::mounts::Lack;
use crate::revision::Revision;
use crate::snapshot::{KnownContent, holds};
use crate::stamp::Stamp;

/// How often the exchange back is retried while another program removes the file.
const TRIES: usize = 8;

pub(super) fn exchange(
    trial: &mut Scratch<'_>,
    write: &Write<'_>,
    replacement: Replacement,
    mut held: Held,
) -> Result<Done, Failure> {
    let disk = trial.disk();
    let Replacement {
        temporary,
        ours,
        revision,
        checked,
        carried,
        ..
    } = replacement;
    freshen(disk, write, &temporary, &held, &checked)?;
    let name = &write.located.name;
    let folder = write.located.folder();
    // The order of the names matters: file watchers then end on an event about the file, not about the temporary
    // name.
    disk.rename_at(folder, name, &temporary.name, Replace::Exchange)
        .map_err(|error| refused(trial, &held.stamp, error))?;
    // From here on the temporary name may be another program's only copy.
    trial.release(&temporary.name);
    match look(trial, write, &temporary.name, &held) {
        Look::Same => {}
        Look::Equal(other) => {
            // Another program replaced the file by an equal one: copy the metadata from that.
            let _ = dress(disk, write, &temporary, &other.handle, &other.stamp, None);
            held = other;
        }
        Look::Other(failure) => {
            return Err(withdraw(trial, write, temporary, &ours, revision, failure));
        }
    }
    let mut written = Written {
        stamp: ours,
        revision,
        guarantee: match held.grip {
            Grip::Leased => Guarantee::ExchangeLeased,
            Grip::Partly | Grip::Loose => Guarantee::Exchange,
        },
        durable: false,
        created_folders: Vec::new(),
        warnings: Vec::new(),
        displaced: None,
    };
    settle_stamp(disk, write, &temporary, &held.stamp, &mut written);
    if held.stamp.links > 1 && breaks_links(write) {
        written.warnings.push(Warning::LinksBroken);
    }
    if carried == AttributesCopied::NotAll {
        written.warnings.push(Warning::AttributesLost);
    }
    Ok(Done {
        written,
        folder: Arc::clone(&write.located.folder),
        back: Back::Exchange { temporary, held },
    })
}

/// Updates the new file right before the swap: its modification time, and the mode and attributes where those of the
/// old file have changed since staging.
pub(super) fn freshen(
    disk: &dyn Disk,
    write: &Write<'_>,
    temporary: &Temporary,
    held: &Held,
    checked: &Stamp,
) -> Result<(), Failure> {
    if held.stamp.ctime != checked.ctime || !held.stamp.same_file(checked) {
        // Whether all attributes were copied is known from staging.
        let _ = dress(disk, write, temporary, &held.handle, &held.stamp, None)?;
    }
    let time = later_than(held.stamp.mtime, disk.now());
    disk.set_modified(temporary.file.as_fd(), time)
        .map_err(Failure::at("time"))
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
        // The write stands; with the stamp from before the swap the next check compares content.
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
fn refused(trial: &Scratch<'_>, old: &Stamp, error: io::Error) -> Failure {
    use rustix::io::Errno;
    match Errno::from_io_error(&error) {
        Some(Errno::NOENT) => Failure::Changed,
        Some(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            trial.workspace.mounts.note(old.device, Lack::Exchange);
            Failure::Again(Rung::Aside)
        }
        Some(Errno::BUSY | Errno::PERM | Errno::ACCESS | Errno::XDEV) => {
            Failure::Again(Rung::InPlace)
        }
        Some(Errno::ROFS) => Failure::ReadOnly(ReadOnlyReason::FileSystem),
        _ => Failure::Io {
            step: "exchange",
            source: error,
        },
    }
}

/// Withdraws the new file, because the displaced one is not what was checked, and gives that its name back. Any other
/// file that turns up is kept. Returns the resulting failure.
fn withdraw(
    trial: &mut Scratch<'_>,
    write: &Write<'_>,
    temporary: Temporary,
    ours: &Stamp,
    revision: Revision,
    failure: Failure,
) -> Failure {
    let disk = trial.disk();
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
        if is_untouched(trial, folder, &aside, ours, revision) {
            let _ = twice(|| disk.remove_at(folder, &aside));
            return failure;
        }
        break;
    }
    Failure::Conflict(vec![keep(trial, write, &aside)])
}

/// Whether a file of ours still has the content we wrote and nobody has it open for writing.
pub(super) fn is_untouched(
    trial: &Scratch<'_>,
    folder: BorrowedFd<'_>,
    name: &OsStr,
    ours: &Stamp,
    revision: Revision,
) -> bool {
    let disk = trial.disk();
    let look = || -> Result<bool, Failure> {
        let handle = disk
            .open_at(folder, name, OpenMode::Read)
            .map_err(Failure::at("look"))?;
        lease(trial, &handle, Lease::Read, std::time::Duration::ZERO)?;
        let now = disk.stat(handle.as_fd()).map_err(Failure::at("look"))?;
        Ok(now.same_file(ours)
            && now.size == ours.size
            && holds(
                disk,
                handle.as_fd(),
                now.size,
                KnownContent::Revision(revision),
            )
            .map_err(Failure::at("look"))?)
    };
    match look() {
        Err(Failure::Io { .. }) => look().unwrap_or(false),
        other => other.unwrap_or(false),
    }
}

/// Moves a version that must not be lost into the state folder and returns its path; where that fails it stays beside
/// the file.
pub(super) fn keep(trial: &Scratch<'_>, write: &Write<'_>, aside: &OsStr) -> PathBuf {
    let located = write.located;
    let beside = located.path().with_file_name(aside);
    if trial.workspace.state_folder.is_none() {
        return beside;
    }
    let put_away = || {
        trial.workspace.displaced.put_away(
            trial.disk(),
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
