//! Staging, the first phase of a commit, touches nothing of the old file and holds neither lock nor lease. It writes
//! and flushes the new content into a temporary file with the old one's mode, owner and attributes. For a rewrite in
//! place it stores the old bytes, from which a crash is recovered; for a removal or a move it only opens the file.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

use super::applied::StagedRewrite;
use super::check::{CurrentFile, check_base, open_failure};
use super::flush::flush_file;
use super::hard_links::{breaks_hard_links, wait_for_stable_links};
use super::in_place;
use super::links;
use super::new_folders::make_folders;
use super::new_link::open_linked_file;
use super::owner::give_to_owner;
use super::scratch::{Scratch, TemporaryFile, temporary_name};
use super::{
    CommitFailure, ExecutableChange, FileWrite, NewBytes, OldFilePermission, ReadOnlyReason,
    WriteMethod, WriteStrategy,
};
use crate::content::{HashingWriter, write_content};
use crate::disk::{AttributesCopied, Disk, OpenMode};
use crate::mounts::MissingFeature;
use crate::revision::Revision;
use crate::stamp::Stamp;

/// A staged write: all that can be done before the file itself changes.
pub(super) enum StagedWrite {
    /// A new file or link for an existing name, and the handle of the old file; none where that is a link.
    Replace(StagedReplacement, Option<OwnedFd>),
    /// A new file that will take a free name.
    Create(StagedCreation),
    /// The old bytes are stored; the file will be rewritten.
    InPlace(StagedRewrite),
    /// The file will be removed or moved.
    RemoveOrMove {
        /// None for a symbolic link.
        handle: Option<OwnedFd>,
        checked: Stamp,
        /// The temporary name of the removed file.
        aside: OsString,
    },
}

/// A new file or link that will replace an existing one.
pub(super) struct StagedReplacement {
    pub(super) temporary: TemporaryFile,
    /// The stamp of the new file; its inode identifies it.
    pub(super) ours: Stamp,
    pub(super) revision: Revision,
    /// The stamp of the old file when it was compared with what the caller expects, before staging.
    pub(super) checked: Stamp,
    pub(super) method: WriteMethod,
    /// Whether all attributes of the old file were copied.
    pub(super) carried: AttributesCopied,
}

/// A new file or link for a free name.
pub(super) struct StagedCreation {
    pub(super) temporary: TemporaryFile,
    pub(super) ours: Stamp,
    pub(super) revision: Revision,
    pub(super) created_folders: Vec<PathBuf>,
    /// Whether all attributes of the file it is a copy of were copied.
    pub(super) carried: AttributesCopied,
}

impl StagedWrite {
    /// Returns the folder in which names change.
    pub(super) fn folder<'s>(&'s self, write: &'s FileWrite<'_>) -> &'s Arc<OwnedFd> {
        match self {
            StagedWrite::Create(creation) => &creation.temporary.folder,
            _ => &write.located.folder,
        }
    }
}

pub(super) fn stage_write(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    current: CurrentFile,
    forced: Option<WriteMethod>,
) -> Result<StagedWrite, CommitFailure> {
    let (handle, stamp) = match current {
        CurrentFile::Absent => return stage_new_file(scratch, write).map(StagedWrite::Create),
        CurrentFile::File { handle, stamp } => (Some(handle), stamp),
        CurrentFile::WithoutBytes(stamp) => (None, stamp),
    };
    if write.removes_its_name() {
        return Ok(StagedWrite::RemoveOrMove {
            handle,
            checked: stamp,
            aside: temporary_name(),
        });
    }
    let handle = match handle {
        Some(handle) if !write.is_without_bytes() => handle,
        handle => return links::stage(scratch, write, handle, stamp, forced),
    };
    let stamp = wait_for_stable_links(scratch, write, &handle, stamp)?;
    match forced.unwrap_or_else(|| choose_method(scratch, write, &stamp)) {
        // A rewrite in place also changes the file's other hard links. The policy allowed it for the file that was
        // located, with its links; for another file, or one with more links, the policy must decide again.
        WriteMethod::InPlace if !is_unchanged_since_located(write, &stamp) => {
            Err(CommitFailure::Changed)
        }
        // The other names are of another file, which is not meant.
        WriteMethod::InPlace
            if stamp.links > 1 && write.options.permission == OldFilePermission::NotNeeded =>
        {
            Err(CommitFailure::ReadOnly(ReadOnlyReason::Folder))
        }
        WriteMethod::InPlace => {
            in_place::stage_rewrite(scratch, write, handle, stamp).map(StagedWrite::InPlace)
        }
        method => stage_replacement(scratch, write, &handle, stamp, method)
            .map(|replacement| StagedWrite::Replace(replacement, Some(handle))),
    }
}

