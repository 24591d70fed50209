//! Tells apart what calls that ran at the same time changed, as far as that is known: a call that names its files
//! changed no others, and a change while a single call ran is that call's.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use lancet_history::{
    CheckpointEntry, EntryChange, HistoryError, OpenCall, OperationStore, WorkspaceRef,
};

use crate::compare::EntryDifference;

/// A call that has ended, with those that still run beside it.
pub(crate) struct CallsBeside<'c> {
    pub(crate) workspace: WorkspaceRef<'c>,
    pub(crate) store: &'c dyn OperationStore,
    /// The number of the checkpoint before the call.
    pub(crate) since: i64,
    /// The number of the newest checkpoint.
    pub(crate) newest: i64,
    /// The files that the call names; empty if it may have changed any.
    pub(crate) paths: &'c [PathBuf],
    /// The calls that still run.
    pub(crate) open: &'c [OpenCall],
    /// What changed after the newest checkpoint.
    pub(crate) changes: &'c [EntryChange],
}

/// The files of a call that another one may have changed instead, and the sessions of these others.
#[derive(Default)]
pub(crate) struct SharedFiles {
    pub(crate) paths: BTreeSet<PathBuf>,
    pub(crate) sessions: BTreeSet<String>,
}

/// Which of two calls changed a file that changed while both ran.
#[derive(PartialEq, Eq)]
enum Changer {
    ThisCall,
    OtherCall,
    Either,
}

impl CallsBeside<'_> {
    /// Cuts changes that another call made off the differences, and returns those that another call may have made.
    pub(crate) fn set_apart(
        &self,
        real: &mut Vec<EntryDifference>,
    ) -> Result<SharedFiles, HistoryError> {
        let mut shared = SharedFiles::default();
        for other in self.open {
            let Some(begun) = other.since else { continue };
            let from = begun.max(self.since);
            let names = self.changed_since(from)?;
            let mut left = Vec::with_capacity(real.len());
            for difference in real.drain(..) {
                let name = name_of(&difference).to_vec();
                let path = self.path(&name);
                let changer = match names.contains(&name) {
                    true => changer(self.paths, &other.paths, &path),
                    false => Changer::ThisCall,
                };
                match changer {
                    Changer::ThisCall => left.push(difference),
                    // The other call records it when it ends, from its own beginning on.
                    Changer::OtherCall => left.extend(self.up_to(from, difference)?),
                    Changer::Either => {
                        shared.paths.insert(path);
                        shared.sessions.insert(other.session.clone());
                        left.push(difference);
                    }
                }
            }
            *real = left;
        }
        Ok(shared)
    }

    /// Returns the names that changed after a checkpoint.
    fn changed_since(&self, from: i64) -> Result<HashSet<Vec<u8>>, HistoryError> {
        let recorded = self
            .store
            .changed_names(&self.workspace.id, from, self.newest)?;
        let now = self.changes.iter().filter_map(|change| match change {
            EntryChange::Now(entry) => Some(entry.name.clone()),
            EntryChange::Gone(name) => Some(name.clone()),
            EntryChange::Touched(_) => None,
        });
        Ok(recorded.into_iter().chain(now).collect())
    }

    /// Returns the part of a difference up to a checkpoint; none where nothing had changed by then.
    fn up_to(
        &self,
        number: i64,
        difference: EntryDifference,
    ) -> Result<Option<EntryDifference>, HistoryError> {
        let name = name_of(&difference);
        let after = self
            .store
            .checkpoint_entry(&self.workspace.id, number, name)?;
        let content = |entry: &CheckpointEntry| (entry.identity, entry.mode, entry.link.clone());
        let is_same = difference.before.as_ref().map(content) == after.as_ref().map(content);
        Ok((!is_same).then_some(EntryDifference {
            before: difference.before,
            after,
        }))
    }

    fn path(&self, name: &[u8]) -> PathBuf {
        self.workspace.root.join(OsStr::from_bytes(name))
    }
}

/// Returns who changed a file while both calls ran, from the files that they name.
fn changer(named: &[PathBuf], named_by_other: &[PathBuf], path: &Path) -> Changer {
    let names = |paths: &[PathBuf]| paths.iter().any(|named| named == path);
    match (names(named), names(named_by_other)) {
        (true, false) => Changer::ThisCall,
        (false, true) => Changer::OtherCall,
        (true, true) => Changer::Either,
        (false, false) => match (named.is_empty(), named_by_other.is_empty()) {
            (true, false) => Changer::ThisCall,
            (false, true) => Changer::OtherCall,
            _ => Changer::Either,
        },
    }
}

fn name_of(difference: &EntryDifference) -> &[u8] {
    let entry = difference.before.as_ref().or(difference.after.as_ref());
    entry.map_or(&[], |entry| entry.name.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_names_its_files_changed_these_and_no_others() {
        let file = PathBuf::from("/p/a.txt");
        let (named, other) = ([file.clone()], [PathBuf::from("/p/b.txt")]);
        let is = |named: &[PathBuf], by_other: &[PathBuf], wanted| {
            assert!(changer(named, by_other, &file) == wanted);
        };
        is(&named, &[], Changer::ThisCall);
        is(&[], &named, Changer::OtherCall);
        is(&named, &named, Changer::Either);
        is(&[], &[], Changer::Either);
        is(&[], &other, Changer::ThisCall);
        is(&other, &[], Changer::OtherCall);
        is(&other, &other, Changer::Either);
    }
}
