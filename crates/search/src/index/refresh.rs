//! Brings an index up to date at the start of a search with the changes that the kernel reported since the last one. A
//! write that returned before the search began is in the kernel's queue by then. Too many changes, or a queue that
//! overflowed, end the index: it is rebuilt, and searches walk meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;

use lancet_workspace::{EntryKind, FolderChange, FolderHandle};

use super::ignored::copy_known_entries;
use super::scan::{FilePresence, apply_rules, list_folder};
use super::table::{FileId, FolderId};
use super::{IndexScope, NotResident, ReadAllowance, TreeIndex};
use crate::rules::RuleFiles;

/// With more changed files or folders the index is rebuilt: 2,000 files take about 30 ms to read and sign.
const MAX_CHANGES: usize = 2_000;
/// The limit of what a search reads before it begins; with more to read the index is rebuilt. A folder that is unpacked
/// into the tree is one change, and the search must not wait until all of it is read.
const REFRESH_READ_LIMIT: ReadAllowance = ReadAllowance {
    files: MAX_CHANGES,
    bytes: 64 << 20,
};
/// If an ignore file of a folder with more files than this below it changes, the index is rebuilt.
const MAX_REJUDGED_FILES: usize = 4_000;

/// Files, folders and rules that have to be compared with the disk again.
#[derive(Default)]
struct PendingChecks {
    files: BTreeSet<FileId>,
    /// Folders to be listed again, and the names of inner folders that may have been replaced.
    folders: BTreeMap<FolderId, BTreeSet<OsString>>,
    /// Folders whose rules may have changed.
    rules: BTreeSet<FolderId>,
}

impl TreeIndex {
    /// Takes in all changes that were made before this call.
    pub(super) fn refresh_changes(&mut self, scope: &IndexScope<'_>) -> Result<(), NotResident> {
        if self.mounts.has_changed() || !self.rule_files.are_unchanged() {
            return Err(NotResident::Changing);
        }
        if !self.uses_gate(scope.gate) {
            self.judged_by = None;
        }
        let mut doubts = self.read_pending_changes()?;
        doubts.files.extend(self.changed_linked_files());
        let number = doubts.files.len() + doubts.folders.len();
        if number == 0 && doubts.rules.is_empty() {
            return Ok(());
        }
        if number > MAX_CHANGES {
            return Err(NotResident::Changing);
        }
        self.allowance = REFRESH_READ_LIMIT;
        for id in doubts.rules {
            self.reapply_rules(scope, id)?;
        }
        for (id, suspects) in doubts.folders {
            self.relist_folder(scope, id, &suspects, RelistDepth::Folder)?;
        }
        for id in doubts.files {
            self.read_file_again(scope, id)?;
        }
        self.settle_pending();
        if self.is_wasteful() {
            return Err(NotResident::Changing);
        }
        Ok(())
    }

    /// Reads the kernel's queue to its end.
    fn read_pending_changes(&mut self) -> Result<PendingChecks, NotResident> {
        let mut doubts = PendingChecks::default();
        let changes = self.watch.changes().map_err(|_| NotResident::Changing)?;
        for change in changes {
            match change {
                FolderChange::Overflow => return Err(NotResident::Changing),
                FolderChange::File(watched, name) => {
                    if let Some(id) = self.watched.get(&watched).copied() {
                        self.forget_ignored(id, &name);
                        self.note_doubt(&mut doubts, id, &name);
                    }
                }
                FolderChange::Gone(watched) => {
                    let Some(id) = self.watched.remove(&watched) else {
                        continue;
                    };
                    // The kernel continues to watch a folder that was moved, wherever it is now.
                    self.watch.remove(watched);
                    let Some(folder) = self.table.folder_mut(id) else {
                        continue;
                    };
                    folder.watched = None;
                    let name = folder.path.file_name().map(OsStr::to_owned);
                    // Without its outermost folder there is no tree.
                    let (Some(parent), Some(name)) = (folder.parent, name) else {
                        return Err(NotResident::Changing);
                    };
                    doubts.folders.entry(parent).or_default().insert(name);
                }
            }
        }
        Ok(doubts)
    }

