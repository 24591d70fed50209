//! Recovers one file of an interrupted commit: decides by what is at the name and under the temporary name.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::RecoveryOutcome;
use super::occupant::{NameOccupant, hash_file};
use super::torn::is_mixture_of_old_and_new;
use crate::commit::{
    aside_name, move_to_free_name, next_name, overwrite_from, rename_to_free_name, wait_for_lease,
};
use crate::disk::{Disk, Lease, OpenMode};
use crate::displaced::Seal;
use crate::folder::is_temporary;
use crate::journal::{IntentStep, StepAction};
use crate::mounts::{RenameTrust, rename_trust};
use crate::roots::Workspace;

/// The state that recovery brings a commit to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecoveryGoal {
    /// Complete: every change is made.
    Complete,
    /// Rolled back: no change is made.
    Rollback,
    /// As found: a change that was made stays, one that was not is dropped.
    AsFound,
}

pub(super) struct StepRecovery<'r> {
    pub(super) workspace: &'r Workspace,
    pub(super) step: &'r IntentStep,
    pub(super) folder: &'r Arc<OwnedFd>,
    /// The target folder of a move.
    pub(super) other: Option<&'r Arc<OwnedFd>>,
    pub(super) boot: EntryBoot,
}

/// Whether the entry is from the current boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryBoot {
    This,
    Another,
}

