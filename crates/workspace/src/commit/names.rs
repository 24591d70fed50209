//! Creates, removes and moves files by the rules of the exchange: nothing is replaced, and a displaced file is
//! verified before it counts as removed.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd as _;
use std::sync::Arc;

use super::lease::{CheckedFile, Displacement, verify_displaced};
use super::move_aside::{RenameSafety, put_back, rename_to_free_name};
use super::rollback::{Applied, Rollback, twice};
use super::scratch::{Naming, Scratch, is_unknown};
use super::stage::Creation;
use super::swap::settle_stamp;
use super::{
    CommitFailure, Guarantee, Method, MoveTarget, ReadOnlyReason, Warning, Write, Written,
};
use crate::disk::{AttributesCopied, Disk, Replace};
use crate::locate::Located;
use crate::mounts::MissingFeature;
use crate::revision::Revision;
use crate::stamp::Stamp;

/// Links the new file to its name; fails where the name exists.
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
        Naming::NameFlush => rename_to_free_name(disk, folder, &temporary.name, name),
    };
    let given = given.map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => CommitFailure::Exists,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            CommitFailure::ReadOnly(ReadOnlyReason::of(&source, ReadOnlyReason::Folder))
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

/// A file or link that is moved, compared with what is expected.
pub(super) enum MovedFile {
    File(CheckedFile),
    Link(Stamp),
}

impl MovedFile {
    fn stamp(&self) -> &Stamp {
        match self {
            MovedFile::File(file) => &file.stamp,
            MovedFile::Link(stamp) => stamp,
        }
    }

    fn is_quiet(&self, disk: &dyn Disk) -> bool {
        match self {
            MovedFile::File(file) => file.is_quiet(disk),
            // Nobody can write into a link.
            MovedFile::Link(_) => true,
        }
    }
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
    old_file: MovedFile,
) -> Result<Applied, CommitFailure> {
    let disk = scratch.disk();
    let folder = write.located.folder();
    let to_folder = target.folder;
    disk.move_at(folder, &write.located.name, to_folder.as_fd(), &to.name)
        .map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => CommitFailure::Exists,
            io::ErrorKind::CrossesDevices => CommitFailure::NoRename,
            _ if is_unknown(&error) => CommitFailure::NoRename,
            _ => refused(error),
        })?;
    let stat = || disk.stat_at(to_folder.as_fd(), &to.name);
    let moved = stat().or_else(|_| stat());
    let Some(stamp) = moved
        .ok()
        .filter(|now| now.same_file(old_file.stamp()) && old_file.is_quiet(disk))
    else {
        let back = || disk.move_at(to_folder.as_fd(), &to.name, folder, &write.located.name);
        return Err(match twice(back) {
            Ok(()) => CommitFailure::Changed,
            Err(_) => CommitFailure::Conflict(vec![to.path().to_owned()]),
        });
    };
    let written = Written {
        stamp,
        created_folders: target.created_folders,
        ..gone(old_file.stamp(), write, Guarantee::Move)
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

fn gone(old_file: &Stamp, write: &Write<'_>, guarantee: Guarantee) -> Written {
    let revision = write.expected.revision();
    Written {
        stamp: *old_file,
        revision: revision.unwrap_or_else(|| Revision::of(b"")),
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
            CommitFailure::ReadOnly(ReadOnlyReason::of(&error, ReadOnlyReason::Folder))
        }
        _ => CommitFailure::Io {
            step: "rename",
            source: error,
        },
    }
}
