//! Rewrites a file in place, if the name must stay with its inode (several hard links, a mount point, another owner, a
//! folder without write permission). It does so under a write lease if one is granted. The old bytes are stored and
//! flushed first, and restored if anything fails.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::applied::{AppliedWrite, FileToRewrite, RollbackData, StagedRewrite};
use super::check::{check_base, has_expected_content};
use super::flush::{close_if_uncertain, flush_file};
use super::lease::{LeaseProtection, take_lease};
use super::scratch::{STATE_FOLDER_DEVICE, Scratch};
use super::{
    CommitFailure, FileWrite, NewBytes, ReadOnlyReason, UnsafeReason, WeakProtectionPolicy,
    WriteGuarantee, WriteMethod, WriteOutcome, WriteWarning,
};
use crate::content::{HashingWriter, new_length, write_content};
use crate::disk::{Disk, FileSystemHost, Lease, OpenMode};
use crate::displaced::{DisplacedFile, Seal};
use crate::revision::Revision;
use crate::stamp::{Stamp, later_time};

pub(super) fn stage_rewrite(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    handle: OwnedFd,
    checked: Stamp,
) -> Result<StagedRewrite, CommitFailure> {
    let located = write.located;
    let disk = scratch.disk();
    let permissions = checked.permissions();
    if write.options.executable.apply_to_mode(permissions) != permissions {
        return Err(CommitFailure::Io {
            step: "mode",
            source: io::Error::other(
                "the file can only be rewritten in place, which keeps its permission bits",
            ),
        });
    }
    let keep = CommitFailure::at_step("keep the old bytes");
    let (old, kept) = scratch
        .create_displaced(&located.folder, located.path())
        .map_err(|source| match source.kind() {
            io::ErrorKind::PermissionDenied if scratch.workspace.state_folder.is_none() => {
                CommitFailure::ReadOnly(ReadOnlyReason::Folder)
            }
            _ => keep(source),
        })?;
    let mut sink = HashingWriter::new(disk, old.file.as_fd());
    let base = write_content(
        &NewBytes::COPY_UNCHANGED,
        Some((handle.as_fd(), checked.size)),
        &mut sink,
    )
    .map_err(|source| match source.kind() {
        // Another program truncated the file meanwhile.
        io::ErrorKind::UnexpectedEof => CommitFailure::Changed,
        _ => keep(source),
    })?;
    check_base(write, base)?;
    disk.sync(old.file.as_fd())
        .and_then(|()| close_if_uncertain(disk, old.file.as_fd()))
        .map_err(&keep)?;
    let next = match scratch.workspace.state_folder {
        Some(_) => Some(scratch.create_for_next_method(&old).map_err(&keep)?),
        None => None,
    };
    let mut sink = match &next {
        Some(next) => HashingWriter::new(disk, next.file.as_fd()),
        None => HashingWriter::hash_only(disk),
    };
    let base = Some((old.file.as_fd(), checked.size));
    write_content(&write.new, base, &mut sink).map_err(CommitFailure::at_step("write"))?;
    let (_, new) = sink.finish();
    if let Some(next) = &next {
        disk.sync(next.file.as_fd()).map_err(&keep)?;
    }
    Ok(StagedRewrite {
        old,
        kept,
        checked,
        new,
        next,
    })
}

/// Names the copies once the journal contains them: a crash before that leaves none, and a crash later leaves them to
/// recovery.
pub(super) fn name_stored_copies(
    scratch: &mut Scratch<'_>,
    rewrite: &mut StagedRewrite,
) -> Result<(), CommitFailure> {
    scratch.assign_name(&mut rewrite.old, STATE_FOLDER_DEVICE, WriteMethod::InPlace)?;
    if let Some(next) = &mut rewrite.next {
        scratch.assign_name(next, STATE_FOLDER_DEVICE, WriteMethod::InPlace)?;
    }
    let folder = rewrite.old.folder.as_fd();
    scratch
        .disk()
        .sync(folder)
        .map_err(CommitFailure::at_step("keep the old bytes"))
}

