//! Staging of symbolic links and empty folders. For links: a link that gets a free name or replaces a file or another link, and a file that replaces
//! a link. A link has no bytes to flush and cannot be rewritten in place, so the name is exchanged, or the old file is
//! renamed away.

use std::ffi::OsStr;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;

use super::scratch::Scratch;
use super::stage::{NewFile, Replacement, Staged, choose_rename, create_failed, make_file};
use super::{CommitFailure, Method, NewBytes, ReadOnlyReason, Write};
use crate::disk::AttributesCopied;
use crate::revision::Revision;
use crate::stamp::Stamp;

/// Stages a replacement where the old file, the new one or both are links.
pub(super) fn stage(
    scratch: &mut Scratch<'_>,
    write: &Write<'_>,
    handle: Option<OwnedFd>,
    old: Stamp,
    forced: Option<Method>,
) -> Result<Staged, CommitFailure> {
    let method = match forced {
        // The name cannot be replaced.
        Some(Method::InPlace) => {
            return Err(CommitFailure::ReadOnly(ReadOnlyReason::Folder));
        }
        Some(method) => method,
        None => choose_rename(scratch, write, &old),
    };
    let folder = Arc::clone(&write.located.folder);
    let new = match write.new {
        NewBytes::Link(target) => make(scratch, write, &folder, target)?,
        _ => make_file(scratch, write, &folder)?,
    };
    let replacement = Replacement {
        temporary: new.temporary,
        ours: new.ours,
        revision: new.revision,
        checked: old,
        method,
        carried: new.carried,
    };
    Ok(Staged::Replace(replacement, handle))
}

/// Creates a link under a temporary name.
pub(super) fn make(
    scratch: &mut Scratch<'_>,
    write: &Write<'_>,
    folder: &Arc<OwnedFd>,
    target: &OsStr,
) -> Result<NewFile, CommitFailure> {
    let temporary = scratch
        .create_link(folder, target, write.located.path())
        .map_err(create_failed)?;
    let ours = scratch
        .disk()
        .stat(temporary.file.as_fd())
        .map_err(CommitFailure::at("look"))?;
    Ok(NewFile {
        temporary,
        ours,
        revision: Revision::of_link(target),
        carried: AttributesCopied::All,
    })
}

/// Creates a folder under a temporary name.
pub(super) fn make_folder(
    scratch: &mut Scratch<'_>,
    write: &Write<'_>,
    folder: &Arc<OwnedFd>,
    mode: u32,
) -> Result<NewFile, CommitFailure> {
    let disk = scratch.disk();
    let temporary = scratch
        .create_folder(folder, write.located.path())
        .map_err(create_failed)?;
    disk.set_permissions(temporary.file.as_fd(), mode & 0o7777)
        .map_err(CommitFailure::at("mode"))?;
    let ours = disk
        .stat(temporary.file.as_fd())
        .map_err(CommitFailure::at("look"))?;
    Ok(NewFile {
        temporary,
        ours,
        revision: Revision::of_empty_folder(),
        carried: AttributesCopied::All,
    })
}
