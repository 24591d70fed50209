//! The check that decides: takes a lease on the file at the name, where one is granted, and compares its content.
//! From here to the verification nothing waits.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use super::check::{holds_expected, not_there};
use super::stage::breaks_links;
use super::trial::Scratch;
use super::{Failure, Write};
use crate::disk::{Disk, Lease, OpenMode};
use crate::mounts::Sight;
use crate::stamp::Stamp;

/// How often the check is repeated where another file takes the name meanwhile.
const TRIES: usize = 3;

/// An open file whose content was compared with what the write expects.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) handle: OwnedFd,
    pub(super) stamp: Stamp,
    pub(super) grip: Grip,
}

/// How far a lease protects a file from other writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grip {
    /// A lease detects every writer.
    Leased,
    /// A lease detects whoever opens the file, but not a program that has it mapped: the bytes are compared as well.
    Partly,
    /// No lease: the file has another owner, or the file system has no leases.
    Loose,
}

impl Held {
    /// Whether no writer has come since. Without a lease this is not known, and true.
    pub(super) fn is_quiet(&self, disk: &dyn Disk) -> bool {
        let ask = || disk.lease_is_quiet(self.handle.as_fd(), Lease::Read);
        self.grip == Grip::Loose || ask().or_else(|_| ask()).unwrap_or(false)
    }
}

/// Takes a lease; waits up to `patience` for a program that has the file open for writing.
pub(super) fn lease(
    trial: &Scratch<'_>,
    file: &OwnedFd,
    lease: Lease,
    patience: Duration,
) -> Result<Grip, Failure> {
    let disk = trial.disk();
    let mut waited = Duration::ZERO;
    let mut pause = Duration::from_micros(500);
    loop {
        match disk.take_lease(file.as_fd(), lease) {
            Ok(()) => {
                // A rewrite in place writes to the very file that is mapped, so mappings do not matter.
                let all = lease == Lease::Write || trial.sight(file) == Sight::All;
                return Ok(if all { Grip::Leased } else { Grip::Partly });
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return Ok(Grip::Loose),
        }
        if waited >= patience {
            return Err(Failure::Busy(waited));
        }
        let pause_now = pause.min(patience - waited);
        disk.pause(pause_now);
        waited += pause_now;
        pause *= 2;
    }
}

/// Leases and compares the file at the name of a write. `handle` and `checked` are from before staging; where another
/// file has the name now, that one is taken if it has the same content.
pub(super) fn hold(
    trial: &Scratch<'_>,
    write: &Write<'_>,
    handle: OwnedFd,
    checked: &Stamp,
) -> Result<Held, Failure> {
    let disk = trial.disk();
    let located = write.located;
    let (mut handle, mut found) = (handle, *checked);
    for _ in 0..TRIES {
        let grip = lease(trial, &handle, Lease::Read, trial.workspace.lease_patience)?;
        let now = match disk.stat_at(located.folder(), &located.name) {
            Ok(now) => now,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Failure::Changed),
            Err(source) => {
                return Err(Failure::Io {
                    step: "last look",
                    source,
                });
            }
        };
        if !now.same_file(&found) {
            (handle, found) = located.open_file(OpenMode::Read).map_err(not_there)?;
            // The other hard links of this file would not be changed, and the caller was not asked about them.
            if found.links > 1 && !breaks_links(write) {
                return Err(Failure::Changed);
            }
            continue;
        }
        if !holds_expected(write, &handle, now.size).map_err(Failure::at("read"))? {
            return Err(Failure::Changed);
        }
        return Ok(Held {
            handle,
            stamp: now,
            grip,
        });
    }
    Err(Failure::Busy(Duration::ZERO))
}

/// The result of verifying the file that was displaced from a name.
pub(super) enum Look {
    /// The file that was checked, without a write since.
    Same,
    /// Another file with the same content, which took the name at the last moment and is leased now.
    Equal(Held),
    /// Not what was checked, and why.
    Other(Failure),
}

/// Verifies the file under `name`, where the checked file should be now.
pub(super) fn look(trial: &Scratch<'_>, write: &Write<'_>, name: &OsStr, held: &Held) -> Look {
    let disk = trial.disk();
    let folder = write.located.folder();
    let stat = || disk.stat_at(folder, name);
    let now = match stat().or_else(|_| stat()) {
        Ok(now) => now,
        Err(source) => {
            return Look::Other(Failure::Io {
                step: "look",
                source,
            });
        }
    };
    if now.same_file(&held.stamp) {
        return match held.grip {
            Grip::Leased if held.is_quiet(disk) => Look::Same,
            Grip::Leased => Look::Other(Failure::Busy(Duration::ZERO)),
            Grip::Partly if !held.is_quiet(disk) => Look::Other(Failure::Busy(Duration::ZERO)),
            Grip::Partly | Grip::Loose => {
                let again = || holds_expected(write, &held.handle, now.size);
                match again().or_else(|_| again()) {
                    Ok(true) => Look::Same,
                    Ok(false) => Look::Other(Failure::Changed),
                    Err(source) => Look::Other(Failure::Io {
                        step: "look",
                        source,
                    }),
                }
            }
        };
    }
    match equal(trial, write, name, &now) {
        Ok(Some(held)) => Look::Equal(held),
        Ok(None) => Look::Other(Failure::Changed),
        Err(failure) => Look::Other(failure),
    }
}

fn equal(
    trial: &Scratch<'_>,
    write: &Write<'_>,
    name: &OsStr,
    found: &Stamp,
) -> Result<Option<Held>, Failure> {
    if !found.is_file() {
        return Ok(None);
    }
    let disk = trial.disk();
    let handle = disk
        .open_at(write.located.folder(), name, OpenMode::Read)
        .map_err(Failure::at("look"))?;
    let grip = lease(trial, &handle, Lease::Read, Duration::ZERO)?;
    let stamp = disk.stat(handle.as_fd()).map_err(Failure::at("look"))?;
    let is_equal = stamp.same_file(found)
        && stamp.is_file()
        && holds_expected(write, &handle, stamp.size).map_err(Failure::at("look"))?;
    let held = Held {
        handle,
        stamp,
        grip,
    };
    Ok((is_equal && held.is_quiet(disk)).then_some(held))
}