    fn note_doubt(&self, doubts: &mut PendingChecks, folder: FolderId, name: &OsStr) {
        let mut present = RuleFiles::default();
        present.record_name(name);
        if present != RuleFiles::default() {
            doubts.rules.insert(folder);
        }
        if let Some(file) = self.table.file_named(folder, name) {
            doubts.files.insert(file);
            return;
        }
        let suspects = doubts.folders.entry(folder).or_default();
        if self.table.folder_named(folder, name).is_some() {
            suspects.insert(name.to_owned());
        }
    }

    /// Returns the files with several names that have changed. They can be written through a name in a folder that is
    /// not watched.
    fn changed_linked_files(&self) -> Vec<FileId> {
        let changed = |id: &&FileId| {
            let Some(entry) = self.table.file(**id) else {
                return false;
            };
            let handle = self.open_folder(entry.folder);
            let now = handle.and_then(|handle| handle.stat(self.table.name(**id)).ok());
            !now.is_some_and(|now| now.has_same_state(&entry.stamp) && !entry.stamp.is_racy())
        };
        self.linked.iter().filter(changed).copied().collect()
    }

    fn read_file_again(&mut self, scope: &IndexScope<'_>, id: FileId) -> Result<(), NotResident> {
        let Some(folder) = self.table.file(id).map(|file| file.folder) else {
            return Ok(());
        };
        let handle = self.open_folder(folder);
        let presence = match &handle {
            Some(handle) => self.reread_file(scope, id, handle)?,
            None => FilePresence::Gone,
        };
        match presence {
            FilePresence::There => Ok(()),
            FilePresence::Gone => {
                self.relist_folder(scope, folder, &BTreeSet::new(), RelistDepth::Folder)
            }
        }
    }

    /// Applies rules that may have changed to a folder and everything below it.
    fn reapply_rules(&mut self, scope: &IndexScope<'_>, top: FolderId) -> Result<(), NotResident> {
        let below: usize = self
            .table
            .subtree(top)
            .iter()
            .filter_map(|id| self.table.folder(*id))
            .map(|folder| folder.files.len() + 1)
            .sum();
        if below > MAX_REJUDGED_FILES {
            return Err(NotResident::Changing);
        }
        self.relist_folder(scope, top, &BTreeSet::new(), RelistDepth::Tree)
    }

