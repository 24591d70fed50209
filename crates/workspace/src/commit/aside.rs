//! Replaces a file where two names cannot be exchanged: the old file is renamed away and verified, and the new one is
//! linked to the name, which must still be free. Nothing is lost, but the name is missing for some microseconds.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use super::back::{Back, Done, twice};
use super::exchange::{freshen, keep, settle_stamp};
use super::hold::{Held, Look, look};
use super::stage::{Replacement, breaks_links, dress};
use super::trial::{Scratch, is_unknown};
use super::{Failure, Guarantee, ReadOnlyReason, Rung, Warning, Write, Written};
use crate::disk::{AttributesCopied, Disk, Replace};

/// How safely a file got a name that had to be free.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// By a system call that never replaces a file.
    Surely,
    /// By a check and a rename, where the file system offers nothing better; a file created in between is replaced.
    Weakly,
}

impl Given {
    pub(super) fn warnings(self) -> Vec<Warning> {
        match self {
            Given::Surely => Vec::new(),
            Given::Weakly => vec![Warning::Unprotected],
        }
    }
}

pub(super) fn aside(
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
    let old = aside_name(&temporary.name);
    disk.rename_at(folder, name, &old, Replace::Over)
        .map_err(|error| refused(&error))?;
    match look(trial, write, &old, &held) {
        Look::Same => {}
        Look::Equal(other) => {
            let _ = dress(disk, write, &temporary, &other.handle, &other.stamp, None);
            held = other;
        }
        Look::Other(failure) => return Err(put_back(trial, write, &old, failure)),
    }
    let given = match give_name(disk, folder, &temporary.name, name) {
        Ok(given) => given,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // Another program created the file while the name was missing: its file stays. The old one is kept; it
            // holds the content that was checked.
            keep(trial, write, &old);
            return Err(Failure::Changed);
        }
        Err(source) => {
            let failure = Failure::Io {
                step: "link",
                source,
            };
            return Err(put_back(trial, write, &old, failure));
        }
    };
    trial.release(&temporary.name);
    let mut written = Written {
        stamp: ours,
        revision,
        guarantee: match given {
            Given::Surely => Guarantee::Aside,
            Given::Weakly => Guarantee::Weak,
        },
        durable: false,
        created_folders: Vec::new(),
        warnings: given.warnings(),
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
        back: Back::Aside { old, held },
    })
}

/// The name that the old file is renamed to, derived from the temporary name of the new one.
pub(super) fn aside_name(temporary: &OsStr) -> OsString {
    let mut name = temporary.to_owned();
    name.push(".old");
    name
}

fn refused(error: &io::Error) -> Failure {
    use rustix::io::Errno;
    match Errno::from_io_error(error) {
        Some(Errno::NOENT) => Failure::Changed,
        Some(Errno::BUSY | Errno::PERM | Errno::ACCESS | Errno::XDEV) => {
            Failure::Again(Rung::InPlace)
        }
        Some(Errno::ROFS) => Failure::ReadOnly(ReadOnlyReason::FileSystem),
        _ => Failure::Io {
            step: "move aside",
            source: error.kind().into(),
        },
    }
}

/// Renames the old file back, or keeps it where the name has been taken.
pub(super) fn put_back(
    trial: &Scratch<'_>,
    write: &Write<'_>,
    old: &OsStr,
    failure: Failure,
) -> Failure {
    let disk = trial.disk();
    let folder = write.located.folder();
    match twice(|| give_name(disk, folder, old, &write.located.name).map(|_| ())) {
        Ok(()) => failure,
        Err(_) => Failure::Conflict(vec![keep(trial, write, old)]),
    }
}

/// Renames to a name that must be free, by the safest means that the file system offers.
pub(crate) fn give_name(
    disk: &dyn Disk,
    folder: BorrowedFd<'_>,
    from: &OsStr,
    to: &OsStr,
) -> io::Result<Given> {
    match disk.rename_at(folder, from, to, Replace::Never) {
        Ok(()) => return Ok(Given::Surely),
        Err(error) if !is_unknown(&error) => return Err(error),
        Err(_) => {}
    }
    match disk.link_at(folder, from, to) {
        Ok(()) => {
            // If this fails the file has two names; recovery removes the temporary one.
            let _ = twice(|| disk.remove_at(folder, from));
            return Ok(Given::Surely);
        }
        Err(error) if !is_unknown(&error) && error.kind() != io::ErrorKind::PermissionDenied => {
            return Err(error);
        }
        Err(_) => {}
    }
    match disk.stat_at(folder, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
    }
    disk.rename_at(folder, from, to, Replace::Over)?;
    Ok(Given::Weakly)
}
