//! A root whose entries are known: read once, and kept current by what the kernel reports. It returns what changed since
//! a checkpoint, so that a look need not list the whole root.
//!
//! A folder is watched before it is listed, so no change is missed in between. Writes through mappings, and through
//! other names of a file outside the root, are not reported; a look by stat finds them.

mod error;
mod folders;
mod journal;
mod pending;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use lancet_git::GitIndex;
use lancet_history::{CheckpointEntry, CheckpointEntryKind, ContentIdentity};
use lancet_search::{FolderRules, OutsideRuleFiles, WatchAllowance};
use lancet_workspace::{FolderChange, FolderHandle, FolderWatch, MountWatch, Stamp};

use self::error::MAX_ENTRIES;
use self::folders::{WatchTarget, WatchedFolders, join_name, names_below, split_name};
use self::journal::ChangeJournal;
use self::pending::{PendingChecks, outermost};
use crate::reported::{ReportedChanges, ReportedEntry};
use crate::scan::{EnteredFolder, ScanScope, ScannedEntry};
use crate::seen_stat::proves_unchanged;

pub use self::error::TreeError;

/// With more changed names a look lists the tree itself.
const MAX_REPORTED: usize = 10_000;

/// A root whose entries are known.
pub struct WatchedTree {
    /// The stat of the root.
    root: Stamp,
    folders: WatchedFolders,
    mounts: MountWatch,
    entries: BTreeMap<Vec<u8>, ScannedEntry>,
    index: Option<Arc<GitIndex>>,
    pending: PendingChecks,
    journal: ChangeJournal,
}

impl AsFd for WatchedTree {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folders.watch.as_fd()
    }
}

impl WatchedTree {
    /// Watches and reads a root.
    pub(crate) fn read(
        scope: &ScanScope<'_>,
        index: Option<Arc<GitIndex>>,
        allowance: &WatchAllowance,
    ) -> Result<Self, TreeError> {
        let watch = FolderWatch::new().map_err(|_| TreeError::NoWatches)?;
        let watches = allowance.reserve(0).map_err(|_| TreeError::NoWatches)?;
        let outside = OutsideRuleFiles::load_above(scope.path, scope.coverage.excludes);
        let mounts = MountWatch::new(scope.path);
        let mut folders = WatchedFolders::new(scope.path, watch, watches, outside);
        let root = scope.root.stat_folder().map_err(TreeError::Unreadable)?;
        let found = scope.scan_all(&mut folders);
        folders.take_failure()?;
        let found = found.map_err(TreeError::Unreadable)?;
        if found.len() > MAX_ENTRIES {
            return Err(TreeError::TooLarge);
        }
        let entries = found.into_iter().map(|entry| (entry.name.clone(), entry));
        Ok(WatchedTree {
            root,
            folders,
            mounts,
            entries: entries.collect(),
            index,
            pending: PendingChecks::default(),
            journal: ChangeJournal::default(),
        })
    }

    /// Returns whether a folder is the root still. The kernel does not report that a folder is gone while some process has
    /// it open.
    pub(crate) fn is_root(&self, folder: &FolderHandle) -> bool {
        folder
            .stat_folder()
            .is_ok_and(|now| now.is_same_file(&self.root))
    }

    /// Returns git's index as it was read last, if its file has this stamp still.
    pub(crate) fn current_index(&self, now: Option<&Stamp>) -> Option<Option<Arc<GitIndex>>> {
        match (&self.index, now) {
            (None, None) => Some(None),
            (Some(index), Some(now)) => {
                let known = index.stamp();
                let is_same = known.has_same_state(now) && !known.is_racy();
                is_same.then(|| Some(Arc::clone(index)))
            }
            _ => None,
        }
    }

    /// Takes what the kernel has reported. Nothing is compared with the disk yet.
    ///
    /// # Errors
    /// The root is gone.
    pub fn take_reports(&mut self) -> Result<(), TreeError> {
        let changes = self.folders.watch.changes();
        for change in changes.map_err(TreeError::Unreadable)? {
            match change {
                FolderChange::Overflow => self.pending.everything = true,
                FolderChange::File(watched, name) => match self.folders.target(watched) {
                    Some(WatchTarget::Folder(folder)) => {
                        let folder = folder.clone();
                        if FolderRules::is_rule_file(&name) {
                            self.pending.trees.insert(folder.clone());
                        }
                        self.pending.add(&folder, &name);
                    }
                    Some(WatchTarget::Ignored(ignored)) => {
                        let (folder, name) = split_name(ignored);
                        self.pending.add(folder, name);
                    }
                    None => {}
                },
                FolderChange::Gone(watched) => match self.folders.remove_target(watched) {
                    Some(WatchTarget::Folder(folder)) if folder.is_empty() => {
                        return Err(TreeError::Unreadable(std::io::ErrorKind::NotFound.into()));
                    }
                    Some(WatchTarget::Folder(name) | WatchTarget::Ignored(name)) => {
                        let (folder, name) = split_name(&name);
                        self.pending.add(folder, name);
                    }
                    None => {}
                },
            }
        }
        Ok(())
    }

