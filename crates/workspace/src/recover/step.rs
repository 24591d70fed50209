//! Recovers one file of an interrupted commit: decides by what is at the name and under the temporary name.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::RecoveryOutcome;
use super::occupant::{Occupant, hash};
use super::torn::is_mixture;
use crate::commit::{
    aside_name, move_to_free_name, next_name, rename_to_free_name, wait_for_lease, write_over,
};
use crate::disk::{Disk, Lease, OpenMode};
use crate::displaced::Seal;
use crate::folder::is_temporary;
use crate::journal::{Act, Step};
use crate::mounts::{RenameTrust, rename_trust};
use crate::roots::Workspace;

/// The state that recovery brings a commit to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Complete: every change is made.
    Complete,
    /// Rolled back: no change is made.
    Rollback,
    /// As found: a change that was made stays, one that was not is dropped.
    AsFound,
}

pub(super) struct StepRecovery<'r> {
    pub(super) workspace: &'r Workspace,
    pub(super) step: &'r Step,
    pub(super) folder: &'r Arc<OwnedFd>,
    /// The target folder of a move.
    pub(super) other: Option<&'r Arc<OwnedFd>>,
    pub(super) boot: Boot,
}

/// Whether the entry is from the current boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Boot {
    This,
    Another,
}

impl StepRecovery<'_> {
    pub(super) fn recover(&self, goal: Goal) -> io::Result<RecoveryOutcome> {
        match &self.step.act {
            Act::Exchange => self.recover_exchange(goal),
            Act::MoveAside => self.recover_aside(goal),
            Act::InPlace { kept } => self.recover_in_place(kept, goal),
            Act::Create => self.recover_create(goal),
            Act::Remove => self.recover_remove(goal),
            Act::Folder => self.recover_folder(),
            Act::TemporaryLink => self.recover_temporary_link(),
            Act::Move { name, .. } => self.recover_move(name, goal),
        }
    }

    fn recover_aside(&self, goal: Goal) -> io::Result<RecoveryOutcome> {
        let (name, temporary) = (&*self.step.name, &*self.step.temporary);
        let old = aside_name(temporary);
        let at_name = self.occupant_of(name)?;
        // Our file was already in place; if the name is free now, another program removed it on purpose.
        let had_it = goal != Goal::Rollback && self.occupant_of(temporary)? == Occupant::Nothing;
        let outcome = match (at_name, self.occupant_of(&old)?) {
            (Occupant::Old, Occupant::Nothing) => RecoveryOutcome::RolledBack,
            (_, Occupant::Nothing) => RecoveryOutcome::Finished,
            (Occupant::Nothing, Occupant::Old) if had_it => {
                RecoveryOutcome::Kept(self.put_away(&old)?)
            }
            (Occupant::Nothing, _) => self.give_back(&old)?,
            (Occupant::New, Occupant::Old) if goal != Goal::Rollback => {
                self.put_away(&old)?;
                RecoveryOutcome::Finished
            }
            (Occupant::New, _) if goal == Goal::Rollback => {
                self.put_away(name)?;
                self.give_back(&old)?
            }
            _ => RecoveryOutcome::Kept(self.put_away(&old)?),
        };
        // The new file may have both names, or still wait for its final one.
        if self.occupant_of(temporary)? != Occupant::New {
            return Ok(outcome);
        }
        match self.occupant_of(name)? {
            Occupant::Foreign | Occupant::Nothing => {
                Ok(RecoveryOutcome::Kept(self.put_away(temporary)?))
            }
            Occupant::Old | Occupant::New => {
                self.remove_ours(temporary)?;
                Ok(outcome)
            }
        }
    }

    fn recover_create(&self, goal: Goal) -> io::Result<RecoveryOutcome> {
        let temporary = &*self.step.temporary;
        let at_name = self.occupant_of(&self.step.name)?;
        if self.occupant_of(temporary)? == Occupant::New {
            if at_name == Occupant::Foreign {
                // Another program took the name: keep both.
                return Ok(RecoveryOutcome::Kept(self.put_away(temporary)?));
            }
            self.remove_ours(temporary)?;
        }
        match at_name {
            Occupant::New if goal == Goal::Rollback => {
                self.put_away(&self.step.name)?;
                Ok(RecoveryOutcome::RolledBack)
            }
            Occupant::New => Ok(RecoveryOutcome::Finished),
            _ => Ok(RecoveryOutcome::RolledBack),
        }
    }

    fn recover_remove(&self, goal: Goal) -> io::Result<RecoveryOutcome> {
        let temporary = &*self.step.temporary;
        match self.occupant_of(temporary)? {
            Occupant::Nothing => Ok(RecoveryOutcome::Finished),
            Occupant::Old if goal != Goal::Rollback => {
                self.put_away(temporary)?;
                Ok(RecoveryOutcome::Finished)
            }
            _ => self.give_back(temporary),
        }
    }

    fn recover_move(&self, to: &OsStr, goal: Goal) -> io::Result<RecoveryOutcome> {
        let Some(other) = self.other else {
            return Ok(RecoveryOutcome::RolledBack);
        };
        let moved = self.occupant_in(other.as_fd(), to)? == Occupant::Old;
        // If the file is moved by a link, it has the temporary name in between, and for a moment both.
        let aside = &*self.step.temporary;
        if is_temporary(aside) && self.occupant_of(aside)? != Occupant::Nothing {
            if !moved {
                return self.give_back(aside);
            }
            self.put_away(aside)?;
        }
        if !moved {
            return Ok(RecoveryOutcome::RolledBack);
        }
        if goal != Goal::Rollback {
            return Ok(RecoveryOutcome::Finished);
        }
        let (from, name) = ((other.as_fd(), to), (self.folder(), &*self.step.name));
        match move_to_free_name(self.disk(), self.trust(), from, name) {
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
    fn recover_in_place(&self, kept: &Path, goal: Goal) -> io::Result<RecoveryOutcome> {
        let disk = self.disk();
        let name = &*self.step.name;
        let stamp = match disk.stat_at(self.folder(), name) {
            Ok(stamp) => Some(stamp),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let is_it = stamp.zip(self.step.old).is_some_and(|(stamp, old)| {
            stamp.is_file() && (stamp.inode == old.inode || self.boot == Boot::Another)
        });
        let next = kept.with_file_name(next_name(kept.file_name().unwrap_or_default()));
        let outcome = match is_it {
            true => self.recover_same_inode(kept, &next, goal)?,
            // The name belongs to another file by now; the old bytes are kept as they are.
            false => RecoveryOutcome::Kept(kept.to_owned()),
        };
        let _ = self.remove_kept(&next);
        Ok(outcome)
    }

    fn recover_same_inode(
        &self,
        kept: &Path,
        next: &Path,
        goal: Goal,
    ) -> io::Result<RecoveryOutcome> {
        let disk = self.disk();
        let name = &*self.step.name;
        match (self.occupant_of(name)?, goal) {
            (Occupant::Old, _) => {
                // The rewrite was not begun, or was undone: the copy is redundant.
                let _ = self.remove_kept(kept);
                return Ok(RecoveryOutcome::RolledBack);
            }
            (Occupant::New, Goal::Complete | Goal::AsFound) => {
                return Ok(RecoveryOutcome::Finished);
            }
            _ => {}
        }
        let Some(source) = self.open_kept(kept)? else {
            return Ok(match self.open_kept(next)? {
                // Not begun: the copies are named before the first byte is written.
                None => RecoveryOutcome::RolledBack,
                Some(_) => RecoveryOutcome::Kept(self.step.folder.join(name)),
            });
        };
        let (revision, size) = hash(disk, source.as_fd())?;
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
        let now = self.judge(file.as_fd())?;
        if now == Occupant::Foreign {
            let torn = match self.open_kept(next)? {
                Some(next) => is_mixture(disk, file.as_fd(), source.as_fd(), next.as_fd())?,
                None => false,
            };
            if !torn {
                // Another program, or a later commit, has written it since: that stays.
                return Ok(RecoveryOutcome::Kept(kept.to_owned()));
            }
            let _ = self.workspace.displaced.copy_in(disk, file.as_fd(), name)?;
        }
        if now != Occupant::Old {
            write_over(disk, source.as_fd(), size, file.as_fd())?;
        }
        let _ = self.remove_kept(kept);
        Ok(RecoveryOutcome::RolledBack)
    }

    pub(super) fn open_kept(&self, kept: &Path) -> io::Result<Option<OwnedFd>> {
        let Some((folder, name)) = self.place_of(kept)? else {
            return Ok(None);
        };
        match self.disk().open_at(folder.as_fd(), name, OpenMode::Read) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn remove_kept(&self, kept: &Path) -> io::Result<()> {
        match self.place_of(kept)? {
            Some((folder, name)) => self.disk().remove_at(folder.as_fd(), name),
            None => Ok(()),
        }
    }

    /// Finds the folder of a copy: the store of displaced files, or the file's own folder.
    fn place_of<'k>(&self, kept: &'k Path) -> io::Result<Option<(Arc<OwnedFd>, &'k OsStr)>> {
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
    pub(super) fn give_back(&self, from: &OsStr) -> io::Result<RecoveryOutcome> {
        let name = &self.step.name;
        match rename_to_free_name(self.disk(), self.trust(), self.folder(), from, name) {
            Ok(_) => Ok(RecoveryOutcome::RolledBack),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Ok(RecoveryOutcome::Kept(self.put_away(from)?))
            }
            Err(error) => Err(error),
        }
    }

    /// Moves a file into the store of displaced files.
    pub(super) fn put_away(&self, name: &OsStr) -> io::Result<PathBuf> {
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
            .put_away(disk, self.folder(), name, of, seal)?;
        Ok(path.unwrap_or_else(|| self.step.folder.join(name)))
    }

    /// Removes the new file, unless another program is writing to it: then it is stored.
    pub(super) fn remove_ours(&self, name: &OsStr) -> io::Result<()> {
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
                self.put_away(name).map(|_| ())
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
                    rename_to_free_name(disk, self.trust(), self.folder(), name, to)?;
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
    pub(super) fn trust(&self) -> RenameTrust {
        rename_trust(self.disk(), self.folder())
    }

    pub(super) fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}
