//! Staging: the new content complete and flushed before anything of the old is touched. A file of its own beside the
//! old one, with its mode, owner and attributes; or, for a rewrite in place, the old bytes put away.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

use super::check::{self, Current};
use super::in_place::{self, Rewrite};
use super::trial::{Temporary, Trial};
use super::{Barrier, Expected, Failure, Write};
use crate::content::{Sink, write_content};
use crate::disk::Open;
use crate::revision::Revision;
use crate::stamp::{Moment, Stamp};

/// A write that only waits for its swap.
pub(super) enum Staged {
    /// A new file beside the old one.
    Replace {
        temporary: Temporary,
        revision: Revision,
        old: Stamp,
    },
    /// A new file where there is none.
    Create {
        temporary: Temporary,
        revision: Revision,
        created_folders: Vec<PathBuf>,
    },
    /// The old bytes are put away, the file is open.
    InPlace { rewrite: Rewrite, old: Stamp },
}

impl Staged {
    /// The last look before the swap.
    pub(super) fn look_again(&self, write: &Write<'_>) -> Result<(), Failure> {
        match self {
            Staged::Replace { old, .. } | Staged::InPlace { old, .. } => {
                check::look_again(write, old)
            }
            // The swap itself refuses to replace.
            Staged::Create { .. } => Ok(()),
        }
    }
}

pub(super) fn stage(
    trial: &mut Trial,
    write: &Write<'_>,
    current: Current,
) -> Result<Staged, Failure> {
    match current {
        Current::Absent => stage_new(trial, write),
        Current::File { handle, stamp } if stamp.links > 1 => {
            in_place::stage(trial, write, &handle, stamp)
        }
        Current::File { handle, stamp } => match stage_beside(trial, write, &handle, stamp)? {
            Some(staged) => Ok(staged),
            None => in_place::stage(trial, write, &handle, stamp),
        },
    }
}

/// Nothing where the new file cannot be given to the old one's owner: the name must then stay with the old file.
fn stage_beside(
    trial: &mut Trial,
    write: &Write<'_>,
    handle: &OwnedFd,
    old: Stamp,
) -> Result<Option<Staged>, Failure> {
    let disk = Arc::clone(&trial.disk);
    // Nobody else sees the new bytes before the file has its mode.
    let temporary = trial
        .create(&write.located.folder, 0o600)
        .map_err(no_folder)?;
    let file = temporary.file.as_fd();
    let mut sink = Sink::new(&*disk, file);
    let base = write_content(&write.new, Some((handle.as_fd(), old.size)), &mut sink)
        .map_err(write_failed)?;
    check_base(write, base)?;
    let (_, revision) = sink.finish();
    match disk.set_owner(file, old.uid, old.gid) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            trial.discard(&temporary.name);
            return Ok(None);
        }
        other => other.map_err(Failure::at("owner"))?,
    }
    // After the owner, whose change clears set-user-id and capabilities.
    disk.copy_attributes(handle.as_fd(), file)
        .map_err(Failure::at("attributes"))?;
    disk.set_permissions(file, old.permissions())
        .map_err(Failure::at("mode"))?;
    disk.sync(file).map_err(Failure::at("flush"))?;
    // After the flush, which can take long: a build that ran meanwhile must see a newer file.
    disk.set_modified(file, later_than(old.mtime, disk.now()))
        .map_err(Failure::at("time"))?;
    Ok(Some(Staged::Replace {
        temporary,
        revision,
        old,
    }))
}

fn stage_new(trial: &mut Trial, write: &Write<'_>) -> Result<Staged, Failure> {
    let located = write.located;
    let disk = Arc::clone(&trial.disk);
    let mut folder = Arc::clone(&located.folder);
    let mut path = located.path().to_owned();
    for _ in 0..=located.missing_folders.len() {
        path.pop();
    }
    let mut created_folders = Vec::new();
    for name in &located.missing_folders {
        path.push(name);
        if trial.make_folder(&folder, name).map_err(no_folder)? {
            created_folders.push(path.clone());
            // If this fails the flush of the innermost folder most likely does too, and that one is told.
            let _ = disk.sync(folder.as_fd());
        }
        let next = disk
            .open_at(folder.as_fd(), name, Open::Folder)
            .map_err(Failure::at("open folder"))?;
        folder = Arc::new(next);
    }
    // The umask, and a default access list of the folder, apply as to any new file.
    let temporary = trial.create(&folder, 0o666).map_err(no_folder)?;
    let mut sink = Sink::new(&*disk, temporary.file.as_fd());
    write_content(&write.new, None, &mut sink).map_err(Failure::at("write"))?;
    let (_, revision) = sink.finish();
    disk.sync(temporary.file.as_fd())
        .map_err(Failure::at("flush"))?;
    Ok(Staged::Create {
        temporary,
        revision,
        created_folders,
    })
}

/// A streamed write has read the old file: were those the expected bytes?
pub(super) fn check_base(write: &Write<'_>, base: Option<Revision>) -> Result<(), Failure> {
    match (&write.expected, base) {
        (Expected::Content { revision, .. }, Some(base)) if *revision != base => {
            Err(Failure::Changed)
        }
        _ => Ok(()),
    }
}

pub(super) fn write_failed(source: io::Error) -> Failure {
    match source.kind() {
        // The old file became shorter while it was read.
        io::ErrorKind::UnexpectedEof => Failure::Changed,
        _ => Failure::Io {
            step: "write",
            source,
        },
    }
}

fn no_folder(source: io::Error) -> Failure {
    match source.kind() {
        io::ErrorKind::PermissionDenied => Failure::ReadOnly(Barrier::Folder),
        _ => Failure::Io {
            step: "create",
            source,
        },
    }
}

/// Now, or the next moment after `old` where that lies ahead of the clock.
pub(super) fn later_than(old: Moment, now: Moment) -> Moment {
    let next = if old.1 < 999_999_999 {
        (old.0, old.1 + 1)
    } else {
        (old.0.saturating_add(1), 0)
    };
    now.max(next)
}
