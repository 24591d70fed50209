//! Rollback: undoes swaps when a later write of the batch fails. Changes that other
//! programs made meanwhile are left alone.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

use super::applied::{Applied, FileToRewrite, Rewrite, Rollback};
use super::exchange::{is_untouched, keep};
use super::free_name::{move_to_free_name, rename_to_free_name};
use super::in_place;
use super::lease::CheckedFile;
use super::retry::twice;
use super::scratch::{Scratch, Temporary, temporary_name};
use super::{CommitError, Write, Written};
use crate::disk::{Disk, Replace};
use crate::stamp::Stamp;

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

/// One write that is being rolled back, with the location of its file.
struct Undoing<'u, 's> {
    scratch: &'u mut Scratch<'s>,
    write: &'u Write<'u>,
    written: Written,
    folder: Arc<OwnedFd>,
}

/// Rolls back one write; returns false if the write remains, because the system refuses or another program has changed
/// the file since.
fn take_back(
    scratch: &mut Scratch<'_>,
    write: &Write<'_>,
    done: Applied,
    standing: &mut NotRolledBack,
) -> bool {
    let Applied {
        written,
        folder,
        rollback,
    } = done;
    let mut undoing = Undoing {
        scratch,
        write,
        written,
        folder,
    };
    match rollback {
        Rollback::Exchange {
            temporary,
            old_file,
        } => undoing.exchange_back(temporary, old_file, standing),
        Rollback::Aside { old, old_file } => undoing.put_aside_back(&old, old_file, standing),
        Rollback::Create { temporary } => undoing.remove_created(temporary),
        Rollback::InPlace {
            rewrite,
            to_rewrite,
        } => undoing.restore_in_place(rewrite, &to_rewrite, standing),
        Rollback::Move {
            to_folder,
            to,
            old_file,
        } => undoing.move_back(&to_folder, &to, old_file),
    }
}

impl Undoing<'_, '_> {
    fn exchange_back(
        &self,
        temporary: Temporary,
        old_file: CheckedFile,
        standing: &mut NotRolledBack,
    ) -> bool {
        let (disk, folder, name) = (
            self.scratch.disk(),
            self.folder.as_fd(),
            &self.write.located.name,
        );
        let old = temporary.name;
        // Our own handle would count as a writer.
        drop(temporary.file);
        let exchange = || disk.rename_at(folder, name, &old, Replace::Exchange);
        let undone = self.is_ours_at_name() && twice(exchange).is_ok();
        if !undone {
            standing.kept.push(keep(self.scratch, self.write, &old));
            return false;
        }
        if self.is_untouched(&old) {
            drop(old_file);
            return twice(|| disk.remove_at(folder, &old)).is_ok();
        }
        // Another program has written to it: its version stays at the name.
        let _ = twice(exchange);
        standing.kept.push(keep(self.scratch, self.write, &old));
        false
    }

    fn put_aside_back(
        &self,
        old: &OsStr,
        old_file: CheckedFile,
        standing: &mut NotRolledBack,
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
            || (self.is_ours_at_name()
                && twice(|| disk.rename_at(folder, name, &away, Replace::Over)).is_ok());
        let undone = freed
            && twice(|| rename_to_free_name(disk, trust, folder, old, name).map(|_| ())).is_ok();
        drop(old_file);
        if !undone {
            standing.kept.push(keep(self.scratch, self.write, old));
            if freed && !came {
                let _ = rename_to_free_name(disk, trust, folder, &away, name);
            }
            return false;
        }
        if !came {
            if self.is_untouched(&away) {
                let _ = twice(|| disk.remove_at(folder, &away));
            } else {
                standing.kept.push(keep(self.scratch, self.write, &away));
            }
        }
        true
    }

    fn remove_created(&self, temporary: Temporary) -> bool {
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
        if !self.is_ours_at_name()
            || twice(|| disk.rename_at(folder, name, &away, Replace::Over)).is_err()
        {
            return false;
        }
        if self.is_untouched(&away) {
            return twice(|| disk.remove_at(folder, &away)).is_ok();
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
            Ok(now) if now.same_file(&self.written.stamp) => {}
            Ok(_) => return true,
            Err(error) => return error.kind() == io::ErrorKind::NotFound,
        }
        match twice(|| disk.remove_folder_at(folder, name)) {
            Ok(()) => true,
            Err(error) => error.kind() == io::ErrorKind::DirectoryNotEmpty,
        }
    }

    fn restore_in_place(
        &mut self,
        rewrite: Rewrite,
        to_rewrite: &FileToRewrite,
        standing: &mut NotRolledBack,
    ) -> bool {
        let disk = self.scratch.disk();
        let file = to_rewrite.file.as_fd();
        if !self.is_ours(disk.stat(file).or_else(|_| disk.stat(file))) {
            self.scratch.release(&rewrite.old.name);
            standing.kept.push(rewrite.kept);
            return false;
        }
        let restored = in_place::restore(self.scratch, &rewrite, to_rewrite);
        standing.kept.extend(restored.as_ref().err().cloned());
        restored.is_ok()
    }

    fn move_back(&self, to_folder: &OwnedFd, to: &OsStr, old_file: CheckedFile) -> bool {
        let disk = self.scratch.disk();
        let folder = self.folder.as_fd();
        let trust = self.scratch.rename_trust(folder);
        let from = (to_folder.as_fd(), to);
        let back = || move_to_free_name(disk, trust, from, (folder, &self.write.located.name));
        let undone = twice(back).is_ok();
        drop(old_file);
        undone
    }

    /// Returns whether the file is the one that was written, and no process has written to it since.
    fn is_ours(&self, now: io::Result<Stamp>) -> bool {
        let ours = &self.written.stamp;
        now.is_ok_and(|now| now.same_file(ours) && now.mtime == ours.mtime)
    }

    /// Returns whether the file at the write's name is the one that was written.
    fn is_ours_at_name(&self) -> bool {
        let stat = || {
            let name = &self.write.located.name;
            self.scratch.disk().stat_at(self.folder.as_fd(), name)
        };
        self.is_ours(stat().or_else(|_| stat()))
    }

    /// Returns whether the file with this temporary name has the content that was written.
    fn is_untouched(&self, name: &OsStr) -> bool {
        let (folder, written) = (self.folder.as_fd(), &self.written);
        is_untouched(self.scratch, folder, name, &written.stamp, written.revision)
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
