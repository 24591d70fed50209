//! Creates, removes and moves files by the rules of the exchange: nothing is replaced, and a displaced file is verified
//! before it counts as removed.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::Arc;

use super::applied::{Applied, Rollback};
use super::free_name::{RenameSafety, is_linkless, rename_to_free_name};
use super::fresh_look::{holds_expected_afresh, look_up_again};
use super::lease::{CheckedFile, Displacement, Protection, verify_displaced};
use super::move_aside::put_back;
use super::ready::MoveTarget;
use super::retry::twice;
use super::scratch::{Naming, Scratch, is_unknown};
use super::stage::Creation;
use super::swap::settle_stamp;
use super::{CommitFailure, Expected, Guarantee, Method, ReadOnlyReason, Warning, Write, Written};
use crate::disk::{AttributesCopied, Replace};
use crate::locate::Located;
use crate::mounts::{MissingFeature, RenameTrust};
use crate::revision::Revision;
use crate::stamp::Stamp;

/// Links the new file to its name; fails if the name exists.
pub(super) fn create(
    scratch: &mut Scratch<'_>,
    write: &Write<'_>,
    creation: Creation,
) -> Result<Applied, CommitFailure> {
    let disk = scratch.disk();
    let Creation {
        temporary,
        ours,
        revision,
        created_folders,
        carried,
    } = creation;
    let folder = temporary.folder.as_fd();
    let name = &write.located.name;
    let given = match temporary.naming {
        // The unnamed file is linked directly to its final name.
        Naming::Unnamed => match disk.link_unnamed(temporary.file.as_fd(), folder, name) {
            Err(error) if is_unknown(&error) || error.kind() == io::ErrorKind::NotFound => {
                scratch
                    .workspace
                    .mounts
                    .note(0, MissingFeature::UnnamedFiles);
                return Err(CommitFailure::RetryWith(Method::Exchange));
            }
            other => other.map(|()| RenameSafety::NeverReplaces),
        },
        Naming::NameFlush => {
            let trust = scratch.rename_trust(folder);
            rename_to_free_name(disk, trust, folder, &temporary.name, name)
        }
    };
    let given = given.map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => CommitFailure::Exists,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            CommitFailure::ReadOnly(ReadOnlyReason::from_error(&source, ReadOnlyReason::Folder))
        }
        _ => CommitFailure::Io {
            step: "rename",
            source,
        },
    })?;
    scratch.release(&temporary.name);
    let mut written = Written {
        stamp: ours,
        revision,
        guarantee: match given {
            RenameSafety::NeverReplaces => Guarantee::Create,
            RenameSafety::CheckedFirst => Guarantee::Weak,
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
    if carried == AttributesCopied::NotAll {
        written.warnings.push(Warning::AttributesLost);
    }
    Ok(Applied {
        written,
        folder: Arc::clone(&temporary.folder),
        rollback: Rollback::Create { temporary },
    })
}

/// Removes a file from its name; it is stored later.
pub(super) fn remove(
    scratch: &mut Scratch<'_>,
    write: &Write<'_>,
    aside: OsString,
    mut old_file: CheckedFile,
) -> Result<Applied, CommitFailure> {
    let disk = scratch.disk();
    let folder = write.located.folder();
    disk.rename_at(folder, &write.located.name, &aside, Replace::Over)
        .map_err(refused)?;
    match verify_displaced(scratch, write, &aside, &old_file) {
        Displacement::SameFile => {}
        Displacement::SameContent(other) => old_file = other,
        Displacement::Different(failure) => return Err(put_back(scratch, write, &aside, failure)),
    }
    Ok(Applied {
        written: gone(&old_file.stamp, write, Guarantee::Remove),
        folder: Arc::clone(&write.located.folder),
        rollback: Rollback::Aside {
            old: aside,
            old_file,
        },
    })
}

/// Renames a file to another name, which must be free.
pub(super) fn rename(
    scratch: &mut Scratch<'_>,
    write: &Write<'_>,
    to: &Located,
    target: MoveTarget,
    old_file: CheckedFile,
    aside: OsString,
) -> Result<Applied, CommitFailure> {
    let folder = write.located.folder();
    let to_folder = target.folder;
    let (stamp, given) = match scratch.rename_trust(folder) {
        RenameTrust::Exact => {
            let stamp = rename_once(scratch, write, to, to_folder.as_fd(), &old_file)?;
            (stamp, RenameSafety::NeverReplaces)
        }
        RenameTrust::Doubtful => {
            rename_by_link(scratch, write, to, to_folder.as_fd(), &old_file, &aside)?
        }
    };
    let written = Written {
        stamp,
        created_folders: target.created_folders,
        warnings: given.warnings(),
        ..gone(&old_file.stamp, write, Guarantee::Move)
    };
    Ok(Applied {
        written,
        folder: Arc::clone(&write.located.folder),
        rollback: Rollback::Move {
            to_folder,
            to: to.name.clone(),
            old_file,
        },
    })
}

fn rename_once(
    scratch: &Scratch<'_>,
    write: &Write<'_>,
    to: &Located,
    to_folder: BorrowedFd<'_>,
    old_file: &CheckedFile,
) -> Result<Stamp, CommitFailure> {
    let disk = scratch.disk();
    let folder = write.located.folder();
    disk.move_at(folder, &write.located.name, to_folder, &to.name)
        .map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => CommitFailure::Exists,
            io::ErrorKind::CrossesDevices => CommitFailure::NoRename,
            _ if is_unknown(&error) => CommitFailure::NoRename,
            _ => refused(error),
        })?;
    let stat = || disk.stat_at(to_folder, &to.name);
    let moved = stat().or_else(|_| stat()).ok();
    moved
        .filter(|now| now.same_file(&old_file.stamp) && old_file.is_quiet(disk))
        .ok_or_else(|| {
            let back = || disk.move_at(to_folder, &to.name, folder, &write.located.name);
            match twice(back) {
                Ok(()) => CommitFailure::Changed,
                Err(_) => CommitFailure::Conflict(vec![to.path().to_owned()]),
            }
        })
}