impl StepRecovery<'_> {
    pub(super) fn recover_step(&self, goal: RecoveryGoal) -> io::Result<RecoveryOutcome> {
        match &self.step.act {
            StepAction::Exchange => self.recover_exchange(goal),
            StepAction::MoveAside => self.recover_aside(goal),
            StepAction::InPlace { kept } => self.recover_in_place(kept, goal),
            StepAction::Create => self.recover_create(goal),
            StepAction::Remove => self.recover_remove(goal),
            StepAction::Folder => self.recover_folder(),
            StepAction::TemporaryLink => self.recover_temporary_link(),
            StepAction::Move { name, .. } => self.recover_move(name, goal),
        }
    }

    fn recover_aside(&self, goal: RecoveryGoal) -> io::Result<RecoveryOutcome> {
        let (name, temporary) = (&*self.step.name, &*self.step.temporary);
        let old = aside_name(temporary);
        let at_name = self.occupant_of(name)?;
        // Our file was already in place; if the name is free now, another program removed it on purpose.
        let had_it =
            goal != RecoveryGoal::Rollback && self.occupant_of(temporary)? == NameOccupant::Nothing;
        let outcome = match (at_name, self.occupant_of(&old)?) {
            (NameOccupant::Old, NameOccupant::Nothing) => RecoveryOutcome::RolledBack,
            (_, NameOccupant::Nothing) => RecoveryOutcome::Finished,
            (NameOccupant::Nothing, NameOccupant::Old) if had_it => {
                RecoveryOutcome::Kept(self.store_displaced(&old)?)
            }
            (NameOccupant::Nothing, _) => self.restore_name(&old)?,
            (NameOccupant::New, NameOccupant::Old) if goal != RecoveryGoal::Rollback => {
                self.store_displaced(&old)?;
                RecoveryOutcome::Finished
            }
            (NameOccupant::New, _) if goal == RecoveryGoal::Rollback => {
                self.store_displaced(name)?;
                self.restore_name(&old)?
            }
            _ => RecoveryOutcome::Kept(self.store_displaced(&old)?),
        };
        // The new file may have both names, or still wait for its final one.
        if self.occupant_of(temporary)? != NameOccupant::New {
            return Ok(outcome);
        }
        match self.occupant_of(name)? {
            NameOccupant::Foreign | NameOccupant::Nothing => {
                Ok(RecoveryOutcome::Kept(self.store_displaced(temporary)?))
            }
            NameOccupant::Old | NameOccupant::New => {
                self.remove_our_file(temporary)?;
                Ok(outcome)
            }
        }
    }

    fn recover_create(&self, goal: RecoveryGoal) -> io::Result<RecoveryOutcome> {
        let temporary = &*self.step.temporary;
        let at_name = self.occupant_of(&self.step.name)?;
        if self.occupant_of(temporary)? == NameOccupant::New {
            if at_name == NameOccupant::Foreign {
                // Another program took the name: keep both.
                return Ok(RecoveryOutcome::Kept(self.store_displaced(temporary)?));
            }
            self.remove_our_file(temporary)?;
        }
        match at_name {
            NameOccupant::New if goal == RecoveryGoal::Rollback => {
                self.store_displaced(&self.step.name)?;
                Ok(RecoveryOutcome::RolledBack)
            }
            NameOccupant::New => Ok(RecoveryOutcome::Finished),
            _ => Ok(RecoveryOutcome::RolledBack),
        }
    }

    fn recover_remove(&self, goal: RecoveryGoal) -> io::Result<RecoveryOutcome> {
        let temporary = &*self.step.temporary;
        match self.occupant_of(temporary)? {
            NameOccupant::Nothing => Ok(RecoveryOutcome::Finished),
            NameOccupant::Old if goal != RecoveryGoal::Rollback => {
                self.store_displaced(temporary)?;
                Ok(RecoveryOutcome::Finished)
            }
            _ => self.restore_name(temporary),
        }
    }

    fn recover_move(&self, to: &OsStr, goal: RecoveryGoal) -> io::Result<RecoveryOutcome> {
        let Some(other) = self.other else {
            return Ok(RecoveryOutcome::RolledBack);
        };
        let moved = self.occupant_in(other.as_fd(), to)? == NameOccupant::Old;
        // If the file is moved by a link, it has the temporary name in between, and for a moment both.
        let aside = &*self.step.temporary;
        if is_temporary(aside) && self.occupant_of(aside)? != NameOccupant::Nothing {
            if !moved {
                return self.restore_name(aside);
            }
            self.store_displaced(aside)?;
        }
        if !moved {
            return Ok(RecoveryOutcome::RolledBack);
        }
        if goal != RecoveryGoal::Rollback {
            return Ok(RecoveryOutcome::Finished);
        }
        let (from, name) = ((other.as_fd(), to), (self.folder(), &*self.step.name));
        match move_to_free_name(self.disk(), self.rename_trust(), from, name) {
            Ok(()) => Ok(RecoveryOutcome::RolledBack),
            // The old name has been taken: the file stays at its new one.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Ok(RecoveryOutcome::Finished)
            }
            Err(error) => Err(error),
        }
    }

    /// Recovers a rewrite in place: the copy of the old bytes stays until that is done, and torn bytes are stored
    /// first.
    fn recover_in_place(&self, kept: &Path, goal: RecoveryGoal) -> io::Result<RecoveryOutcome> {
        let disk = self.disk();
        let name = &*self.step.name;
        let stamp = match disk.stat_at(self.folder(), name) {
            Ok(stamp) => Some(stamp),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let is_it = stamp.zip(self.step.old).is_some_and(|(stamp, old)| {
            stamp.is_file() && (stamp.inode == old.inode || self.boot == EntryBoot::Another)
        });
        let next = kept.with_file_name(next_name(kept.file_name().unwrap_or_default()));
        let outcome = match is_it {
            true => self.recover_same_inode(kept, &next, goal)?,
            // The name belongs to another file by now; the old bytes are kept as they are.
            false => RecoveryOutcome::Kept(kept.to_owned()),
        };
        let _ = self.remove_stored_copy(&next);
        Ok(outcome)
    }

    fn recover_same_inode(
        &self,
        kept: &Path,
        next: &Path,
        goal: RecoveryGoal,
    ) -> io::Result<RecoveryOutcome> {
        let disk = self.disk();
        let name = &*self.step.name;
        match (self.occupant_of(name)?, goal) {
            (NameOccupant::Old, _) => {
                // The rewrite was not begun, or was undone: the copy is redundant.
                let _ = self.remove_stored_copy(kept);
                return Ok(RecoveryOutcome::RolledBack);
            }
            (NameOccupant::New, RecoveryGoal::Complete | RecoveryGoal::AsFound) => {
                return Ok(RecoveryOutcome::Finished);
            }
            _ => {}
        }
        let Some(source) = self.open_stored_copy(kept)? else {
            return Ok(match self.open_stored_copy(next)? {
                // Not begun: the copies are named before the first byte is written.
                None => RecoveryOutcome::RolledBack,
                Some(_) => RecoveryOutcome::Kept(self.step.folder.join(name)),
            });
        };
        let (revision, size) = hash_file(disk, source.as_fd())?;
        if self.step.old.is_none_or(|old| old.revision != revision) {
            return Ok(RecoveryOutcome::Kept(kept.to_owned()));
        }
        let file = disk.open_at(self.folder(), name, OpenMode::Rewrite)?;
        match wait_for_lease(disk, &file, Lease::Write, self.workspace.lease_patience) {
            // The file is in use: leave it for later.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Err(error),
            _ => {}
        }
        // The write lease keeps others out, so this result holds.
        let now = self.identify_file(file.as_fd())?;
        if now == NameOccupant::Foreign {
            let torn = match self.open_stored_copy(next)? {
                Some(next) => {
                    is_mixture_of_old_and_new(disk, file.as_fd(), source.as_fd(), next.as_fd())?
                }
                None => false,
            };
            if !torn {
                // Another program, or a later commit, has written it since: that stays.
                return Ok(RecoveryOutcome::Kept(kept.to_owned()));
            }
            let _ = self
                .workspace
                .displaced
                .store_copy(disk, file.as_fd(), name)?;
        }
        if now != NameOccupant::Old {
            overwrite_from(disk, source.as_fd(), size, file.as_fd())?;
        }
        let _ = self.remove_stored_copy(kept);
        Ok(RecoveryOutcome::RolledBack)
    }

    pub(super) fn open_stored_copy(&self, kept: &Path) -> io::Result<Option<OwnedFd>> {
        let Some((folder, name)) = self.locate_stored_copy(kept)? else {
            return Ok(None);
        };
        match self.disk().open_at(folder.as_fd(), name, OpenMode::Read) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn remove_stored_copy(&self, kept: &Path) -> io::Result<()> {
        match self.locate_stored_copy(kept)? {
            Some((folder, name)) => self.disk().remove_at(folder.as_fd(), name),
            None => Ok(()),
        }
    }

    /// Finds the folder of a copy: the store of displaced files, or the file's own folder.
    fn locate_stored_copy<'k>(
        &self,
        kept: &'k Path,
    ) -> io::Result<Option<(Arc<OwnedFd>, &'k OsStr)>> {
        let Some(name) = kept.file_name() else {
            return Ok(None);
        };
        if kept.parent() == Some(&*self.step.folder) {
            return Ok(Some((Arc::clone(self.folder), name)));
        }
        let store = self.workspace.displaced.folder(self.disk())?;
        Ok(store
            .filter(|(_, path)| kept.parent() == Some(*path))
            .map(|(folder, _)| (folder, name)))
    }

    /// Renames a file back to its name; if that is taken the file is stored.
    pub(super) fn restore_name(&self, from: &OsStr) -> io::Result<RecoveryOutcome> {
        let name = &self.step.name;
        match rename_to_free_name(self.disk(), self.rename_trust(), self.folder(), from, name) {
            Ok(_) => Ok(RecoveryOutcome::RolledBack),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Ok(RecoveryOutcome::Kept(self.store_displaced(from)?))
            }
            Err(error) => Err(error),
        }
    }

    /// Moves a file into the store of displaced files.
    pub(super) fn store_displaced(&self, name: &OsStr) -> io::Result<PathBuf> {
        let disk = self.disk();
        if self.is_folder(name) {
            return self.remove_empty_folder(name);
        }
        let is_quiet = || {
            let file = disk.open_at(self.folder(), name, OpenMode::Read);
            file.is_ok_and(|file| disk.take_lease(file.as_fd(), Lease::Read).is_ok())
        };
        let quiet = self.is_link(name) || is_quiet();
        let seal = if quiet { Seal::Sealed } else { Seal::Open };
        let of = &self.step.name;
        let path = self
            .workspace
            .displaced
            .store_file(disk, self.folder(), name, of, seal)?;
        Ok(path.unwrap_or_else(|| self.step.folder.join(name)))
    }

    /// Removes the new file, unless another program is writing to it: then it is stored.
    pub(super) fn remove_our_file(&self, name: &OsStr) -> io::Result<()> {
        let disk = self.disk();
        if self.is_folder(name) {
            return self.remove_empty_folder(name).map(|_| ());
        }
        if self.is_link(name) {
            return disk.remove_at(self.folder(), name);
        }
        let file = disk.open_at(self.folder(), name, OpenMode::Read)?;
        match disk.take_lease(file.as_fd(), Lease::Read) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.store_displaced(name).map(|_| ())
            }
            _ => disk.remove_at(self.folder(), name),
        }
    }

    /// Removes a folder of ours; returns its path. If another program has put something into it since, it stays, under
    /// the name that it is meant to have.
    fn remove_empty_folder(&self, name: &OsStr) -> io::Result<PathBuf> {
        let disk = self.disk();
        match disk.remove_folder_at(self.folder(), name) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                if is_temporary(name) {
                    let to = &self.step.name;
                    rename_to_free_name(disk, self.rename_trust(), self.folder(), name, to)?;
                }
            }
            other => other?,
        }
        Ok(self.step.folder.join(&self.step.name))
    }

    fn is_folder(&self, name: &OsStr) -> bool {
        let found = self.disk().stat_at(self.folder(), name);
        found.is_ok_and(|stamp| stamp.is_folder())
    }

    /// Returns whether a name is that of a symbolic link, which no program can write to.
    fn is_link(&self, name: &OsStr) -> bool {
        let found = self.disk().stat_at(self.folder(), name);
        found.is_ok_and(|stamp| stamp.is_link())
    }

    pub(super) fn disk(&self) -> &dyn Disk {
        &*self.workspace.disk
    }

    /// Returns how far the flags of a rename in the folder of the step can be relied on.
    pub(super) fn rename_trust(&self) -> RenameTrust {
        rename_trust(self.disk(), self.folder())
    }

    pub(super) fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}
