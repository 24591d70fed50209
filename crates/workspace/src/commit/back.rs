//! Rollback: what it takes to undo a swap, and undoing it when a later write of the batch fails. Changes that other
//! programs made meanwhile are left alone.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

use super::exchange::{is_untouched, keep};
use super::hold::Held;
use super::in_place::{self, Gripped, Rewrite};
use super::trial::{Scratch, Temporary, temporary_name};
use super::{CommitError, Write, Written};
use crate::disk::{Disk, Replace};
use crate::stamp::Stamp;

/// A write that was applied, with what it takes to undo it.
pub(super) struct Done {
    pub(super) written: Written,
    /// The folder whose flush makes the write durable.
    pub(super) folder: Arc<OwnedFd>,
    pub(super) back: Back,
}

pub(super) enum Back {
    /// The old file has the temporary name; exchanging the names again undoes the write.
    Exchange {
        temporary: Temporary,
        held: Held,
    },
    /// The old file was renamed to this name.
    Aside {
        old: OsString,
        held: Held,
    },
    Create {
        temporary: Temporary,
    },
    InPlace {
        rewrite: Rewrite,
        gripped: Gripped,
    },
    Move {
        to_folder: Arc<OwnedFd>,
        to: OsString,
        held: Held,
    },
}

/// Writes that could not be rolled back.
#[derive(Default)]
pub(super) struct Standing {
    pub(super) writes: Vec<usize>,
    pub(super) kept: Vec<PathBuf>,
}

/// Rolls back the applied writes, last first, and returns the error to report.
pub(super) fn roll_back(
    trial: &mut Scratch<'_>,
    batch: &[Write<'_>],
    done: Vec<Done>,
    cause: CommitError,
) -> CommitError {
    let (cause, mut standing) = match cause {
        CommitError::Partly {
            cause,
            standing,
            kept,
        } => (
            *cause,
            Standing {
                writes: standing,
                kept,
            },
        ),
        cause => (cause, Standing::default()),
    };
    let mut flushed = Vec::new();
    for (index, done) in done.into_iter().enumerate().rev() {
        let folder = Arc::clone(&done.folder);
        if !take_back(trial, &batch[index], done, &mut standing) {
            standing.writes.push(index);
        }
        flush_once(trial.disk(), folder, &mut flushed);
    }
    if standing.writes.is_empty() {
        return cause;
    }
    CommitError::Partly {
        cause: Box::new(cause),
        standing: standing.writes,
        kept: standing.kept,
    }
}

/// Rolls back one write; returns false where it stands, because the system refuses or another program has changed the
/// file since.
fn take_back(
    trial: &mut Scratch<'_>,
    write: &Write<'_>,
    done: Done,
    standing: &mut Standing,
) -> bool {
    let disk = trial.disk();
    let Done {
        written,
        folder,
        back,
    } = done;
    let folder = folder.as_fd();
    let name = &write.located.name;
    let is_ours = |now: io::Result<Stamp>| {
        now.is_ok_and(|now| now.same_file(&written.stamp) && now.mtime == written.stamp.mtime)
    };
    let at_name = || {
        let stat = || disk.stat_at(folder, name);
        stat().or_else(|_| stat())
    };
    match back {
        Back::Exchange { temporary, held } => {
            let old = temporary.name;
            // Our own handle would count as a writer.
            drop(temporary.file);
            let exchange = || disk.rename_at(folder, name, &old, Replace::Exchange);
            let undone = is_ours(at_name()) && twice(exchange).is_ok();
            if !undone {
                standing.kept.push(keep(trial, write, &old));
                return false;
            }
            if is_untouched(trial, folder, &old, &written.stamp, written.revision) {
                drop(held);
                return twice(|| disk.remove_at(folder, &old)).is_ok();
            }
            // Another program has written to it: its version stays at the name.
            let _ = twice(exchange);
            standing.kept.push(keep(trial, write, &old));
            false
        }
        Back::Aside { old, held } => {
            let came = write.empties_its_name();
            // The new file is renamed away first, so that the name is free for the old one.
            let away = temporary_name();
            let freed = came
                || (is_ours(at_name())
                    && twice(|| disk.rename_at(folder, name, &away, Replace::Over)).is_ok());
            let undone = freed
                && twice(|| super::aside::give_name(disk, folder, &old, name).map(|_| ())).is_ok();
            drop(held);
            if !undone {
                standing.kept.push(keep(trial, write, &old));
                if freed && !came {
                    let _ = super::aside::give_name(disk, folder, &away, name);
                }
                return false;
            }
            if !came {
                if is_untouched(trial, folder, &away, &written.stamp, written.revision) {
                    let _ = twice(|| disk.remove_at(folder, &away));
                } else {
                    standing.kept.push(keep(trial, write, &away));
                }
            }
            true
        }
        Back::Create { temporary } => {
            let away = temporary.name;
            drop(temporary.file);
            if !is_ours(at_name())
                || twice(|| disk.rename_at(folder, name, &away, Replace::Over)).is_err()
            {
                return false;
            }
            if is_untouched(trial, folder, &away, &written.stamp, written.revision) {
                return twice(|| disk.remove_at(folder, &away)).is_ok();
            }
            let _ = super::aside::give_name(disk, folder, &away, name);
            false
        }
        Back::InPlace { rewrite, gripped } => {
            let file = gripped.file.as_fd();
            if !is_ours(disk.stat(file).or_else(|_| disk.stat(file))) {
                trial.release(&rewrite.old.name);
                standing.kept.push(rewrite.kept);
                return false;
            }
            let restored = in_place::restore(trial, &rewrite, &gripped);
            standing.kept.extend(restored.as_ref().err().cloned());
            restored.is_ok()
        }
        Back::Move {
            to_folder,
            to,
            held,
        } => {
            let back = || disk.move_at(to_folder.as_fd(), &to, folder, name);
            let undone = twice(back).is_ok();
            drop(held);
            undone
        }
    }
}

/// Tries twice: during rollback a transient error would cost another program's bytes their name.
pub(super) fn twice<T>(action: impl Fn() -> io::Result<T>) -> io::Result<T> {
    action().or_else(|_| action())
}

/// Flushes a folder once per commit; returns whether the flush succeeded.
pub(super) fn flush_once(
    disk: &dyn Disk,
    folder: Arc<OwnedFd>,
    flushed: &mut Vec<(Arc<OwnedFd>, bool)>,
) -> bool {
    if let Some((_, result)) = flushed
        .iter()
        .find(|(other, _)| Arc::ptr_eq(other, &folder))
    {
        return *result;
    }
    let result = disk.sync(folder.as_fd()).is_ok();
    flushed.push((folder, result));
    result
}
