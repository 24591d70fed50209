//! The steps that an exchange of names and a move aside share: the last update of the new file, the check of the
//! displaced one, and the result that is reported.

use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd as _;
use std::sync::Arc;

use super::applied::{AppliedWrite, RollbackData};
use super::fresh_look::reopen_and_compare_revision;
use super::hard_links::breaks_hard_links;
use super::lease::{CheckedFile, DisplacedCheck, verify_displaced};
use super::scratch::{Scratch, TemporaryFile};
use super::stage::{StagedReplacement, copy_metadata};
use super::{
    CommitFailure, FileWrite, NewBytes, ReadOnlyReason, WriteGuarantee, WriteMethod, WriteOutcome,
    WriteWarning,
};
use crate::disk::{AttributesCopied, Disk};
use crate::mounts::{RenameTrust, rename_trust};
use crate::revision::Revision;
use crate::stamp::{FileType, Stamp, later_time};

/// Updates the new file right before the swap: its modification time, and the mode and attributes if those of the old
/// file have changed since staging.
pub(super) fn update_metadata(
    disk: &dyn Disk,
    write: &FileWrite<'_>,
    replacement: &StagedReplacement,
    old_file: &CheckedFile,
) -> Result<(), CommitFailure> {
    let (temporary, checked) = (&replacement.temporary, &replacement.checked);
    let is_changed = old_file.stamp.ctime != checked.ctime || !old_file.stamp.is_same_file(checked);
    if is_changed && !write.is_without_bytes() {
        // Whether all attributes were copied is known from staging.
        let _ = copy_metadata(
            disk,
            write,
            temporary,
            &old_file.handle,
            &old_file.stamp,
            None,
        )?;
    }
    if replacement.ours.is_link() {
        return Ok(());
    }
    let time = later_time(old_file.stamp.mtime, disk.now());
    disk.set_modified(temporary.file.as_fd(), time)
        .map_err(CommitFailure::at_step("time"))
}

/// Verifies the file that was displaced to `aside`; fails if it does not have the content that was checked. If another
/// file with the same content was displaced, that one becomes `old_file`. The caller holds `old_file`, and with it the
/// lease, until the displaced file has its name back: a program that waits for the lease must find the file there.
pub(super) fn verify_and_adopt(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
    temporary: &TemporaryFile,
    aside: &OsStr,
    old_file: &mut CheckedFile,
) -> Result<(), CommitFailure> {
    match verify_displaced(scratch, write, aside, old_file) {
        DisplacedCheck::SameFile => Ok(()),
        DisplacedCheck::SameContent(other) => {
            // Another program replaced the file by an equal one: copy the metadata from that.
            if !write.is_without_bytes() {
                let disk = scratch.disk();
                let _ = copy_metadata(disk, write, temporary, &other.handle, &other.stamp, None);
            }
            *old_file = other;
            Ok(())
        }
        DisplacedCheck::Different(failure) => Err(failure),
    }
}

/// Returns the write by which a new file has taken the name, with the data needed to undo it.
pub(super) fn applied_replacement(
    disk: &dyn Disk,
    write: &FileWrite<'_>,
    replacement: StagedReplacement,
    old: &Stamp,
    guarantee: WriteGuarantee,
    warnings: Vec<WriteWarning>,
    rollback: impl FnOnce(TemporaryFile) -> RollbackData,
) -> AppliedWrite {
    let mut written = WriteOutcome {
        stamp: replacement.ours,
        revision: replacement.revision,
        guarantee,
        durable: false,
        created_folders: Vec::new(),
        warnings,
        displaced: None,
    };
    update_stamp(disk, write, &replacement.temporary, old, &mut written);
    // A folder has a link for each folder in it.
    if old.kind() == FileType::File && old.links > 1 && breaks_hard_links(write) {
        written.warnings.push(WriteWarning::LinksBroken);
    }
    if replacement.carried == AttributesCopied::NotAll {
        written.warnings.push(WriteWarning::AttributesLost);
    }
    AppliedWrite {
        written,
        folder: Arc::clone(&write.located.folder),
        rollback: rollback(replacement.temporary),
    }
}

/// Reads the stamp of the new file at its name; warns if another program's file is there instead.
pub(super) fn update_stamp(
    disk: &dyn Disk,
    write: &FileWrite<'_>,
    temporary: &TemporaryFile,
    old: &Stamp,
    written: &mut WriteOutcome,
) {
    let ours = written.stamp;
    let stat = || disk.stat_at(temporary.folder.as_fd(), &write.located.name);
    match stat().or_else(|_| stat()) {
        Ok(now) if now.is_same_file(&ours) => written.stamp = now,
        Ok(now) if is_our_file_with_new_inode(disk, write, temporary, written.revision) => {
            written.stamp = now;
        }
        Ok(_) => written.warnings.push(WriteWarning::Overwritten),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            written.warnings.push(WriteWarning::Overwritten);
        }
        // The write is not undone; with the stamp from before the swap the next check compares content.
        Err(_) => {}
    }
    let is_ours = !written.warnings.contains(&WriteWarning::Overwritten);
    if written.stamp.mtime <= old.mtime && is_ours && !written.stamp.is_link() {
        // The file system stores times in steps of one or two seconds.
        let file = temporary.file.as_fd();
        let _ = disk.set_modified(file, (old.mtime.0.saturating_add(2), 0));
        written.stamp = disk.stat(file).unwrap_or(written.stamp);
    }
}

/// Returns whether the file at the name is ours under another inode number, as on file systems in user space that
/// number names.
fn is_our_file_with_new_inode(
    disk: &dyn Disk,
    write: &FileWrite<'_>,
    temporary: &TemporaryFile,
    revision: Revision,
) -> bool {
    let folder = temporary.folder.as_fd();
    let name = &write.located.name;
    if let NewBytes::Link(target) = write.new {
        return disk
            .read_link_at(folder, name)
            .is_ok_and(|found| found == target);
    }
    rename_trust(disk, folder) == RenameTrust::Doubtful
        && reopen_and_compare_revision(disk, folder, name, revision).unwrap_or(false)
}

/// Maps an error of a rename that has changed nothing to the failure, or to the method to try next.
pub(super) fn rename_failure(step: &'static str, error: io::Error) -> CommitFailure {
    use rustix::io::Errno;
    match Errno::from_io_error(&error) {
        Some(Errno::NOENT) => CommitFailure::Changed,
        Some(Errno::BUSY | Errno::PERM | Errno::ACCESS | Errno::XDEV) => {
            CommitFailure::RetryWith(WriteMethod::InPlace)
        }
        Some(Errno::ROFS) => CommitFailure::ReadOnly(ReadOnlyReason::FileSystem),
        _ => CommitFailure::Io {
            step,
            source: error,
        },
    }
}