/// Moves a file where the flags of a rename may be ignored: it is renamed away, verified, and linked to its new name.
fn rename_by_link(
    scratch: &Scratch<'_>,
    write: &Write<'_>,
    to: &Located,
    to_folder: BorrowedFd<'_>,
    old_file: &CheckedFile,
    aside: &OsStr,
) -> Result<(Stamp, RenameSafety), CommitFailure> {
    let disk = scratch.disk();
    let folder = write.located.folder();
    disk.rename_at(folder, &write.located.name, aside, Replace::Over)
        .map_err(refused)?;
    let back = |failure| Err(put_back(scratch, write, aside, failure));
    let is_it = match &write.expected {
        Expected::Link { target, .. } => {
            let found = disk.read_link_at(folder, aside);
            found.is_ok_and(|found| found == *target)
        }
        _ => {
            look_up_again(disk, folder, aside)
                .and_then(|()| holds_expected_afresh(disk, write, folder, aside))
                .unwrap_or(false)
                && old_file.is_quiet(disk)
        }
    };
    if !is_it {
        return back(CommitFailure::Changed);
    }
    let given = match disk.link_at(folder, aside, to_folder, &to.name) {
        Ok(()) => {
            // If this fails the file has two names; recovery removes the temporary one.
            let _ = twice(|| disk.remove_at(folder, aside));
            RenameSafety::NeverReplaces
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return back(CommitFailure::Exists);
        }
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            return back(CommitFailure::NoRename);
        }
        Err(error) if is_linkless(&error) => {
            // A file is copied instead; a link is renamed with the flag that may be ignored.
            if old_file.protection != Protection::Immutable {
                return back(CommitFailure::NoRename);
            }
            match disk.move_at(folder, aside, to_folder, &to.name) {
                Ok(()) => RenameSafety::CheckedFirst,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return back(CommitFailure::Exists);
                }
                Err(_) => return back(CommitFailure::NoRename),
            }
        }
        Err(error) => return back(refused(error)),
    };
    // If the stamp cannot be read, the next check compares content.
    let stat = || disk.stat_at(to_folder, &to.name);
    let stamp = stat().or_else(|_| stat()).unwrap_or(old_file.stamp);
    Ok((stamp, given))
}

fn gone(old_file: &Stamp, write: &Write<'_>, guarantee: Guarantee) -> Written {
    let revision = write.expected.revision();
    Written {
        stamp: *old_file,
        revision: revision.unwrap_or_else(|| Revision::of_content(b"")),
        guarantee,
        durable: false,
        created_folders: Vec::new(),
        warnings: Vec::new(),
        displaced: None,
    }
}

fn refused(error: io::Error) -> CommitFailure {
    match error.kind() {
        io::ErrorKind::NotFound => CommitFailure::Changed,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            CommitFailure::ReadOnly(ReadOnlyReason::from_error(&error, ReadOnlyReason::Folder))
        }
        _ => CommitFailure::Io {
            step: "rename",
            source: error,
        },
    }
}
