//! After the swaps: releases the locks, flushes the folders, checks once more for late writers, and stores the old
//! files. The writes are final by now; a failure here is reported and undoes nothing.

use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::back::{Back, Done, flush_once, roll_back};
use super::hold::{Grip, Held};
use super::in_place;
use super::intent::Row;
use super::trial::Scratch;
use super::{CommitError, Durability, Expected, OldFile, Warning, Write, Written};
use crate::displaced::{Displaced, Seal};
use crate::locks::{Guard, Kept};

/// The longest time measured between another program's lookup of the name and its wait for the lease, unless it was
/// descheduled.
const LATE: Duration = Duration::from_micros(100);

pub(super) fn finish(
    mut trial: Scratch<'_>,
    batch: &[Write<'_>],
    mut done: Vec<Done>,
    guard: Guard,
    row: &mut Row,
) -> Result<Vec<Written>, CommitError> {
    let swapped = Instant::now();
    let kept_out = guard.kept;
    if done.len() == 1 {
        // A single write cannot be rolled back any more: other commits need not wait for the flush.
        drop(guard);
        flush(&trial, batch, &mut done);
    } else {
        flush(&trial, batch, &mut done);
        // Without the mark the next recovery would roll everything back.
        if let Err(source) = row.mark() {
            let cause = CommitError::Io {
                index: 0,
                step: "journal",
                source,
            };
            return Err(roll_back(&mut trial, batch, done, cause));
        }
        drop(guard);
    }
    trial.release_folders();
    wait_for_late_writers(&trial, &done, swapped);
    let mut results = Vec::with_capacity(done.len());
    let mut backs = Vec::with_capacity(done.len());
    for Done {
        mut written, back, ..
    } in done
    {
        if kept_out == Kept::Apart {
            written.warnings.push(Warning::NotLocked);
        }
        results.push(written);
        backs.push(back);
    }
    for ((write, written), back) in batch.iter().zip(&mut results).zip(backs) {
        match back {
            Back::Exchange { temporary, held } => {
                put_away(&trial, write, &temporary.name, &held, written);
            }
            Back::Aside { old, held } => put_away(&trial, write, &old, &held, written),
            Back::InPlace { rewrite, .. } => {
                written.displaced = in_place::keep_old(&mut trial, write, &rewrite);
            }
            Back::Create { .. } | Back::Move { .. } => {}
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
/// moment longer, so that it shows. On a disk that has to be flushed that moment has passed already.
fn wait_for_late_writers(trial: &Scratch<'_>, done: &[Done], swapped: Instant) {
    let is_leased = done.iter().any(|done| match &done.back {
        Back::Exchange { held, .. } | Back::Aside { held, .. } => held.grip != Grip::Loose,
        _ => false,
    });
    let moment = LATE.min(trial.workspace.lease_patience);
    let rest = moment.saturating_sub(swapped.elapsed());
    if is_leased && !rest.is_zero() {
        trial.disk().pause(rest);
    }
}

/// Flushes every folder in which names changed.
fn flush(trial: &Scratch<'_>, batch: &[Write<'_>], done: &mut [Done]) {
    let mut flushed = Vec::new();
    for (write, done) in batch.iter().zip(done) {
        let written = &mut done.written;
        if written.durable || write.options.durability == Durability::Ordered {
            continue;
        }
        written.durable = flush_once(trial.disk(), Arc::clone(&done.folder), &mut flushed);
        if let Back::Move { to_folder, .. } = &done.back {
            written.durable &= flush_once(trial.disk(), Arc::clone(to_folder), &mut flushed);
        }
        if !written.durable {
            written.warnings.push(Warning::NotDurable);
        }
    }
}

/// Stores the old file as the backup. Where the folder was not flushed it is not removed: it may be the only copy.
fn put_away(
    trial: &Scratch<'_>,
    write: &Write<'_>,
    name: &std::ffi::OsStr,
    held: &Held,
    written: &mut Written,
) {
    let disk = trial.disk();
    let located = write.located;
    let Expected::Content { revision, .. } = &write.expected else {
        return;
    };
    let seal = match held.grip {
        Grip::Leased if held.is_quiet(disk) => Seal::Sealed,
        Grip::Partly if held.is_quiet(disk) => Seal::Open,
        Grip::Leased | Grip::Partly => {
            written.warnings.push(Warning::LateWriter);
            Seal::Open
        }
        Grip::Loose => Seal::Open,
    };
    let store = &trial.workspace.displaced;
    let late = written.warnings.contains(&Warning::LateWriter);
    let unflushed = written.warnings.contains(&Warning::NotDurable);
    let left = || located.path().with_file_name(name);
    if trial.workspace.state_folder.is_none() && (late || unflushed) {
        written.warnings.push(Warning::Left(left()));
        return;
    }
    if seal == Seal::Sealed && write.options.old == OldFile::KeptByCaller && !unflushed {
        // A file that cannot be removed is stored instead.
        if disk.remove_at(located.folder.as_fd(), name).is_ok() {
            return;
        }
    }
    let move_it = || store.put_away(disk, located.folder.as_fd(), name, &located.name, seal);
    match move_it().or_else(|_| move_it()) {
        Ok(path) => {
            written.displaced = path.map(|path| Displaced {
                path,
                revision: *revision,
                seal,
            });
        }
        Err(_) => written.warnings.push(Warning::Left(left())),
    }
}
