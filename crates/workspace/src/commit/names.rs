//! Creates, removes and moves files by the rules of the exchange: nothing is replaced, and a displaced file is verified
//! before it counts as removed.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::Arc;

use super::applied::{AppliedWrite, RollbackData};
use super::free_name::{RenameSafety, is_link_unsupported, rename_to_free_name};
use super::fresh_look::{force_lookup, reopen_and_compare_expected};
use super::lease::{CheckedFile, DisplacedCheck, LeaseProtection, verify_displaced};
use super::move_aside::restore_old_name;
use super::new_link::link_opened_file;
use super::ready::MoveTarget;
use super::retry::retry_once;
use super::scratch::{NameState, Scratch, is_unsupported};
use super::stage::StagedCreation;
use super::swap::update_stamp;
use super::{
    CommitFailure, ExpectedState, FileWrite, ReadOnlyReason, WriteGuarantee, WriteMethod,
    WriteOutcome, WriteWarning,
};
use crate::disk::{AttributesCopied, ReplaceMode};
use crate::locate::Located;
use crate::mounts::{MissingFeature, RenameTrust};
use crate::revision::Revision;
use crate::stamp::Stamp;

/// Links the new file to its name; fails if the name exists.
pub(super) fn create_file(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    creation: StagedCreation,
) -> Result<AppliedWrite, CommitFailure> {
    let disk = scratch.disk();
    let StagedCreation {
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
        NameState::Unnamed => match disk.link_unnamed(temporary.file.as_fd(), folder, name) {
            Err(error) if is_unsupported(&error) || error.kind() == io::ErrorKind::NotFound => {
                scratch
                    .workspace
                    .mounts
                    .record_missing(0, MissingFeature::UnnamedFiles);
                return Err(CommitFailure::RetryWith(WriteMethod::Exchange));
            }
            other => other.map(|()| RenameSafety::NeverReplaces),
        },
        NameState::OtherName => {
            link_opened_file(scratch, write, &temporary, &ours)?;
            Ok(RenameSafety::NeverReplaces)
        }
        NameState::NameFlush => {
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
    scratch.release_name(&temporary.name);
    let mut written = WriteOutcome {
        stamp: ours,
        revision,
        guarantee: match given {
            RenameSafety::NeverReplaces => WriteGuarantee::Create,
            RenameSafety::CheckedFirst => WriteGuarantee::Weak,
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
    update_stamp(disk, write, &temporary, &before, &mut written);
    if carried == AttributesCopied::NotAll {
        written.warnings.push(WriteWarning::AttributesLost);
    }
    let is_of = |owner: (u32, u32)| owner == (ours.uid, ours.gid);
    if write.options.owner.is_some_and(|owner| !is_of(owner)) {
        written.warnings.push(WriteWarning::OwnerLost);
    }
    Ok(AppliedWrite {
        written,
        folder: Arc::clone(&temporary.folder),
        rollback: RollbackData::Create { temporary },
    })
}

/// Removes a file from its name; it is stored later.
pub(super) fn remove_file(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    aside: OsString,
    mut old_file: CheckedFile,
) -> Result<AppliedWrite, CommitFailure> {
    let disk = scratch.disk();
    let folder = write.located.folder();
    disk.rename_at(folder, &write.located.name, &aside, ReplaceMode::Over)
        .map_err(removal_failure)?;
    match verify_displaced(scratch, write, &aside, &old_file) {
        DisplacedCheck::SameFile => {}
        DisplacedCheck::SameContent(other) => old_file = other,
        DisplacedCheck::Different(failure) => {
            return Err(restore_old_name(scratch, write, &aside, failure));
        }
    }
    Ok(AppliedWrite {
        written: written_for_removed(&old_file.stamp, write, WriteGuarantee::Remove),
        folder: Arc::clone(&write.located.folder),
        rollback: RollbackData::Aside {
            old: aside,
            old_file,
        },
    })
}

/// Renames a file to another name, which must be free.
pub(super) fn rename_file(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    to: &Located,
    target: MoveTarget,
    old_file: CheckedFile,
    aside: OsString,
) -> Result<AppliedWrite, CommitFailure> {
    let folder = write.located.folder();
    let to_folder = target.folder;
    let (stamp, given) = match scratch.rename_trust(folder) {
        RenameTrust::Exact => {
            let stamp = try_rename(scratch, write, to, to_folder.as_fd(), &old_file)?;
            (stamp, RenameSafety::NeverReplaces)
        }
        RenameTrust::Doubtful => {
            rename_by_link(scratch, write, to, to_folder.as_fd(), &old_file, &aside)?
        }
    };
    let written = WriteOutcome {
        stamp,
        created_folders: target.created_folders,
        warnings: given.warnings(),
        ..written_for_removed(&old_file.stamp, write, WriteGuarantee::Move)
    };
    Ok(AppliedWrite {
        written,
        folder: Arc::clone(&write.located.folder),
        rollback: RollbackData::Move {
            to_folder,
            to: to.name.clone(),
            old_file,
        },
    })
}

fn try_rename(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
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
            _ if is_unsupported(&error) => CommitFailure::NoRename,
            _ => removal_failure(error),
        })?;
    let stat = || disk.stat_at(to_folder, &to.name);
    let moved = stat().or_else(|_| stat()).ok();
    moved
        .filter(|now| now.is_same_file(&old_file.stamp) && old_file.has_no_new_writer(disk))
        .ok_or_else(|| {
            let back = || disk.move_at(to_folder, &to.name, folder, &write.located.name);
            match retry_once(back) {
                Ok(()) => CommitFailure::Changed,
                Err(_) => CommitFailure::Conflict(vec![to.path().to_owned()]),
            }
        })
}

/// Moves a file where the flags of a rename may be ignored: it is renamed away, verified, and linked to its new name.
fn rename_by_link(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
    to: &Located,
    to_folder: BorrowedFd<'_>,
    old_file: &CheckedFile,
    aside: &OsStr,
) -> Result<(Stamp, RenameSafety), CommitFailure> {
    let disk = scratch.disk();
    let folder = write.located.folder();
    disk.rename_at(folder, &write.located.name, aside, ReplaceMode::Over)
        .map_err(removal_failure)?;
    let back = |failure| Err(restore_old_name(scratch, write, aside, failure));
    let is_it = match &write.expected {
        ExpectedState::Link { target, .. } => {
            let found = disk.read_link_at(folder, aside);
            found.is_ok_and(|found| found == *target)
        }
        _ => {
            force_lookup(disk, folder, aside)
                .and_then(|()| reopen_and_compare_expected(disk, write, folder, aside))
                .unwrap_or(false)
                && old_file.has_no_new_writer(disk)
        }
    };
    if !is_it {
        return back(CommitFailure::Changed);
    }
    let given = match disk.link_at(folder, aside, to_folder, &to.name) {
        Ok(()) => {
            // If this fails the file has two names; recovery removes the temporary one.
            let _ = retry_once(|| disk.remove_at(folder, aside));
            RenameSafety::NeverReplaces
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return back(CommitFailure::Exists);
        }
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            return back(CommitFailure::NoRename);
        }
        Err(error) if is_link_unsupported(&error) => {
            // A file is copied instead; a link is renamed with the flag that may be ignored.
            if old_file.protection != LeaseProtection::Immutable {
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
        Err(error) => return back(removal_failure(error)),
    };
    // If the stamp cannot be read, the next check compares content.
    let stat = || disk.stat_at(to_folder, &to.name);
    let stamp = stat().or_else(|_| stat()).unwrap_or(old_file.stamp);
    Ok((stamp, given))
}

fn written_for_removed(
    old_file: &Stamp,
    write: &FileWrite<'_>,
    guarantee: WriteGuarantee,
) -> WriteOutcome {
    let revision = write.expected.revision();
    WriteOutcome {
        stamp: *old_file,
        revision: revision.unwrap_or_else(|| Revision::from_content(b"")),
        guarantee,
        durable: false,
        created_folders: Vec::new(),
        warnings: Vec::new(),
        displaced: None,
    }
}

fn removal_failure(error: io::Error) -> CommitFailure {
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
