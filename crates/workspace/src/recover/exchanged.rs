//! Recovers a file that was to be replaced by an exchange of names.

use std::ffi::OsStr;
use std::io;

use super::RecoveryOutcome;
use super::occupant::Occupant;
use super::step::{Goal, StepRecovery};
use crate::commit::{aside_name, rename_to_free_name};
use crate::disk::Replace;
use crate::mounts::RenameTrust;

impl StepRecovery<'_> {
    pub(super) fn recover_exchange(&self, goal: Goal) -> io::Result<RecoveryOutcome> {
        let (name, temporary) = (&*self.step.name, &*self.step.temporary);
        let exchange = || self.exchange(name, temporary);
        let old = aside_name(temporary);
        if self.occupant_of(&old)? != Occupant::Nothing {
            // An earlier recovery exchanged the names in steps and was killed in between.
            self.finish_exchange_in_steps(name, temporary, &old)?;
        }
        match (self.occupant_of(name)?, self.occupant_of(temporary)?) {
            // Never named, rolled back, or already stored. What other programs wrote since remains.
            (Occupant::Old, Occupant::Nothing) => Ok(RecoveryOutcome::RolledBack),
            (_, Occupant::Nothing) => Ok(RecoveryOutcome::Finished),
            (Occupant::New, Occupant::Old) if goal != Goal::Rollback => {
                self.put_away(temporary)?;
                Ok(RecoveryOutcome::Finished)
            }
            (Occupant::Old, Occupant::New) if goal == Goal::Complete => {
                exchange()?;
                self.put_away(temporary)?;
                Ok(RecoveryOutcome::Finished)
            }
            (Occupant::Old, Occupant::New) => {
                self.remove_ours(temporary)?;
                Ok(RecoveryOutcome::RolledBack)
            }
            (Occupant::New, _) if goal == Goal::Rollback => {
                exchange()?;
                // Remove only what was displaced and is ours; another program may have come between the check and the
                // exchange.
                match self.occupant_of(temporary)? {
                    Occupant::New => {
                        self.remove_ours(temporary)?;
                        Ok(RecoveryOutcome::RolledBack)
                    }
                    _ => Ok(RecoveryOutcome::Kept(self.put_away(temporary)?)),
                }
            }
            (Occupant::Nothing, Occupant::Old) if goal != Goal::Complete => {
                // Another program removed the new file: the old one gets its name back.
                self.give_back(temporary)
            }
            // Keep both: it is not known which was written last.
            _ => Ok(RecoveryOutcome::Kept(self.put_away(temporary)?)),
        }
    }

    /// Exchanges two names. If the flags of a rename may be ignored, it does so in steps, since the proof from the
    /// start of the commit may not hold for the current mount.
    pub(super) fn exchange(&self, name: &OsStr, temporary: &OsStr) -> io::Result<()> {
        let disk = self.disk();
        if self.trust() == RenameTrust::Exact {
            return disk.rename_at(self.folder(), name, temporary, Replace::Exchange);
        }
        let old = aside_name(temporary);
        disk.rename_at(self.folder(), name, &old, Replace::Over)?;
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
        let rename = |from, to| rename_to_free_name(disk, self.trust(), folder, from, to);
        if self.occupant_of(name)? == Occupant::Nothing {
            let has_other = self.occupant_of(temporary)? != Occupant::Nothing;
            rename(if has_other { temporary } else { old }, name)?;
        }
        match self.occupant_of(old)? {
            Occupant::Nothing => Ok(()),
            _ if self.occupant_of(temporary)? == Occupant::Nothing => {
                rename(old, temporary).map(|_| ())
            }
            // Another program took the name meanwhile.
            _ => self.put_away(old).map(|_| ()),
        }
    }
}