/// Opens the file for writing, takes the write lease and compares the content. No other handle of ours may be open on
/// it.
pub(super) fn open_and_protect(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
    rewrite: &StagedRewrite,
) -> Result<FileToRewrite, CommitFailure> {
    let disk = scratch.disk();
    let located = write.located;
    let patience = scratch.workspace.lease_patience;
    let file = open_for_rewrite(disk, write, patience)?;
    let protection = take_lease(scratch, &file, Lease::Write, patience)?;
    if protection != LeaseProtection::Leased {
        check_weak_protection(scratch, write)?;
    }
    let stamp = disk
        .stat(file.as_fd())
        .map_err(CommitFailure::at_step("look"))?;
    let at_name = match disk.stat_at(located.folder(), &located.name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(CommitFailure::Changed);
        }
        other => other.map_err(CommitFailure::at_step("last look"))?,
    };
    let same = stamp.is_same_file(&rewrite.checked)
        && stamp.links == rewrite.checked.links
        && at_name.is_same_file(&stamp);
    if !same
        || !has_expected_content(write, &file, stamp.size)
            .map_err(CommitFailure::at_step("read"))?
    {
        return Err(CommitFailure::Changed);
    }
    Ok(FileToRewrite {
        file,
        stamp,
        protection,
    })
}

/// Fails if a rewrite without full protection is not allowed.
fn check_weak_protection(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
) -> Result<(), CommitFailure> {
    let host = || scratch.disk().file_system_host(write.located.folder());
    match write.options.weak {
        WeakProtectionPolicy::Allow => Ok(()),
        WeakProtectionPolicy::Refuse => Err(CommitFailure::Unsafe(UnsafeReason::Forbidden)),
        // If the host cannot be determined, it may be another machine.
        WeakProtectionPolicy::Auto => match host().unwrap_or(FileSystemHost::Network) {
            FileSystemHost::Network => Err(CommitFailure::Unsafe(UnsafeReason::Network)),
            _ => Ok(()),
        },
    }
}

fn open_for_rewrite(
    disk: &dyn Disk,
    write: &FileWrite<'_>,
    patience: Duration,
) -> Result<OwnedFd, CommitFailure> {
    let located = write.located;
    let mut waited = Duration::ZERO;
    loop {
        match disk.open_at(located.folder(), &located.name, OpenMode::Rewrite) {
            Ok(file) => return Ok(file),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => {
                return Err(match error.kind() {
                    io::ErrorKind::NotFound => CommitFailure::Changed,
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                        CommitFailure::ReadOnly(ReadOnlyReason::from_error(
                            &error,
                            ReadOnlyReason::File,
                        ))
                    }
                    _ => CommitFailure::Io {
                        step: "open",
                        source: error,
                    },
                });
            }
        }
        // Another program holds a lease and has been notified by the attempt.
        if waited >= patience {
            return Err(CommitFailure::Busy(waited));
        }
        disk.sleep(Duration::from_millis(1));
        waited += Duration::from_millis(1);
    }
}

/// Rewrites the file. If that fails the old bytes are restored, or the error names their location.
pub(super) fn rewrite_file(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    rewrite: StagedRewrite,
    to_rewrite: FileToRewrite,
) -> Result<AppliedWrite, CommitFailure> {
    let disk = scratch.disk();
    reserve_space(disk, write, &to_rewrite)?;
    let overwritten = overwrite_file(disk, write, &rewrite, &to_rewrite).and_then(|revision| {
        // Another program put a file under the name meanwhile: that file stays, and this one is restored.
        let at_name = || disk.stat_at(write.located.folder(), &write.located.name);
        match at_name().or_else(|_| at_name()) {
            Ok(now) if now.is_same_file(&to_rewrite.stamp) => Ok((revision, now)),
            Ok(_) => Err(CommitFailure::Changed),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(CommitFailure::Changed),
            Err(source) => Err(CommitFailure::Io {
                step: "look",
                source,
            }),
        }
    });
    let (revision, mut stamp) = match overwritten {
        Ok(done) => done,
        Err(failure) => {
            return Err(match restore_old_bytes(scratch, &rewrite, &to_rewrite) {
                Ok(()) => failure,
                Err(kept) => CommitFailure::Stands(Box::new(failure), kept),
            });
        }
    };
    if stamp.mtime <= to_rewrite.stamp.mtime {
        // Rewritten within one clock tick, or on a file system that stores whole seconds.
        let file = to_rewrite.file.as_fd();
        let _ = disk.set_modified(file, later_time(to_rewrite.stamp.mtime, disk.now()));
        stamp = disk.stat(file).unwrap_or(stamp);
        if stamp.mtime <= to_rewrite.stamp.mtime {
            let _ = disk.set_modified(file, (to_rewrite.stamp.mtime.0.saturating_add(2), 0));
            stamp = disk.stat(file).unwrap_or(stamp);
        }
    }
    let written = WriteOutcome {
        stamp,
        revision,
        guarantee: match to_rewrite.protection {
            LeaseProtection::Leased => WriteGuarantee::InPlaceLeased,
            LeaseProtection::PartlyLeased
            | LeaseProtection::NotLeased
            | LeaseProtection::Immutable => WriteGuarantee::InPlace,
        },
        durable: true,
        created_folders: Vec::new(),
        warnings: match to_rewrite.protection {
            LeaseProtection::Leased => Vec::new(),
            LeaseProtection::PartlyLeased
            | LeaseProtection::NotLeased
            | LeaseProtection::Immutable => {
                vec![WriteWarning::Unprotected]
            }
        },
        displaced: None,
    };
    Ok(AppliedWrite {
        written,
        folder: Arc::clone(&write.located.folder),
        rollback: RollbackData::InPlace {
            rewrite,
            to_rewrite,
        },
    })
}