fn choose_method(scratch: &mut Scratch<'_>, write: &FileWrite<'_>, stamp: &Stamp) -> WriteMethod {
    let keeps_links = stamp.links > 1 && !breaks_hard_links(write);
    if write.options.strategy == WriteStrategy::InPlace || keeps_links {
        WriteMethod::InPlace
    } else {
        choose_rename(scratch, write, stamp)
    }
}

/// Chooses how a new file takes the name of an old one.
pub(super) fn choose_rename(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    stamp: &Stamp,
) -> WriteMethod {
    if scratch
        .workspace
        .mounts
        .lacks_feature(stamp.device, MissingFeature::Exchange)
        || !scratch.can_exchange(write)
    {
        WriteMethod::MoveAside
    } else {
        WriteMethod::Exchange
    }
}

/// Returns whether the file at the name is the one that was located, with as many hard links.
fn is_unchanged_since_located(write: &FileWrite<'_>, now: &Stamp) -> bool {
    let located = write.located.stat();
    located.is_some_and(|then| then.is_same_file(now) && then.links == now.links)
}

fn stage_replacement(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    handle: &OwnedFd,
    old: Stamp,
    method: WriteMethod,
) -> Result<StagedReplacement, CommitFailure> {
    let disk = scratch.disk();
    // Mode 0600 until the file gets its final mode: no other user can read the new bytes before.
    let temporary = scratch
        .create_temporary(&write.located.folder, 0o600, old.device)
        .map_err(|source| match source.kind() {
            // The folder is not writable; the file itself may be.
            io::ErrorKind::PermissionDenied => CommitFailure::RetryWith(WriteMethod::InPlace),
            _ => create_failure(source),
        })?;
    let file = temporary.file.as_fd();
    let mut sink = HashingWriter::new(disk, file).with_revision(write.revision);
    let base = write_content(&write.new, Some((handle.as_fd(), old.size)), &mut sink)
        .map_err(write_failure)?;
    check_base(write, base)?;
    let (_, revision) = sink.finish();
    let ours = disk.stat(file).map_err(CommitFailure::at_step("look"))?;
    let carried = copy_metadata(disk, write, &temporary, handle, &old, Some(&ours))?;
    flush_file(disk, file)?;
    Ok(StagedReplacement {
        temporary,
        ours,
        revision,
        checked: old,
        method,
        carried,
    })
}

/// Copies owner, attributes and mode of the old file to the new one, unless another mode is wanted. If the owner cannot
/// be set, the file must be rewritten in place. `ours` is the stamp of the new file, if known.
pub(super) fn copy_metadata(
    disk: &dyn Disk,
    write: &FileWrite<'_>,
    temporary: &TemporaryFile,
    old: &OwnedFd,
    stamp: &Stamp,
    ours: Option<&Stamp>,
) -> Result<AttributesCopied, CommitFailure> {
    let file = temporary.file.as_fd();
    // Most files already have the right owner.
    if ours.is_none_or(|ours| (ours.uid, ours.gid) != (stamp.uid, stamp.gid)) {
        match disk.set_owner(file, stamp.uid, stamp.gid) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Err(CommitFailure::RetryWith(WriteMethod::InPlace));
            }
            other => other.map_err(CommitFailure::at_step("owner"))?,
        }
    }
    // After the owner: changing it clears set-user-id and capabilities.
    let carried = disk
        .copy_attributes(old.as_fd(), file)
        .map_err(CommitFailure::at_step("attributes"))?;
    let mode = write.options.mode.unwrap_or_else(|| stamp.permissions());
    let mode = write.options.executable.apply_to_mode(mode);
    disk.set_permissions(file, mode & 0o7777)
        .map_err(CommitFailure::at_step("mode"))?;
    Ok(carried)
}

/// Opens the file whose content and metadata a new one gets.
fn open_source(write: &FileWrite<'_>) -> Result<Option<(OwnedFd, Stamp)>, CommitFailure> {
    let NewBytes::CopiedFrom { from, .. } = write.new else {
        return Ok(None);
    };
    from.open_file(OpenMode::Read)
        .map(Some)
        .map_err(open_failure)
}