    /// Lists a folder again: adds new entries, removes missing ones.
    fn relist_folder(
        &mut self,
        scope: &IndexScope<'_>,
        top: FolderId,
        suspects: &BTreeSet<OsString>,
        depth: RelistDepth,
    ) -> Result<(), NotResident> {
        let mut waiting = vec![(top, suspects.clone())];
        while let Some((id, suspects)) = waiting.pop() {
            let Some(folder) = self.table.folder(id) else {
                continue;
            };
            let (path, parent) = (folder.path.clone(), folder.parent);
            let Some(handle) = self.open_folder(id) else {
                // Another folder is in its place, or none: this shows when the parent is listed.
                let (Some(parent), Some(name)) = (parent, path.file_name()) else {
                    return Err(NotResident::Changing);
                };
                waiting.push((parent, BTreeSet::from([name.to_owned()])));
                // Removing the folder from the table settles the doubt. A folder that cannot be opened must not be
                // tried again for ever.
                self.remove_folder_tree(id);
                continue;
            };
            let listed = list_folder(&handle);
            let rules = match depth {
                RelistDepth::Folder => None,
                RelistDepth::Tree => {
                    self.rule_files.add_folder(&path, listed.present);
                    Some(
                        self.rules_for_folder(scope, parent, &path)
                            .enter_folder(&path, listed.present),
                    )
                }
            };
            if let (Some(rules), Some(folder)) = (rules, self.table.folder_mut(id)) {
                folder.rules = rules;
            }
            let Some(folder) = self.table.folder_mut(id) else {
                continue;
            };
            let rules = folder.rules.clone();
            let mut judged = apply_rules(scope, &path, self.base, &rules, listed);
            copy_known_entries(&folder.ignored, &mut judged.ignored);
            folder.stamp = handle.stat_folder().map_err(|_| NotResident::Changing)?;
            self.table
                .record_left_out(id, judged.left_out, judged.unlisted, judged.ignored);
            self.remove_missing(id, &judged.accepted);
            for (name, kind) in &judged.accepted {
                if scope.stop.should_stop() {
                    return Err(NotResident::Stopped);
                }
                match kind {
                    EntryKind::File if self.table.file_named(id, name).is_some() => {}
                    EntryKind::File => self.add_file(scope, id, &handle, name)?,
                    _ => {
                        let known = self.table.folder_named(id, name);
                        let same = known.filter(|known| {
                            !suspects.contains(name) || self.is_same_folder(*known, &handle, name)
                        });
                        match (known, same) {
                            (_, Some(same)) => {
                                if depth == RelistDepth::Tree || suspects.contains(name) {
                                    waiting.push((same, BTreeSet::new()));
                                }
                            }
                            (known, None) => {
                                if let Some(known) = known {
                                    self.remove_folder_tree(known);
                                }
                                self.add_subfolder(scope, id, handle.open_subfolder(name), name)?;
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the rules that the folders above give for a folder.
    fn rules_for_folder(
        &self,
        scope: &IndexScope<'_>,
        parent: Option<FolderId>,
        path: &Path,
    ) -> crate::rules::IgnoreRules {
        let above = parent.and_then(|parent| self.table.folder(parent));
        above.map_or_else(
            || crate::rules::IgnoreRules::read_above(path, scope.excludes),
            |above| above.rules.clone(),
        )
    }

    /// Returns whether an inner folder is still the one that is watched.
    fn is_same_folder(&self, known: FolderId, parent: &FolderHandle, name: &OsStr) -> bool {
        self.table.folder(known).is_some_and(|folder| {
            folder.watched.is_some()
                && parent
                    .stat(name)
                    .is_ok_and(|now| now.is_same_file(&folder.stamp))
        })
    }

    /// Removes the files and folders of a folder that are not among the accepted entries.
    fn remove_missing(&mut self, id: FolderId, accepted: &[(OsString, EntryKind)]) {
        let Some(folder) = self.table.folder(id) else {
            return;
        };
        let is_there = |name: &OsStr, kind: EntryKind| {
            let place = accepted.binary_search_by(|(known, _)| known.as_os_str().cmp(name));
            place.is_ok_and(|at| accepted[at].1 == kind)
        };
        let files = folder.files.iter().copied();
        let files: Vec<FileId> = files
            .filter(|file| !is_there(self.table.name(*file), EntryKind::File))
            .collect();
        let folders = folder.folders.iter().copied();
        let folders: Vec<FolderId> = folders
            .filter(|inner| {
                let name = self
                    .table
                    .folder(*inner)
                    .and_then(|inner| inner.path.file_name());
                !name.is_some_and(|name| is_there(name, EntryKind::Folder))
            })
            .collect();
        for file in files {
            self.remove_file(file);
        }
        for inner in folders {
            self.remove_folder_tree(inner);
        }
    }

    fn remove_file(&mut self, id: FileId) {
        self.forget_text(id);
        self.table.remove_file(id);
    }

    fn remove_folder_tree(&mut self, top: FolderId) {
        for id in self.table.subtree(top).into_iter().rev() {
            let files = self
                .table
                .folder(id)
                .map_or(Vec::new(), |folder| folder.files.clone());
            for file in files {
                self.remove_file(file);
            }
            let removed = self.table.remove_folder(id);
            let watched = removed.and_then(|folder| folder.watched);
            // A folder that was moved may be in the table again under its new path, and then has the same watch.
            if let Some(watched) = watched.filter(|watched| self.watched.get(watched) == Some(&id))
            {
                self.watched.remove(&watched);
                self.watch.remove(watched);
            }
        }
    }
}

/// The depth to which a folder is listed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RelistDepth {
    /// Only the folder itself.
    Folder,
    /// Everything below it, because the rules have changed.
    Tree,
}
