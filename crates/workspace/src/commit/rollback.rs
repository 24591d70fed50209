//! Rollback: what it takes to undo a swap, and undoing it when a later write of the batch fails. Changes that other
//! programs made meanwhile are left alone.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

use super::exchange::{is_untouched, keep};
use super::free_name::{move_to_free_name, rename_to_free_name};
use super::in_place::{self, FileToRewrite, Rewrite};
use super::lease::CheckedFile;
use super::names::MovedFile;
use super::retry::twice;
use super::scratch::{Scratch, Temporary, temporary_name};
use super::{CommitError, Write, Written};
use crate::disk::{Disk, Replace};
use crate::stamp::Stamp;

/// A write that was applied, with what it takes to undo it.
pub(super) struct Applied {
    pub(super) written: Written,
    /// The folder whose flush makes the write durable.
    pub(super) folder: Arc<OwnedFd>,
    pub(super) rollback: Rollback,
}

pub(super) enum Rollback {
    /// The old file has the temporary name; exchanging the names again undoes the write.
    Exchange {
        temporary: Temporary,
        old_file: CheckedFile,
    },
    /// The old file was renamed to this name.
    Aside {
        old: OsString,
        old_file: CheckedFile,
    },
    Create {
        temporary: Temporary,
    },
    InPlace {
        rewrite: Rewrite,
        to_rewrite: FileToRewrite,
    },
    Move {
        to_folder: Arc<OwnedFd>,
        to: OsString,
        old_file: MovedFile,
    },
}

/// Writes that could not be rolled back.
#[derive(Default)]
pub(super) struct NotRolledBack {
    pub(super) writes: Vec<usize>,
    pub(super) kept: Vec<PathBuf>,
}

/// Rolls back the applied writes, last first, and returns the error to report.
pub(super) fn roll_back(
    scratch: &mut Scratch<'_>,
    batch: &[Write<'_>],
    done: Vec<Applied>,
    cause: CommitError,
) -> CommitError {
    let (cause, mut standing) = match cause {
        CommitError::Partly {
            cause,
            standing,
            kept,
        } => (
            *cause,
            NotRolledBack {
                writes: standing,
                kept,
            },
        ),
        cause => (cause, NotRolledBack::default()),
    };
    let mut flushed = Vec::new();
    for (index, done) in done.into_iter().enumerate().rev() {
        let folder = Arc::clone(&done.folder);
        if !take_back(scratch, &batch[index], done, &mut standing) {
            standing.writes.push(index);
        }
        flush_once(scratch.disk(), folder, &mut flushed);
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

/// Rolls back one write; returns false where the write stays, because the system refuses or another program has changed
/// the file since.
fn take_back(
    scratch: &mut Scratch<'_>,
    write: &Write<'_>,
    done: Applied,
    standing: &mut NotRolledBack,
) -> bool {
    let disk = scratch.disk();
    let Applied {
        written,
        folder,
        rollback,
    } = done;
    let folder = folder.as_fd();
    let name = &write.located.name;
    let trust = scratch.rename_trust(folder);
    let is_ours = |now: io::Result<Stamp>| {
        now.is_ok_and(|now| now.same_file(&written.stamp) && now.mtime == written.stamp.mtime)
    };
    let at_name = || {
        let stat = || disk.stat_at(folder, name);
        stat().or_else(|_| stat())
    };
    match rollback {
        Rollback::Exchange {
            temporary,
            old_file,
        } => {
            let old = temporary.name;
            // Our own handle would count as a writer.
            drop(temporary.file);
            let exchange = || disk.rename_at(folder, name, &old, Replace::Exchange);
            let undone = is_ours(at_name()) && twice(exchange).is_ok();
            if !undone {
                standing.kept.push(keep(scratch, write, &old));
                return false;
            }
            if is_untouched(scratch, folder, &old, &written.stamp, written.revision) {
                drop(old_file);
                return twice(|| disk.remove_at(folder, &old)).is_ok();
            }
            // Another program has written to it: its version stays at the name.
            let _ = twice(exchange);
            standing.kept.push(keep(scratch, write, &old));
            false
        }
        Rollback::Aside { old, old_file } => {
            let came = write.removes_its_name();
            // The new file is renamed away first, so that the name is free for the old one.
            let away = temporary_name();
            let freed = came
                || (is_ours(at_name())
                    && twice(|| disk.rename_at(folder, name, &away, Replace::Over)).is_ok());
            let undone = freed
                && twice(|| rename_to_free_name(disk, trust, folder, &old, name).map(|_| ()))
                    .is_ok();
            drop(old_file);
            if !undone {
                standing.kept.push(keep(scratch, write, &old));
                if freed && !came {
                    let _ = rename_to_free_name(disk, trust, folder, &away, name);
                }
                return false;
            }
            if !came {
                if is_untouched(scratch, folder, &away, &written.stamp, written.revision) {
                    let _ = twice(|| disk.remove_at(folder, &away));
                } else {
                    standing.kept.push(keep(scratch, write, &away));
                }
            }
            true
        }
        Rollback::Create { temporary } => {
            let away = temporary.name;
            drop(temporary.file);
            if !is_ours(at_name())
                || twice(|| disk.rename_at(folder, name, &away, Replace::Over)).is_err()
            {
                return false;
            }
            if is_untouched(scratch, folder, &away, &written.stamp, written.revision) {
                return twice(|| disk.remove_at(folder, &away)).is_ok();
            }
            let _ = rename_to_free_name(disk, trust, folder, &away, name);
            false
        }
        Rollback::InPlace {
            rewrite,
            to_rewrite,
        } => {
            let file = to_rewrite.file.as_fd();
            if !is_ours(disk.stat(file).or_else(|_| disk.stat(file))) {
                scratch.release(&rewrite.old.name);
                standing.kept.push(rewrite.kept);
                return false;
            }
            let restored = in_place::restore(scratch, &rewrite, &to_rewrite);
            standing.kept.extend(restored.as_ref().err().cloned());
            restored.is_ok()
        }
        Rollback::Move {
            to_folder,
            to,
            old_file,
        } => {
            let from = (to_folder.as_fd(), &*to);
            let back = || move_to_free_name(disk, trust, from, (folder, name));
            let undone = twice(back).is_ok();
            drop(old_file);
            undone
        }
    }
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