/// Sets the metadata of a copy to that of its original, after a check that the original had the expected content.
fn finish_copy(
    disk: &dyn Disk,
    write: &FileWrite<'_>,
    temporary: &TemporaryFile,
    (original, stamp): (&OwnedFd, &Stamp),
    found: Option<Revision>,
) -> Result<AttributesCopied, CommitFailure> {
    let NewBytes::CopiedFrom {
        revision, changes, ..
    } = write.new
    else {
        return Ok(AttributesCopied::All);
    };
    if found != Some(revision) {
        return Err(CommitFailure::Changed);
    }
    let carried =
        copy_metadata(disk, write, temporary, original, stamp, None).map_err(|failure| {
            match failure {
                // There is nothing yet that could be rewritten in place.
                CommitFailure::RetryWith(_) => CommitFailure::Io {
                    step: "owner",
                    source: io::ErrorKind::PermissionDenied.into(),
                },
                failure => failure,
            }
        })?;
    if changes.is_empty() {
        // A rename would have kept the time. If this fails, the copy has the current time instead.
        let _ = disk.set_modified(temporary.file.as_fd(), stamp.mtime);
    }
    Ok(carried)
}

fn stage_new_file(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
) -> Result<StagedCreation, CommitFailure> {
    if write.removes_its_name() {
        return Err(CommitFailure::Changed);
    }
    let (folder, created_folders) = make_folders(scratch, write.located)?;
    let new = match write.new {
        NewBytes::Link(target) => links::make(scratch, write, &folder, target)?,
        NewBytes::HardLink { to, revision } => open_linked_file(scratch, &folder, to, revision)?,
        NewBytes::EmptyFolder { mode } => links::make_folder(scratch, write, &folder, mode)?,
        _ => make_file(scratch, write, &folder)?,
    };
    Ok(StagedCreation {
        temporary: new.temporary,
        ours: new.ours,
        revision: new.revision,
        created_folders,
        carried: new.carried,
    })
}

/// A new file or link under a temporary name, or without a name.
pub(super) struct NewFile {
    pub(super) temporary: TemporaryFile,
    pub(super) ours: Stamp,
    pub(super) revision: Revision,
    /// Whether all attributes of the file it is a copy of were copied.
    pub(super) carried: AttributesCopied,
}

/// Writes the new content into a file that does not take over the metadata of an old one.
pub(super) fn make_file(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    folder: &Arc<OwnedFd>,
) -> Result<NewFile, CommitFailure> {
    let disk = scratch.disk();
    let mode = write.options.mode;
    let source = open_source(write)?;
    // A file that gets its mode later is private until then; any other is created with the umask or the folder's
    // default ACL, like every new file.
    let is_private = mode.is_some() || source.is_some();
    let temporary = scratch
        .create_temporary(folder, if is_private { 0o600 } else { 0o666 }, 0)
        .map_err(create_failure)?;
    let file = temporary.file.as_fd();
    let mut sink = HashingWriter::new(disk, file).with_revision(write.revision);
    let base = source
        .as_ref()
        .map(|(original, stamp)| (original.as_fd(), stamp.size));
    let base = write_content(&write.new, base, &mut sink).map_err(write_failure)?;
    let (_, revision) = sink.finish();
    let mut carried = AttributesCopied::All;
    match (&source, mode, write.options.executable) {
        (Some((original, stamp)), _, _) => {
            carried = finish_copy(disk, write, &temporary, (original, stamp), base)?;
        }
        (None, Some(mode), executable) => {
            // Before the permission bits: changing the owner clears set-user-id.
            let allowed = give_to_owner(disk, write, file)?;
            disk.set_permissions(file, executable.apply_to_mode(mode) & allowed)
                .map_err(CommitFailure::at_step("mode"))?;
        }
        (None, None, ExecutableChange::Keep) => {}
        (None, None, executable) => {
            let made = disk.stat(file).map_err(CommitFailure::at_step("look"))?;
            disk.set_permissions(file, executable.apply_to_mode(made.permissions()))
                .map_err(CommitFailure::at_step("mode"))?;
        }
    }
    flush_file(disk, file)?;
    let ours = disk.stat(file).map_err(CommitFailure::at_step("look"))?;
    Ok(NewFile {
        temporary,
        ours,
        revision,
        carried,
    })
}

fn write_failure(source: io::Error) -> CommitFailure {
    match source.kind() {
        // The file that the bytes are read from was truncated meanwhile.
        io::ErrorKind::UnexpectedEof => CommitFailure::Changed,
        _ => CommitFailure::Io {
            step: "write",
            source,
        },
    }
}

pub(super) fn create_failure(source: io::Error) -> CommitFailure {
    match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            CommitFailure::ReadOnly(ReadOnlyReason::from_error(&source, ReadOnlyReason::Folder))
        }
        _ => CommitFailure::Io {
            step: "create",
            source,
        },
    }
}
