//! Creates, removes and moves files by the rules of the exchange: nothing is replaced, and a displaced file is
//! verified before it counts as removed.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;

use super::aside::{Given, give_name, put_back};
use super::back::{Back, Done, twice};
use super::exchange::settle_stamp;
use super::hold::{Held, Look, look};
use super::stage::Creation;
use super::trial::{Naming, Scratch, is_unknown};
use super::{Expected, Failure, Guarantee, ReadOnlyReason, Rung, Write, Written};
use crate::disk::Replace;
use crate::locate::Located;
use crate::mounts::Lack;
use crate::revision::Revision;
use crate::stamp::Stamp;

/// Links the new file to its name; fails where the name exists.
pub(super) fn create(
    trial: &mut Scratch<'_>,
    write: &Write<'_>,
    creation: Creation,
) -> Result<Done, Failure> {
    let disk = trial.disk();
    let Creation {
        temporary,
        ours,
        revision,
        created_folders,
    } = creation;
    let folder = temporary.folder.as_fd();
    let name = &write.located.name;
    let given = match temporary.naming {
        // The unnamed file is linked directly to its final name.
        Naming::Unnamed => match disk.link_unnamed(temporary.file.as_fd(), folder, name) {
            Err(error) if is_unknown(&error) || error.kind() == io::ErrorKind::NotFound => {
                trial.workspace.mounts.note(0, Lack::Unnamed);
                return Err(Failure::Again(Rung::Exchange));
            }
            other => other.map(|()| Given::Surely),
        },
        Naming::Named => give_name(disk, folder, &temporary.name, name),
    };
    let given = given.map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => Failure::Exists,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Failure::ReadOnly(ReadOnlyReason::of(&source, ReadOnlyReason::Folder))
        }
        _ => Failure::Io {
            step: "rename",
            source,
        },
    })?;
    trial.release(&temporary.name);
    let mut written = Written {
        stamp: ours,
        revision,
        guarantee: match given {
            Given::Surely => Guarantee::Create,
            Given::Weakly => Guarantee::Weak,
        },
        durable: false,
        created_folders,
        warnings: given.warnings(),
        displaced: None,
    };
    let before = Stamp {
        mtime: (i64::MIN, 0),
        ..ours
    };
    settle_stamp(disk, write, &temporary, &before, &mut written);
    Ok(Done {
        written,
        folder: Arc::clone(&temporary.folder),
        back: Back::Create { temporary },
    })
}

/// Removes a file from its name; it is stored later.
pub(super) fn remove(
    trial: &mut Scratch<'_>,
    write: &Write<'_>,
    aside: OsString,
    mut held: Held,
) -> Result<Done, Failure> {
    let disk = trial.disk();
    let folder = write.located.folder();
    disk.rename_at(folder, &write.located.name, &aside, Replace::Over)
        .map_err(refused)?;
    match look(trial, write, &aside, &held) {
        Look::Same => {}
        Look::Equal(other) => held = other,
        Look::Other(failure) => return Err(put_back(trial, write, &aside, failure)),
    }
    Ok(Done {
        written: gone(&held, write, Guarantee::Remove),
        folder: Arc::clone(&write.located.folder),
        back: Back::Aside { old: aside, held },
    })
}

/// Renames a file to another name, which must be free.
pub(super) fn rename(
    trial: &mut Scratch<'_>,
    write: &Write<'_>,
    to: &Located,
    to_folder: Arc<OwnedFd>,
    held: Held,
) -> Result<Done, Failure> {
    let disk = trial.disk();
    let folder = write.located.folder();
    disk.move_at(folder, &write.located.name, to_folder.as_fd(), &to.name)
        .map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::Exists,
            _ => refused(error),
        })?;
    let stat = || disk.stat_at(to_folder.as_fd(), &to.name);
    let moved = stat().or_else(|_| stat());
    let Some(stamp) = moved
        .ok()
        .filter(|now| now.same_file(&held.stamp) && held.is_quiet(disk))
    else {
        let back = || disk.move_at(to_folder.as_fd(), &to.name, folder, &write.located.name);
        return Err(match twice(back) {
            Ok(()) => Failure::Changed,
            Err(_) => Failure::Conflict(vec![to.path().to_owned()]),
        });
    };
    let written = Written {
        stamp,
        ..gone(&held, write, Guarantee::Move)
    };
    Ok(Done {
        written,
        folder: Arc::clone(&write.located.folder),
        back: Back::Move {
            to_folder,
            to: to.name.clone(),
            held,
        },
    })
}

fn gone(held: &Held, write: &Write<'_>, guarantee: Guarantee) -> Written {
    let revision = match &write.expected {
        Expected::Content { revision, .. } => *revision,
        Expected::Missing => Revision::of(b""),
    };
    Written {
        stamp: held.stamp,
        revision,
        guarantee,
        durable: false,
        created_folders: Vec::new(),
        warnings: Vec::new(),
        displaced: None,
    }
}

fn refused(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => Failure::Changed,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Failure::ReadOnly(ReadOnlyReason::of(&error, ReadOnlyReason::Folder))
        }
        _ => Failure::Io {
            step: "rename",
            source: error,
        },
    }
}
