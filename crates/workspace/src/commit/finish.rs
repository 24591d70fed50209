//! After the swaps: releases the locks, flushes the folders, checks once more for late writers, and stores the old
//! files. The writes are final by now; a failure here is reported and undoes nothing.

use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::applied::{Applied, Rollback};
use super::free_name::rename_to_free_name;
use super::in_place;
use super::journal_entry::JournalEntry;
use super::lease::{CheckedFile, Protection};
use super::rollback::{flush_once, roll_back};
use super::scratch::Scratch;
use super::{CommitError, Durability, OldFile, Warning, Write, Written};
use crate::displaced::{Displaced, Seal};
use crate::locks::{FolderLocks, LockScope};

/// The longest time measured between another program's lookup of the name and its wait for the lease, unless that
/// program was descheduled.
const LATE: Duration = Duration::from_micros(100);

pub(super) fn finish(
    mut scratch: Scratch<'_>,
    batch: &[Write<'_>],
    mut done: Vec<Applied>,
    guard: FolderLocks,
    row: &mut JournalEntry,
) -> Result<Vec<Written>, CommitError> {
    let swapped = Instant::now();
    let lock_scope = guard.scope;
    if done.len() == 1 {
        // A single write can no longer be rolled back: other commits need not wait for the flush.
        drop(guard);
        flush(&scratch, batch, &mut done);
    } else {
        flush(&scratch, batch, &mut done);
        // Without the mark the next recovery would roll everything back.
        if let Err(source) = row.mark() {
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
    for Applied {
        mut written,
        rollback,
        ..
    } in done
    {
        if lock_scope == LockScope::ThisProcess {
            written.warnings.push(Warning::NotLocked);
        }
        results.push(written);
        rollbacks.push(rollback);
    }
    for ((write, written), rollback) in batch.iter().zip(&mut results).zip(rollbacks) {
        match rollback {
            Rollback::Exchange {
                temporary,
                old_file,
            } => {
                put_away(&scratch, write, &temporary.name, &old_file, written);
            }
            Rollback::Aside { old, old_file } => {
                put_away(&scratch, write, &old, &old_file, written)
            }
            Rollback::InPlace { rewrite, .. } => {
                written.displaced = in_place::keep_old(&mut scratch, write, &rewrite);
            }
            Rollback::Create { .. } | Rollback::Move { .. } => {}
        }
        if written
            .warnings
            .iter()
            .any(|warning| matches!(warning, Warning::Left(_)))
        {
            row.leave();
        }
    }
    Ok(results)
}

/// A program may have looked up the old file just before the swap and not reached the lease yet. The lease is held a
/// moment longer, so that the program is noticed. If the flush already took that long, the pause has length zero, but
/// is still called. The number of calls of a commit then does not depend on time, which tests that let each call fail
/// rely on.
fn wait_for_late_writers(scratch: &Scratch<'_>, done: &[Applied], swapped: Instant) {
    let is_leased = done.iter().any(|done| match &done.rollback {
        Rollback::Exchange { old_file, .. } | Rollback::Aside { old_file, .. } => {
            old_file.is_leased()
        }
        _ => false,
    });
    let moment = LATE.min(scratch.workspace.lease_patience);
    let rest = moment.saturating_sub(swapped.elapsed());
    if is_leased && !moment.is_zero() {
        scratch.disk().pause(rest);
    }
}

/// Flushes every folder in which names changed.
fn flush(scratch: &Scratch<'_>, batch: &[Write<'_>], done: &mut [Applied]) {
    let mut flushed = Vec::new();
    for (write, done) in batch.iter().zip(done) {
        let written = &mut done.written;
        if written.durable || write.options.durability == Durability::Ordered {
            continue;
        }
        written.durable = flush_once(scratch.disk(), Arc::clone(&done.folder), &mut flushed);
        if let Rollback::Move { to_folder, .. } = &done.rollback {
            written.durable &= flush_once(scratch.disk(), Arc::clone(to_folder), &mut flushed);
        }
        if !written.durable {
            written.warnings.push(Warning::NotDurable);
        }
    }
}

/// Stores the old file as the backup. If the folder was not flushed, the old file is not removed: it may be the only
/// copy.
fn put_away(
    scratch: &Scratch<'_>,
    write: &Write<'_>,
    name: &std::ffi::OsStr,
    old_file: &CheckedFile,
    written: &mut Written,
) {
    let disk = scratch.disk();
    let located = write.located;
    if old_file.stamp.is_folder() {
        return remove_folder(scratch, write, name, written);
    }
    let Some(revision) = write.expected.revision() else {
        return;
    };
    let is_link = old_file.protection == Protection::Immutable;
    let seal = match old_file.protection {
        Protection::Immutable => Seal::Sealed,
        Protection::Leased if old_file.is_quiet(disk) => Seal::Sealed,
        Protection::PartlyLeased if old_file.is_quiet(disk) => Seal::Open,
        Protection::Leased | Protection::PartlyLeased => {
            written.warnings.push(Warning::LateWriter);
            Seal::Open
        }
        Protection::NotLeased => Seal::Open,
    };
    let store = &scratch.workspace.displaced;
    let late = written.warnings.contains(&Warning::LateWriter);
    let unflushed = written.warnings.contains(&Warning::NotDurable);
    let left = || located.path().with_file_name(name);
    if scratch.workspace.state_folder.is_none() && (late || unflushed) {
        written.warnings.push(Warning::Left(left()));
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
    let move_it = || store.put_away(disk, located.folder.as_fd(), name, &located.name, seal);
    match move_it().or_else(|_| move_it()) {
        Ok(_) if is_link => {}
        Ok(path) => {
            written.displaced = path.map(|path| Displaced {
                path,
                revision,
                seal,
            });
        }
        Err(_) => written.warnings.push(Warning::Left(left())),
    }
}

/// Removes an empty folder that was renamed away. If another program has put something into it since, it gets its name
/// back.
fn remove_folder(
    scratch: &Scratch<'_>,
    write: &Write<'_>,
    name: &std::ffi::OsStr,
    written: &mut Written,
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
        Ok(_) => Warning::FolderStays(path.to_owned()),
        Err(_) => Warning::Left(path.with_file_name(name)),
    });
}
