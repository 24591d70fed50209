//! Gives an existing file one more name (a hard link). The file is leased and compared before, and looked at again right
//! before and right after its new name is made: a file that another program has written since gets none.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;

use rustix::io::Errno;

use super::check::open_failure;
use super::free_name::is_link_unsupported;
use super::lease::take_lease;
use super::scratch::{NameState, Scratch, TemporaryFile, temporary_name};
use super::stage::NewFile;
use super::{CommitFailure, FileWrite, NewBytes, ReadOnlyReason};
use crate::disk::{AttributesCopied, Lease, OpenMode};
use crate::locate::Located;
use crate::revision::Revision;
use crate::scan::{KnownContent, has_content};
use crate::stamp::Stamp;

/// Opens the file that gets a name in `folder`; fails if it is not the one that was located, or has another content.
pub(super) fn open_linked_file(
    scratch: &Scratch<'_>,
    folder: &Arc<OwnedFd>,
    to: &Located,
    revision: Revision,
) -> Result<NewFile, CommitFailure> {
    let disk = scratch.disk();
    let (file, stamp) = to.open_file(OpenMode::Read).map_err(open_failure)?;
    let patience = scratch.workspace.lease_patience;
    take_lease(scratch, &file, Lease::Read, patience)?;
    let is_it = to.stat().is_some_and(|then| is_unwritten(&then, &stamp));
    let content = KnownContent::Revision(revision);
    let compare = || has_content(disk, file.as_fd(), stamp.size, content);
    if !is_it || !compare().map_err(CommitFailure::at_step("read"))? {
        return Err(CommitFailure::Changed);
    }
    Ok(NewFile {
        temporary: TemporaryFile {
            folder: Arc::clone(folder),
            name: temporary_name(),
            file,
            naming: NameState::OtherName,
        },
        ours: stamp,
        revision,
        carried: AttributesCopied::All,
    })
}

/// Makes the new name of a file that was opened.
pub(super) fn link_opened_file(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
    temporary: &TemporaryFile,
    ours: &Stamp,
) -> Result<(), CommitFailure> {
    let NewBytes::HardLink { to, .. } = write.new else {
        return Err(CommitFailure::Changed);
    };
    let disk = scratch.disk();
    let (folder, name) = (temporary.folder.as_fd(), &write.located.name);
    let is_unwritten_now = || {
        disk.stat(temporary.file.as_fd())
            .is_ok_and(|now| is_unwritten(ours, &now))
    };
    if !is_unwritten_now() {
        return Err(CommitFailure::Changed);
    }
    disk.link_at(to.folder(), &to.name, folder, name)
        .map_err(link_failure)?;
    let is_it = disk
        .stat_at(folder, name)
        .is_ok_and(|now| now.is_same_file(ours));
    if is_it && is_unwritten_now() {
        return Ok(());
    }
    // Another file had the name in between. The new name is removed, and the file keeps its own.
    match disk
        .remove_at(folder, name)
        .or_else(|_| disk.remove_at(folder, name))
    {
        Ok(()) => Err(CommitFailure::Changed),
        Err(source) => Err(CommitFailure::Io {
            step: "link",
            source,
        }),
    }
}

/// Returns whether a stat is of the same file, without a write in between. Links that were made or removed do not count.
fn is_unwritten(before: &Stamp, now: &Stamp) -> bool {
    now.is_same_file(before)
        && (now.size, now.mtime, now.mode) == (before.size, before.mtime, before.mode)
}

/// Returns why a hard link was not made. Where the file system has none, or the system forbids it, a copy can be made.
fn link_failure(error: io::Error) -> CommitFailure {
    match Errno::from_io_error(&error) {
        Some(Errno::EXIST) => CommitFailure::Exists,
        Some(Errno::NOENT) => CommitFailure::Changed,
        Some(Errno::XDEV | Errno::MLINK | Errno::PERM) => CommitFailure::NoRename,
        Some(Errno::ACCESS) => CommitFailure::ReadOnly(ReadOnlyReason::Folder),
        _ if is_link_unsupported(&error) => CommitFailure::NoRename,
        _ => CommitFailure::Io {
            step: "link",
            source: error,
        },
    }
}
