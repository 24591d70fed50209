//! Recovers a file that was to be replaced by an exchange of names.

use std::ffi::OsStr;
use std::io;

use super::RecoveryOutcome;
use super::occupant::NameOccupant;
use super::step::{RecoveryGoal, StepRecovery};
use crate::commit::{aside_name, rename_to_free_name};
use crate::disk::ReplaceMode;
use crate::mounts::RenameTrust;

impl StepRecovery<'_> {
    pub(super) fn recover_exchange(&self, goal: RecoveryGoal) -> io::Result<RecoveryOutcome> {
        let (name, temporary) = (&*self.step.name, &*self.step.temporary);
        let exchange = || self.exchange_names(name, temporary);
        let old = aside_name(temporary);
        if self.occupant_of(&old)? != NameOccupant::Nothing {
            // An earlier recovery exchanged the names in steps and was killed in between.
            self.finish_exchange_in_steps(name, temporary, &old)?;
        }
        match (self.occupant_of(name)?, self.occupant_of(temporary)?) {
            // Never named, rolled back, or already stored. What other programs wrote since remains.
            (NameOccupant::Old, NameOccupant::Nothing) => Ok(RecoveryOutcome::RolledBack),
            (_, NameOccupant::Nothing) => Ok(RecoveryOutcome::Finished),
            (NameOccupant::New, NameOccupant::Old) if goal != RecoveryGoal::Rollback => {
                self.store_displaced(temporary)?;
                Ok(RecoveryOutcome::Finished)
            }
            (NameOccupant::Old, NameOccupant::New) if goal == RecoveryGoal::Complete => {
                exchange()?;
                self.store_displaced(temporary)?;
                Ok(RecoveryOutcome::Finished)
            }
            (NameOccupant::Old, NameOccupant::New) => {
                self.remove_our_file(temporary)?;
                Ok(RecoveryOutcome::RolledBack)
            }
            (NameOccupant::New, _) if goal == RecoveryGoal::Rollback => {
                exchange()?;
                // Remove only what was displaced and is ours; another program may have come between the check and the
                // exchange.
                match self.occupant_of(temporary)? {
                    NameOccupant::New => {
                        self.remove_our_file(temporary)?;
                        Ok(RecoveryOutcome::RolledBack)
                    }
                    _ => Ok(RecoveryOutcome::Kept(self.store_displaced(temporary)?)),
                }
            }
            (NameOccupant::Nothing, NameOccupant::Old) if goal != RecoveryGoal::Complete => {
                // Another program removed the new file: the old one gets its name back.
                self.restore_name(temporary)
            }
            // Keep both: it is not known which was written last.
            _ => Ok(RecoveryOutcome::Kept(self.store_displaced(temporary)?)),
        }
    }

    /// Exchanges two names. If the flags of a rename may be ignored, it does so in steps, since the proof from the
    /// start of the commit may not hold for the current mount.
    pub(super) fn exchange_names(&self, name: &OsStr, temporary: &OsStr) -> io::Result<()> {
        let disk = self.disk();
        if self.rename_trust() == RenameTrust::Exact {
            return disk.rename_at(self.folder(), name, temporary, ReplaceMode::Exchange);
        }
        let old = aside_name(temporary);
        disk.rename_at(self.folder(), name, &old, ReplaceMode::Over)?;
        self.finish_exchange_in_steps(name, temporary, &old)
    }

    /// Finishes an exchange in steps: the file that was at the name has the name `old`.
    pub(super) fn finish_exchange_in_steps(
        &self,
        name: &OsStr,
        temporary: &OsStr,
        old: &OsStr,
    ) -> io::Result<()> {
        let (disk, folder) = (self.disk(), self.folder());
        let rename = |from, to| rename_to_free_name(disk, self.rename_trust(), folder, from, to);
        if self.occupant_of(name)? == NameOccupant::Nothing {
            let has_other = self.occupant_of(temporary)? != NameOccupant::Nothing;
            rename(if has_other { temporary } else { old }, name)?;
        }
        match self.occupant_of(old)? {
            NameOccupant::Nothing => Ok(()),
            _ if self.occupant_of(temporary)? == NameOccupant::Nothing => {
                rename(old, temporary).map(|_| ())
            }
            // Another program took the name meanwhile.
            _ => self.store_displaced(old).map(|_| ()),
        }
    }
}
