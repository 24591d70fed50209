//! Decides how an interrupted commit of several files ends, by the content of its files: it goes forward if every file
//! that is not written yet can still be written, else back. If neither is possible, because another program has changed
//! a written file since, that file keeps its change and the others are rolled back.

use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;

use super::occupant::NameOccupant;
use super::step::{RecoveryGoal, StepRecovery};
use super::torn::is_mixture_of_old_and_new;
use crate::commit::{aside_name, move_to_free_name, next_name, rename_to_free_name};
use crate::disk::OpenMode;
use crate::journal::StepAction;

/// How far one file of an interrupted commit got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepState {
    /// The file is written, and no program has changed it since.
    Written,
    /// The file is written, and another program has changed it since: it cannot be rolled back.
    WrittenOver,
    /// The file is not written; what it was to be replaced with is there, and so is the old file.
    Unwritten,
    /// The file is not written, and cannot be any more.
    Blocked,
    /// Another file has the name of a file that was to be created: it was created and changed since, or another program
    /// created it first.
    Unclear,
}

impl StepState {
    /// Resolves what is unclear by the order in which the files are written.
    pub(super) fn resolve_unclear_states(states: &[StepState]) -> Vec<StepState> {
        let last = states.iter().rposition(|state| state.is_written());
        let clear = |(at, state): (usize, &StepState)| match state {
            StepState::Unclear if last.is_some_and(|last| at < last) => StepState::WrittenOver,
            StepState::Unclear => StepState::Blocked,
            state => *state,
        };
        states.iter().enumerate().map(clear).collect()
    }

    /// Returns whether the file has the change.
    pub(super) fn is_written(self) -> bool {
        matches!(self, StepState::Written | StepState::WrittenOver)
    }
}

/// How an interrupted commit ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecoveryDirection {
    /// The files that are not written yet are written now.
    Forward,
    /// The files that are written are rolled back.
    Back,
    /// Neither is possible: the files that another program has changed since keep the change, the others are rolled
    /// back.
    Neither,
}

impl RecoveryDirection {
    pub(super) fn from_states(states: &[StepState]) -> RecoveryDirection {
        let all = |wanted: &[StepState]| states.iter().all(|state| wanted.contains(state));
        use StepState::{Blocked, Unwritten, Written, WrittenOver};
        // A commit that had not written anything yet did not happen.
        if all(&[Unwritten, Blocked]) {
            RecoveryDirection::Back
        } else if all(&[Written, WrittenOver, Unwritten]) {
            RecoveryDirection::Forward
        } else if all(&[Written, Unwritten, Blocked]) {
            RecoveryDirection::Back
        } else {
            RecoveryDirection::Neither
        }
    }

    pub(super) fn recovery_goal(self) -> RecoveryGoal {
        match self {
            RecoveryDirection::Forward => RecoveryGoal::Complete,
            RecoveryDirection::Back | RecoveryDirection::Neither => RecoveryGoal::Rollback,
        }
    }
}

