//! After the swaps: releases the locks, flushes the folders, checks once more for late writers, and stores the old
//! files. The writes are final by now; a failure here is reported and undoes nothing.

use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::applied::{AppliedWrite, RollbackData};
use super::free_name::rename_to_free_name;
use super::in_place;
use super::journal_entry::JournalEntry;
use super::lease::{CheckedFile, LeaseProtection};
use super::rollback::{flush_once, roll_back};
use super::scratch::Scratch;
use super::{CommitError, Durability, FileWrite, OldFile, WriteOutcome, WriteWarning};
use crate::displaced::{DisplacedFile, Seal};
use crate::locks::{FolderLocks, LockScope};

/// The longest time measured between another program's lookup of the name and its wait for the lease, unless that
/// program was descheduled.
const LATE_WRITER_DELAY: Duration = Duration::from_micros(100);

pub(super) fn finish_commit(
    mut scratch: Scratch<'_>,
    batch: &[FileWrite<'_>],
    mut done: Vec<AppliedWrite>,
    guard: FolderLocks,
    row: &mut JournalEntry,
) -> Result<Vec<WriteOutcome>, CommitError> {
    let swapped = Instant::now();
    let lock_scope = guard.scope;
    if done.len() == 1 {
        // A single write can no longer be rolled back: other commits need not wait for the flush.
        drop(guard);
        flush_files_and_folders(&scratch, batch, &mut done);
    } else {
        flush_files_and_folders(&scratch, batch, &mut done);
        // Without the mark the next recovery would roll everything back.
        if let Err(source) = row.mark_decided() {
            let cause = CommitError::Io {
                index: 0,
                step: "journal",
                source,
            };
            return Err(roll_back(&mut scratch, batch, done, cause));
        }
        drop(guard);
    }
    scratch.release_folders();
    wait_for_late_writers(&scratch, &done, swapped);
    let mut results = Vec::with_capacity(done.len());
    let mut rollbacks = Vec::with_capacity(done.len());
    for AppliedWrite {
        mut written,
        rollback,
        ..
    } in done
    {
        if lock_scope == LockScope::ThisProcess {
            written.warnings.push(WriteWarning::NotLocked);
        }
        results.push(written);
        rollbacks.push(rollback);
    }
    for ((write, written), rollback) in batch.iter().zip(&mut results).zip(rollbacks) {
        match rollback {
            RollbackData::Exchange {
                temporary,
                old_file,
            } => {
                store_old_file(&scratch, write, &temporary.name, &old_file, written);
            }
            RollbackData::Aside { old, old_file } => {
                store_old_file(&scratch, write, &old, &old_file, written)
            }
            RollbackData::InPlace { rewrite, .. } => {
                written.displaced = in_place::store_old_bytes(&mut scratch, write, &rewrite);
            }
            RollbackData::Create { .. } | RollbackData::Move { .. } => {}
        }
        if written
            .warnings
            .iter()
            .any(|warning| matches!(warning, WriteWarning::Left(_)))
        {
            row.leave_open();
        }
    }
    Ok(results)
}

/// A program may have looked up the old file just before the swap and not reached the lease yet. The lease is held a
/// moment longer, so that the program is noticed. If the flush already took that long, the pause has length zero, but
/// is still called. The number of calls of a commit then does not depend on time, which tests that let each call fail
/// rely on.
fn wait_for_late_writers(scratch: &Scratch<'_>, done: &[AppliedWrite], swapped: Instant) {
    let is_leased = done.iter().any(|done| match &done.rollback {
        RollbackData::Exchange { old_file, .. } | RollbackData::Aside { old_file, .. } => {
            old_file.is_leased()
        }
        _ => false,
    });
    let moment = LATE_WRITER_DELAY.min(scratch.workspace.lease_patience);
    let rest = moment.saturating_sub(swapped.elapsed());
    if is_leased && !moment.is_zero() {
        scratch.disk().sleep(rest);
    }
}

/// Flushes every folder in which names changed.
fn flush_files_and_folders(
    scratch: &Scratch<'_>,
    batch: &[FileWrite<'_>],
    done: &mut [AppliedWrite],
) {
    let mut flushed = Vec::new();
    for (write, done) in batch.iter().zip(done) {
        let written = &mut done.written;
        if written.durable || write.options.durability == Durability::Ordered {
            continue;
        }
        written.durable = flush_once(scratch.disk(), Arc::clone(&done.folder), &mut flushed);
        if let RollbackData::Move { to_folder, .. } = &done.rollback {
            written.durable &= flush_once(scratch.disk(), Arc::clone(to_folder), &mut flushed);
        }
        if !written.durable {
            written.warnings.push(WriteWarning::NotDurable);
        }
    }
}

/// Stores the old file as the backup. If the folder was not flushed, the old file is not removed: it may be the only
/// copy.
fn store_old_file(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
    name: &std::ffi::OsStr,
    old_file: &CheckedFile,
    written: &mut WriteOutcome,
) {
    let disk = scratch.disk();
    let located = write.located;
    if old_file.stamp.is_folder() {
        return remove_folder(scratch, write, name, written);
    }
    let Some(revision) = write.expected.revision() else {
        return;
    };
    let is_link = old_file.protection == LeaseProtection::Immutable;
    let seal = match old_file.protection {
        LeaseProtection::Immutable => Seal::Sealed,
        LeaseProtection::Leased if old_file.has_no_new_writer(disk) => Seal::Sealed,
        LeaseProtection::PartlyLeased if old_file.has_no_new_writer(disk) => Seal::Open,
        LeaseProtection::Leased | LeaseProtection::PartlyLeased => {
            written.warnings.push(WriteWarning::LateWriter);
            Seal::Open
        }
        LeaseProtection::NotLeased => Seal::Open,
    };
    let store = &scratch.workspace.displaced;
    let late = written.warnings.contains(&WriteWarning::LateWriter);
    let unflushed = written.warnings.contains(&WriteWarning::NotDurable);
    let left = || located.path().with_file_name(name);
    if scratch.workspace.state_folder.is_none() && (late || unflushed) {
        written.warnings.push(WriteWarning::Left(left()));
        return;
    }
    // The caller has the target of a link.
    let is_known = is_link || write.options.old == OldFile::KeptByCaller;
    if seal == Seal::Sealed && is_known && !unflushed {
        // A file that cannot be removed is stored instead.
        if disk.remove_at(located.folder.as_fd(), name).is_ok() {
            return;
        }
    }
    let move_it = || store.store_file(disk, located.folder.as_fd(), name, &located.name, seal);
    match move_it().or_else(|_| move_it()) {
        Ok(_) if is_link => {}
        Ok(path) => {
            written.displaced = path.map(|path| DisplacedFile {
                path,
                revision,
                seal,
            });
        }
        Err(_) => written.warnings.push(WriteWarning::Left(left())),
    }
}

/// Removes an empty folder that was renamed away. If another program has put something into it since, it gets its name
/// back.
fn remove_folder(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
    name: &std::ffi::OsStr,
    written: &mut WriteOutcome,
) {
    let (disk, folder) = (scratch.disk(), write.located.folder());
    let remove = || disk.remove_folder_at(folder, name);
    if remove().or_else(|_| remove()).is_ok() {
        return;
    }
    let trust = scratch.rename_trust(folder);
    let back = || rename_to_free_name(disk, trust, folder, name, &write.located.name);
    let path = write.located.path();
    written.warnings.push(match back().or_else(|_| back()) {
        Ok(_) => WriteWarning::FolderStays(path.to_owned()),
        Err(_) => WriteWarning::Left(path.with_file_name(name)),
    });
}
