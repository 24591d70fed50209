//! Rollback: undoes swaps when a later write of the batch fails. Changes that other
//! programs made meanwhile are left alone.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

use super::applied::{AppliedWrite, FileToRewrite, RollbackData, StagedRewrite};
use super::exchange::{is_our_unchanged_file, preserve_version, remove_our_file};
use super::free_name::{move_to_free_name, rename_to_free_name};
use super::in_place;
use super::lease::CheckedFile;
use super::retry::retry_once;
use super::scratch::{Scratch, TemporaryFile, temporary_name};
use super::{CommitError, FileWrite, WriteOutcome};
use crate::disk::{Disk, ReplaceMode};
use crate::stamp::Stamp;

/// Writes that could not be rolled back.
#[derive(Default)]
pub(super) struct RollbackFailures {
    pub(super) writes: Vec<usize>,
    pub(super) kept: Vec<PathBuf>,
}

/// Rolls back the applied writes, last first, and returns the error to report.
pub(super) fn roll_back(
    scratch: &mut Scratch<'_>,
    batch: &[FileWrite<'_>],
    done: Vec<AppliedWrite>,
    cause: CommitError,
) -> CommitError {
    let (cause, mut standing) = match cause {
        CommitError::Partly {
            cause,
            standing,
            kept,
        } => (
            *cause,
            RollbackFailures {
                writes: standing,
                kept,
            },
        ),
        cause => (cause, RollbackFailures::default()),
    };
    let mut flushed = Vec::new();
    for (index, done) in done.into_iter().enumerate().rev() {
        let folder = Arc::clone(&done.folder);
        if !roll_back_write(scratch, &batch[index], done, &mut standing) {
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

/// One write that is being rolled back, with the location of its file.
struct WriteRollback<'u, 's> {
    scratch: &'u mut Scratch<'s>,
    write: &'u FileWrite<'u>,
    written: WriteOutcome,
    folder: Arc<OwnedFd>,
}

/// Rolls back one write; returns false if the write remains, because the system refuses or another program has changed
/// the file since.
fn roll_back_write(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    done: AppliedWrite,
    standing: &mut RollbackFailures,
) -> bool {
    let AppliedWrite {
        written,
        folder,
        rollback,
    } = done;
    let mut undoing = WriteRollback {
        scratch,
        write,
        written,
        folder,
    };
    match rollback {
        RollbackData::Exchange {
            temporary,
            old_file,
        } => undoing.exchange_back(temporary, old_file, standing),
        RollbackData::Aside { old, old_file } => {
            undoing.restore_aside_file(&old, old_file, standing)
        }
        RollbackData::Create { temporary } => undoing.remove_created(temporary),
        RollbackData::InPlace {
            rewrite,
            to_rewrite,
        } => undoing.restore_in_place(rewrite, &to_rewrite, standing),
        RollbackData::Move {
            to_folder,
            to,
            old_file,
        } => undoing.move_back(&to_folder, &to, old_file),
    }
}

impl WriteRollback<'_, '_> {
    fn exchange_back(
        &self,
        temporary: TemporaryFile,
        old_file: CheckedFile,
        standing: &mut RollbackFailures,
    ) -> bool {
        let (disk, folder, name) = (
            self.scratch.disk(),
            self.folder.as_fd(),
            &self.write.located.name,
        );
        let old = temporary.name;
        // Our own handle would count as a writer.
        drop(temporary.file);
        let exchange = || disk.rename_at(folder, name, &old, ReplaceMode::Exchange);
        let undone = self.has_our_file_at_name() && retry_once(exchange).is_ok();
        if !undone {
            standing
                .kept
                .push(preserve_version(self.scratch, self.write, &old));
            return false;
        }
        if self.is_untouched(&old) {
            drop(old_file);
            return remove_our_file(disk, folder, &old, &self.written.stamp).is_ok();
        }
        // Another program has written to it: its version stays at the name.
        let _ = retry_once(exchange);
        standing
            .kept
            .push(preserve_version(self.scratch, self.write, &old));
        false
    }

    fn restore_aside_file(
        &self,
        old: &OsStr,
        old_file: CheckedFile,
        standing: &mut RollbackFailures,
    ) -> bool {
        let (disk, folder, name) = (
            self.scratch.disk(),
            self.folder.as_fd(),
            &self.write.located.name,
        );
        let trust = self.scratch.rename_trust(folder);
        let came = self.write.removes_its_name();
        // The new file is renamed away first, so that the name is free for the old one.
        let away = temporary_name();
        let freed = came
            || (self.has_our_file_at_name()
                && retry_once(|| disk.rename_at(folder, name, &away, ReplaceMode::Over)).is_ok());
        let undone = freed
            && retry_once(|| rename_to_free_name(disk, trust, folder, old, name).map(|_| ()))
                .is_ok();
        drop(old_file);
        if !undone {
            standing
                .kept
                .push(preserve_version(self.scratch, self.write, old));
            if freed && !came {
                let _ = rename_to_free_name(disk, trust, folder, &away, name);
            }
            return false;
        }
        if !came {
            if self.is_untouched(&away) {
                let _ = remove_our_file(disk, folder, &away, &self.written.stamp);
            } else {
                standing
                    .kept
                    .push(preserve_version(self.scratch, self.write, &away));
            }
        }
        true
    }

    fn remove_created(&self, temporary: TemporaryFile) -> bool {
        let (disk, folder, name) = (
            self.scratch.disk(),
            self.folder.as_fd(),
            &self.write.located.name,
        );
        let trust = self.scratch.rename_trust(folder);
        let away = temporary.name;
        drop(temporary.file);
        if self.written.stamp.is_folder() {
            return self.remove_created_folder();
        }
        if !self.has_our_file_at_name()
            || retry_once(|| disk.rename_at(folder, name, &away, ReplaceMode::Over)).is_err()
        {
            return false;
        }
        if self.is_untouched(&away) {
            return retry_once(|| disk.remove_at(folder, &away)).is_ok();
        }
        let _ = rename_to_free_name(disk, trust, folder, &away, name);
        false
    }

    /// Removes a new folder, unless another program uses it by now.
    fn remove_created_folder(&self) -> bool {
        let (disk, folder) = (self.scratch.disk(), self.folder.as_fd());
        let name = &self.write.located.name;
        let stat = || disk.stat_at(folder, name);
        match stat().or_else(|_| stat()) {
            Ok(now) if now.is_same_file(&self.written.stamp) => {}
            Ok(_) => return true,
            Err(error) => return error.kind() == io::ErrorKind::NotFound,
        }
        match retry_once(|| disk.remove_folder_at(folder, name)) {
            Ok(()) => true,
            Err(error) => error.kind() == io::ErrorKind::DirectoryNotEmpty,
        }
    }

    fn restore_in_place(
        &mut self,
        rewrite: StagedRewrite,
        to_rewrite: &FileToRewrite,
        standing: &mut RollbackFailures,
    ) -> bool {
        let disk = self.scratch.disk();
        let file = to_rewrite.file.as_fd();
        if !self.is_our_file(disk.stat(file).or_else(|_| disk.stat(file))) {
            self.scratch.release_name(&rewrite.old.name);
            standing.kept.push(rewrite.kept);
            return false;
        }
        let restored = in_place::restore_old_bytes(self.scratch, &rewrite, to_rewrite);
        standing.kept.extend(restored.as_ref().err().cloned());
        restored.is_ok()
    }

    fn move_back(&self, to_folder: &OwnedFd, to: &OsStr, old_file: CheckedFile) -> bool {
        let disk = self.scratch.disk();
        let folder = self.folder.as_fd();
        let trust = self.scratch.rename_trust(folder);
        let from = (to_folder.as_fd(), to);
        let back = || move_to_free_name(disk, trust, from, (folder, &self.write.located.name));
        let undone = retry_once(back).is_ok();
        drop(old_file);
        undone
    }

    /// Returns whether the file is the one that was written, and no process has written to it since.
    fn is_our_file(&self, now: io::Result<Stamp>) -> bool {
        let ours = &self.written.stamp;
        now.is_ok_and(|now| now.is_same_file(ours) && now.mtime == ours.mtime)
    }

    /// Returns whether the file at the write's name is the one that was written.
    fn has_our_file_at_name(&self) -> bool {
        let stat = || {
            let name = &self.write.located.name;
            self.scratch.disk().stat_at(self.folder.as_fd(), name)
        };
        self.is_our_file(stat().or_else(|_| stat()))
    }

    /// Returns whether the file with this temporary name has the content that was written.
    fn is_untouched(&self, name: &OsStr) -> bool {
        let (folder, written) = (self.folder.as_fd(), &self.written);
        is_our_unchanged_file(self.scratch, folder, name, &written.stamp, written.revision)
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