/// Stores the copy of the old bytes as the backup, if there is a state folder.
pub(super) fn store_old_bytes(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    rewrite: &StagedRewrite,
) -> Option<DisplacedFile> {
    let super::ExpectedState::Content { revision, .. } = &write.expected else {
        return None;
    };
    scratch.workspace.state_folder.as_ref()?;
    scratch.release_name(&rewrite.old.name);
    Some(DisplacedFile {
        path: rewrite.kept.clone(),
        revision: *revision,
        seal: Seal::Sealed,
    })
}

/// Reserves the additional space that the new content needs: a full disk is noticed here, before a byte is overwritten.
fn reserve_space(
    disk: &dyn Disk,
    write: &FileWrite<'_>,
    to_rewrite: &FileToRewrite,
) -> Result<(), CommitFailure> {
    let file = to_rewrite.file.as_fd();
    let old = &to_rewrite.stamp;
    disk.reserve(file, old.size, new_length(&write.new, old.size))
        .map_err(|source| {
            // Release what was reserved; the content was not touched.
            let _ = disk.set_length(file, old.size);
            let _ = disk.set_modified(file, old.mtime);
            CommitFailure::Io {
                step: "write",
                source,
            }
        })
}

fn overwrite_file(
    disk: &dyn Disk,
    write: &FileWrite<'_>,
    rewrite: &StagedRewrite,
    to_rewrite: &FileToRewrite,
) -> Result<Revision, CommitFailure> {
    let file = to_rewrite.file.as_fd();
    let old = &to_rewrite.stamp;
    let mut sink = HashingWriter::new(disk, file);
    let base = Some((rewrite.old.file.as_fd(), old.size));
    write_content(&write.new, base, &mut sink).map_err(CommitFailure::at_step("write"))?;
    let (length, revision) = sink.finish();
    if length < old.size {
        disk.set_length(file, length)
            .map_err(CommitFailure::at_step("write"))?;
    }
    if old.permissions() & 0o6000 != 0 {
        // A write clears set-user-id and set-group-id. If only the owner may set them they stay cleared, as after any
        // write.
        let _ = disk.set_permissions(file, old.permissions());
    }
    flush_file(disk, file)?;
    Ok(revision)
}

/// Overwrites an open file with the content of another one and flushes it.
pub(crate) fn overwrite_from(
    disk: &dyn Disk,
    from: BorrowedFd<'_>,
    size: u64,
    to: BorrowedFd<'_>,
) -> io::Result<()> {
    let mut sink = HashingWriter::new(disk, to);
    write_content(&NewBytes::COPY_UNCHANGED, Some((from, size)), &mut sink)?;
    disk.set_length(to, size)?;
    disk.sync(to)
}

/// Restores the old bytes and the modification time. If that fails, the copy of the old bytes remains, and the error is
/// its path.
pub(super) fn restore_old_bytes(
    scratch: &mut Scratch<'_>,
    rewrite: &StagedRewrite,
    to_rewrite: &FileToRewrite,
) -> Result<(), PathBuf> {
    let disk = scratch.disk();
    let old = &to_rewrite.stamp;
    let file = to_rewrite.file.as_fd();
    let restore = || -> io::Result<()> {
        let mut sink = HashingWriter::new(disk, file);
        let base = Some((rewrite.old.file.as_fd(), old.size));
        write_content(&NewBytes::COPY_UNCHANGED, base, &mut sink)?;
        disk.set_length(file, old.size)?;
        // Only the owner may set mode and time; otherwise they are as after any write.
        let denied_is_fine = |error: io::Error| match error.kind() {
            io::ErrorKind::PermissionDenied => Ok(()),
            _ => Err(error),
        };
        disk.set_permissions(file, old.permissions())
            .or_else(denied_is_fine)?;
        disk.set_modified(file, old.mtime).or_else(denied_is_fine)?;
        disk.sync(file)
    };
    restore().or_else(|_| restore()).map_err(|_| {
        scratch.release_name(&rewrite.old.name);
        rewrite.kept.clone()
    })
}
