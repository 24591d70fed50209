//! Staging of symbolic links and empty folders: one that gets a free name, one that replaces a file, a link or an empty
//! folder, and a file that replaces one. They have no bytes to flush and cannot be rewritten in place, so the name is
//! exchanged, or what had it is renamed away.

use std::ffi::OsStr;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;

use super::scratch::Scratch;
use super::stage::{
    NewFile, StagedReplacement, StagedWrite, choose_rename, create_failure, make_file,
};
use super::{CommitFailure, FileWrite, NewBytes, ReadOnlyReason, WriteMethod};
use crate::disk::AttributesCopied;
use crate::revision::Revision;
use crate::stamp::Stamp;

/// Stages a replacement where the old file, the new one or both are links or empty folders.
pub(super) fn stage(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    handle: Option<OwnedFd>,
    old: Stamp,
    forced: Option<WriteMethod>,
) -> Result<StagedWrite, CommitFailure> {
    let method = match forced {
        // The name cannot be replaced.
        Some(WriteMethod::InPlace) => {
            return Err(CommitFailure::ReadOnly(ReadOnlyReason::Folder));
        }
        Some(method) => method,
        None => choose_rename(scratch, write, &old),
    };
    let folder = Arc::clone(&write.located.folder);
    let new = match write.new {
        NewBytes::Link(target) => make(scratch, write, &folder, target)?,
        NewBytes::EmptyFolder { mode } => make_folder(scratch, write, &folder, mode)?,
        _ => make_file(scratch, write, &folder)?,
    };
    let replacement = StagedReplacement {
        temporary: new.temporary,
        ours: new.ours,
        revision: new.revision,
        checked: old,
        method,
        carried: new.carried,
    };
    Ok(StagedWrite::Replace(replacement, handle))
}

/// Creates a link under a temporary name.
pub(super) fn make(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    folder: &Arc<OwnedFd>,
    target: &OsStr,
) -> Result<NewFile, CommitFailure> {
    let temporary = scratch
        .create_link(folder, target, write.located.path())
        .map_err(create_failure)?;
    let ours = scratch
        .disk()
        .stat(temporary.file.as_fd())
        .map_err(CommitFailure::at_step("look"))?;
    Ok(NewFile {
        temporary,
        ours,
        revision: Revision::from_link(target),
        carried: AttributesCopied::All,
    })
}

/// Creates a folder under a temporary name.
pub(super) fn make_folder(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    folder: &Arc<OwnedFd>,
    mode: u32,
) -> Result<NewFile, CommitFailure> {
    let disk = scratch.disk();
    let temporary = scratch
        .create_folder(folder, write.located.path())
        .map_err(create_failure)?;
    disk.set_permissions(temporary.file.as_fd(), mode & 0o7777)
        .map_err(CommitFailure::at_step("mode"))?;
    let ours = disk
        .stat(temporary.file.as_fd())
        .map_err(CommitFailure::at_step("look"))?;
    Ok(NewFile {
        temporary,
        ours,
        revision: Revision::of_empty_folder(),
        carried: AttributesCopied::All,
    })
}