impl StepRecovery<'_> {
    /// Determines how far this file got. An exchange in steps that an earlier recovery did not finish is finished
    /// first.
    pub(super) fn current_state(&self) -> io::Result<StepState> {
        let (name, temporary) = (&*self.step.name, &*self.step.temporary);
        let aside = aside_name(temporary);
        if self.step.act == StepAction::Exchange
            && self.occupant_of(&aside)? != NameOccupant::Nothing
        {
            self.finish_exchange_in_steps(name, temporary, &aside)?;
        }
        Ok(match &self.step.act {
            StepAction::Exchange => match (self.occupant_of(name)?, self.occupant_of(temporary)?) {
                (NameOccupant::Old, NameOccupant::New) => StepState::Unwritten,
                (NameOccupant::New, NameOccupant::Nothing) => StepState::WrittenOver,
                (NameOccupant::New, _) | (NameOccupant::Nothing, NameOccupant::Old) => {
                    StepState::Written
                }
                (NameOccupant::Foreign, NameOccupant::Old) => StepState::WrittenOver,
                _ => StepState::Blocked,
            },
            StepAction::MoveAside => match (self.occupant_of(name)?, self.occupant_of(&aside)?) {
                (NameOccupant::New, NameOccupant::Nothing) => StepState::WrittenOver,
                (NameOccupant::New | NameOccupant::Nothing, NameOccupant::Old) => {
                    StepState::Written
                }
                (NameOccupant::Foreign, NameOccupant::Old) => StepState::WrittenOver,
                _ => StepState::Blocked,
            },
            StepAction::InPlace { kept } => self.state_of_rewrite(kept)?,
            StepAction::Create => match (self.occupant_of(name)?, self.occupant_of(temporary)?) {
                (NameOccupant::New, _) => StepState::Written,
                (NameOccupant::Nothing, NameOccupant::New) => StepState::Unwritten,
                (NameOccupant::Foreign, NameOccupant::Nothing) => StepState::Unclear,
                _ => StepState::Blocked,
            },
            StepAction::Remove => match (self.occupant_of(name)?, self.occupant_of(temporary)?) {
                (NameOccupant::Old, NameOccupant::Nothing) => StepState::Unwritten,
                (NameOccupant::Nothing, NameOccupant::Nothing) => StepState::WrittenOver,
                (NameOccupant::Nothing, _) => StepState::Written,
                (_, NameOccupant::Old) => StepState::WrittenOver,
                _ => StepState::Blocked,
            },
            StepAction::Move { name: to, .. } => self.state_of_move(to)?,
            StepAction::Folder | StepAction::TemporaryLink => StepState::Blocked,
        })
    }

    fn state_of_rewrite(&self, kept: &Path) -> io::Result<StepState> {
        let at_name = self.occupant_of(&self.step.name)?;
        let source = self.open_stored_copy(kept)?;
        Ok(match (at_name, source) {
            (NameOccupant::New, Some(_)) => StepState::Written,
            (NameOccupant::New, None) => StepState::WrittenOver,
            (NameOccupant::Foreign, Some(source)) => {
                let next = kept.with_file_name(next_name(kept.file_name().unwrap_or_default()));
                let file = self
                    .disk()
                    .open_at(self.folder(), &self.step.name, OpenMode::Read)?;
                let torn = match self.open_stored_copy(&next)? {
                    Some(next) => is_mixture_of_old_and_new(
                        self.disk(),
                        file.as_fd(),
                        source.as_fd(),
                        next.as_fd(),
                    )?,
                    None => false,
                };
                match torn {
                    true => StepState::Written,
                    // Whether the rewrite was begun before the other program wrote cannot be known.
                    false => StepState::Blocked,
                }
            }
            _ => StepState::Blocked,
        })
    }

    fn state_of_move(&self, to: &OsStr) -> io::Result<StepState> {
        let Some(other) = self.other else {
            return Ok(StepState::Blocked);
        };
        let (here, there) = (
            self.occupant_of(&self.step.name)?,
            self.occupant_in(other.as_fd(), to)?,
        );
        // For a move the old file and the new one are the same.
        let is_it = |found: NameOccupant| matches!(found, NameOccupant::Old | NameOccupant::New);
        Ok(match (here, there) {
            (here, NameOccupant::Nothing) if is_it(here) => StepState::Unwritten,
            (NameOccupant::Nothing, there) if is_it(there) => StepState::Written,
            (_, there) if is_it(there) => StepState::WrittenOver,
            _ => StepState::Blocked,
        })
    }

    /// Writes a file whose state is [`StepState::Unwritten`], and leaves the old one under its temporary name. `false`
    /// if another program intervened; then the file is as that program left it.
    pub(super) fn write_remaining(&self) -> io::Result<bool> {
        let (name, temporary) = (&*self.step.name, &*self.step.temporary);
        let disk = self.disk();
        let exchange = || self.exchange_names(name, temporary);
        match &self.step.act {
            StepAction::Exchange => {
                exchange()?;
                if self.occupant_of(temporary)? == NameOccupant::Old {
                    return Ok(true);
                }
                exchange()?;
                Ok(false)
            }
            StepAction::Create => was_free(rename_to_free_name(
                disk,
                self.rename_trust(),
                self.folder(),
                temporary,
                name,
            )),
            StepAction::Remove => {
                rename_to_free_name(disk, self.rename_trust(), self.folder(), name, temporary)?;
                if self.occupant_of(temporary)? == NameOccupant::Old {
                    return Ok(true);
                }
                let _ =
                    rename_to_free_name(disk, self.rename_trust(), self.folder(), temporary, name);
                Ok(false)
            }
            StepAction::Move { name: to, .. } => match self.other {
                Some(other) => {
                    let (from, to) = ((self.folder(), name), (other.as_fd(), &**to));
                    was_free(move_to_free_name(disk, self.rename_trust(), from, to))
                }
                None => Ok(false),
            },
            StepAction::MoveAside
            | StepAction::InPlace { .. }
            | StepAction::Folder
            | StepAction::TemporaryLink => Ok(false),
        }
    }
}

/// Returns whether a name that was free is now taken by our file.
fn was_free<T>(renamed: io::Result<T>) -> io::Result<bool> {
    match renamed {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}