    /// Compares with the disk what was reported up to now. `index` is git's index as it is now.
    pub(crate) fn refresh(
        &mut self,
        scope: &ScanScope<'_>,
        index: Option<Arc<GitIndex>>,
    ) -> Result<(), TreeError> {
        self.take_reports()?;
        let has_same_names = has_same_names(self.index.as_deref(), index.as_deref());
        self.index = index;
        let is_same_scope =
            has_same_names && !self.mounts.has_changed() && self.folders.outside.are_unchanged();
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() && is_same_scope {
            return Ok(());
        }
        let mut changed = BTreeSet::new();
        if pending.everything || !is_same_scope {
            self.folders.outside =
                OutsideRuleFiles::load_above(scope.path, scope.coverage.excludes);
            self.read_tree_again(scope, &[], &mut changed)?;
        } else {
            for folder in outermost(&pending.trees) {
                self.read_tree_again(scope, folder, &mut changed)?;
            }
            self.read_names_again(scope, pending.names, &mut changed)?;
        }
        self.folders.take_failure()?;
        if self.entries.len() > MAX_ENTRIES {
            return Err(TreeError::TooLarge);
        }
        self.journal.add_changes(changed);
        Ok(())
    }

    /// Reads a folder again with everything below it.
    fn read_tree_again(
        &mut self,
        scope: &ScanScope<'_>,
        folder: &[u8],
        changed: &mut BTreeSet<Vec<u8>>,
    ) -> Result<(), TreeError> {
        let Some(known) = self.folders.find(folder) else {
            return Ok(());
        };
        let above = match folder.is_empty() {
            true => FolderRules::read_above(scope.path, scope.coverage.excludes),
            false => known.above.clone(),
        };
        let state = known.state;
        let watches = self.folders.forget_tree(folder);
        let relative = Path::new(OsStr::from_bytes(folder));
        let entered = EnteredFolder {
            relative,
            above: &above,
            state,
        };
        let found = match open_below(scope.root, folder) {
            Ok(handle) => scope.scan_tree(&handle, &entered, &mut self.folders),
            Err(error) => Err(error),
        };
        let found = match found {
            Ok(found) => found,
            Err(error) if folder.is_empty() => return Err(TreeError::Unreadable(error)),
            Err(_) => Vec::new(),
        };
        self.folders.end_unused(watches);
        let mut old = names_below(&self.entries, folder);
        old.push(folder.to_vec());
        self.replace(old, found, changed);
        Ok(())
    }

    /// Reads names of folders again. A folder that is gone is read again with the one above it.
    fn read_names_again(
        &mut self,
        scope: &ScanScope<'_>,
        mut names: BTreeMap<Vec<u8>, BTreeSet<OsString>>,
        changed: &mut BTreeSet<Vec<u8>>,
    ) -> Result<(), TreeError> {
        // The last folder first, so that a folder above comes after the ones that are gone below it.
        while let Some((folder, wanted)) = names.pop_last() {
            let Some(known) = self.folders.find(&folder) else {
                continue;
            };
            let (above, state) = (known.above.clone(), known.state);
            let relative = Path::new(OsStr::from_bytes(&folder));
            let handle = match open_below(scope.root, &folder) {
                Ok(handle) => handle,
                Err(error) if folder.is_empty() => return Err(TreeError::Unreadable(error)),
                Err(_) => {
                    let (above, name) = split_name(&folder);
                    let names = names.entry(above.to_vec()).or_default();
                    names.insert(name.to_owned());
                    continue;
                }
            };
            let mut old = vec![folder.clone()];
            let mut watches = Vec::new();
            for name in &wanted {
                let name = join_name(&folder, name);
                watches.extend(self.folders.forget_tree(&name));
                old.extend(names_below(&self.entries, &name));
                old.push(name);
            }
            let entered = EnteredFolder {
                relative,
                above: &above,
                state,
            };
            let is_wanted = |name: &OsStr| wanted.contains(name);
            let found = scope.scan_some(&handle, &entered, &is_wanted, &mut self.folders);
            self.folders.end_unused(watches);
            self.replace(old, found.unwrap_or_default(), changed);
        }
        Ok(())
    }

