//! The files that a selection of operations touched: how each was before the first of them, and which name it got since.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use lancet_history::{Operation, OperationKind, RecordedState};

/// A file that selected operations touched.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NetFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The state before the first of the operations; none if there was no file of this name.
    pub before: Option<RecordedState>,
    /// The path that the file had before the first of the operations, if it has been moved here since.
    pub moved_from: Option<PathBuf>,
}

/// Returns the files that the selected ones of these operations touched, by their names. `operations` are all operations
/// from the first selected one on, oldest first: a file is followed through moves by the others.
pub(super) fn touched_files(
    operations: &[Operation],
    is_selected: impl Fn(&Operation) -> bool,
) -> Vec<NetFile> {
    let mut touched = TouchedFiles::default();
    // The bytes of a late writer were never in the file.
    let in_files = |operation: &&Operation| operation.kind != OperationKind::Late;
    for operation in operations.iter().filter(in_files) {
        touched.add(operation, is_selected(operation));
    }
    touched.finish()
}

/// The files while the operations are followed.
#[derive(Default)]
struct TouchedFiles {
    before: BTreeMap<PathBuf, Option<RecordedState>>,
    /// The first name of each file that has been moved, by its present name.
    first_names: HashMap<PathBuf, PathBuf>,
}

impl TouchedFiles {
    fn add(&mut self, operation: &Operation, is_selected: bool) {
        // Of files that exchange their names, both are taken away before either gets its new name.
        let leaving: HashMap<&Path, PathBuf> = operation
            .files
            .iter()
            .filter_map(|change| {
                let old = change.moved_from.as_deref()?;
                Some((old, self.first_name(old)))
            })
            .collect();
        let taken: HashSet<&Path> = operation
            .files
            .iter()
            .filter(|change| change.after.is_some())
            .map(|change| change.path.as_path())
            .collect();
        for change in &operation.files {
            // The name at the time of the change: another program may have moved the file since. All changes before
            // that move have both names, and the first of them has moved the file here already.
            let former = change.former_path.as_ref().filter(|former| {
                let names = &self.first_names;
                names.contains_key(*former) || !names.contains_key(&change.path)
            });
            let name = former.unwrap_or(&change.path);
            match &change.moved_from {
                Some(old) => {
                    if !is_selected && !self.before.contains_key(old) {
                        continue;
                    }
                    self.first_state(old, change.before.as_ref());
                    self.first_state(name, None);
                    if !taken.contains(old.as_path()) {
                        self.first_names.remove(old);
                    }
                    let first = leaving.get(old.as_path());
                    let first = first.cloned().unwrap_or_else(|| old.clone());
                    self.first_names.insert(name.clone(), first);
                }
                None => {
                    if is_selected {
                        self.first_state(name, change.before.as_ref());
                    }
                    if change.after.is_none() {
                        self.first_names.remove(name);
                    }
                }
            }
            if name != &change.path && self.before.contains_key(name) {
                let first = self.first_name(name);
                self.first_state(&change.path, None);
                self.first_names.remove(name);
                self.first_names.insert(change.path.clone(), first);
            }
        }
    }

    fn first_name(&self, name: &Path) -> PathBuf {
        let first = self.first_names.get(name);
        first.map_or_else(|| name.to_path_buf(), Clone::clone)
    }

    fn first_state(&mut self, name: &Path, state: Option<&RecordedState>) {
        if !self.before.contains_key(name) {
            self.before.insert(name.to_path_buf(), state.cloned());
        }
    }

    fn finish(mut self) -> Vec<NetFile> {
        let was_there = |name: &PathBuf| matches!(self.before.get(name), Some(Some(_)));
        let moved: HashMap<PathBuf, PathBuf> = self
            .first_names
            .drain()
            .filter(|(name, first)| name != first && !was_there(name) && was_there(first))
            .collect();
        let file = |(path, before)| NetFile {
            moved_from: moved.get(&path).cloned(),
            path,
            before,
        };
        self.before.into_iter().map(file).collect()
    }
}
