//! Rungs 1 and 1b: the new file and the name's old one change places, what came off is looked at, and if it is not what
//! was checked they change back. The exchange destroys nothing: every file that ever had the name is still at it or
//! under our temporary name.

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

/// How often a name that somebody takes away again and again is given back.
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
    // The file first: watchers then end on an event about it and not about the temporary name.
    disk.rename_at(folder, name, &temporary.name, Replace::Exchange)
        .map_err(|error| refused(trial, &held.stamp, error))?;
    // From here on the temporary name is somebody's only copy until proven otherwise.
    trial.release(&temporary.name);
    match look(trial, write, &temporary.name, &held) {
        Look::Same => {}
        Look::Equal(other) => {
            // Put there in the last moment: the new file takes after it.
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

/// The last touches on the new file: its time is that of the swap, and what was done to the old one's mode or attributes
/// since it was staged is done to it too.
pub(super) fn freshen(
    disk: &dyn Disk,
    write: &Write<'_>,
    temporary: &Temporary,
    held: &Held,
    checked: &Stamp,
) -> Result<(), Failure> {
    if held.stamp.ctime != checked.ctime || !held.stamp.same_file(checked) {
        // Whether all could be carried over is known from the staging.
        let _ = dress(disk, write, temporary, &held.handle, &held.stamp, None)?;
    }
    let time = later_than(held.stamp.mtime, disk.now());
    disk.set_modified(temporary.file.as_fd(), time)
        .map_err(Failure::at("time"))
}

/// Is the new file at the name? Its stamp then; somebody else's file there is told.
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
        // It stands; the stamp is that of before the swap, so that the next look compares content.
        Err(_) => {}
    }
    if written.stamp.mtime <= old.mtime && written.stamp.same_file(&ours) {
        // A file system that keeps whole seconds, or two of them.
        let file = temporary.file.as_fd();
        let _ = disk.set_modified(file, (old.mtime.0.saturating_add(2), 0));
        written.stamp = disk.stat(file).unwrap_or(written.stamp);
    }
}

/// The exchange was refused; nothing has changed. Which way is left?
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

/// Takes the new file away again, because what came off is not what was checked: that goes back to its name. Whatever
/// else turns up meanwhile is kept. The failure that results.
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
    // Our own handle would count as a writer of the file that is to come off.
    drop(file);
    for _ in 0..TRIES {
        let exchange = || disk.rename_at(folder, name, &aside, Replace::Exchange);
        match exchange() {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Somebody removed the new file: the name is free for what came off.
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
            // Somebody else's, newer than what now stands at the name: the newest stands.
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

/// Does a file of ours hold what we wrote, and does nobody have it open for writing?
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

/// Puts a version that nobody may lose into the state folder; where that fails it stays where it is.
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