    /// Replaces the entries of some names by those that were found, and adds the names whose entries differ.
    fn replace(
        &mut self,
        old: Vec<Vec<u8>>,
        found: Vec<ScannedEntry>,
        changed: &mut BTreeSet<Vec<u8>>,
    ) {
        let is_found = |name: &[u8]| {
            let place = found.binary_search_by(|entry| entry.name.as_slice().cmp(name));
            place.is_ok()
        };
        for name in old {
            if !is_found(&name) && self.entries.remove(&name).is_some() {
                changed.insert(name);
            }
        }
        for entry in found {
            let known = self.entries.get(&entry.name);
            if !known.is_some_and(|known| is_unchanged(known, &entry)) {
                changed.insert(entry.name.clone());
            }
            self.entries.insert(entry.name.clone(), entry);
        }
    }

    /// Notes the entries of a checkpoint, the newest of the root: what differs from them changed after it.
    pub(crate) fn compare_with_checkpoint(&mut self, number: i64, entries: &[CheckpointEntry]) {
        let mut changed: BTreeSet<Vec<u8>> = BTreeSet::new();
        for entry in entries {
            let is_same = self.entries.get(&entry.name).is_some_and(|now| {
                let is_folder = entry.kind == CheckpointEntryKind::EmptyFolder;
                let is_same_folder = is_folder && entry.mode == now.stamp.mode;
                let is_unread = entry.kind == CheckpointEntryKind::File
                    && entry.identity == ContentIdentity::Unknown;
                entry.kind == now.kind
                    && !is_unread
                    && (is_same_folder || proves_unchanged(&entry.stamp, &now.stamp))
            });
            if !is_same {
                changed.insert(entry.name.clone());
            }
        }
        let known: BTreeSet<&Vec<u8>> = entries.iter().map(|entry| &entry.name).collect();
        let new = self.entries.keys().filter(|name| !known.contains(name));
        changed.extend(new.cloned());
        let before = self.journal.position();
        self.journal.add_changes(changed);
        self.journal.note_checkpoint(number, before);
    }

    /// Returns what changed since a checkpoint, as of the last refresh.
    pub fn report_changes(&self, since: Option<i64>) -> ReportedChanges {
        let changed = since.and_then(|number| self.journal.changed_since(number));
        let changed = changed.filter(|names| names.len() <= MAX_REPORTED);
        let entry = |name: &Vec<u8>| ReportedEntry {
            name: name.clone(),
            now: self.entries.get(name).cloned(),
        };
        ReportedChanges {
            position: self.journal.position(),
            files: self.entries.len() as u64,
            changes: changed.map(|names| names.into_iter().map(entry).collect()),
        }
    }

    /// Returns the number of refreshes that found a change.
    pub fn position(&self) -> u64 {
        self.journal.position()
    }

    /// Notes that a checkpoint has the state of a position.
    pub fn note_checkpoint(&mut self, number: i64, position: u64) {
        self.journal.note_checkpoint(number, position);
    }
}

/// Returns whether two entries of a name are certainly of the same state.
fn is_unchanged(known: &ScannedEntry, now: &ScannedEntry) -> bool {
    known.kind == now.kind
        && known.link == now.link
        && known.stamp.mode == now.stamp.mode
        && match now.kind {
            CheckpointEntryKind::EmptyFolder => true,
            CheckpointEntryKind::File | CheckpointEntryKind::Link => {
                known.stamp.has_same_state(&now.stamp) && !known.stamp.is_racy()
            }
        }
}

/// Returns whether git tracks the same names in both.
fn has_same_names(one: Option<&GitIndex>, other: Option<&GitIndex>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) if std::ptr::eq(one, other) => true,
        (Some(one), Some(other)) => {
            let names = |index: &GitIndex| index.len();
            names(one) == names(other)
                && one
                    .entries()
                    .zip(other.entries())
                    .all(|(one, other)| one.name == other.name)
        }
        (None, None) => true,
        _ => false,
    }
}

/// Opens a folder below the root, or the root again: a handle can be listed only once.
fn open_below(root: &FolderHandle, folder: &[u8]) -> std::io::Result<FolderHandle> {
    match folder.is_empty() {
        true => root.open_folder_below(Path::new(".")),
        false => root.open_folder_below(Path::new(OsStr::from_bytes(folder))),
    }
}

#[cfg(test)]
mod tests;
