//! The folders of a watched tree: the rules and the watch of each.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::ops::Bound;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use lancet_search::{FolderRules, OutsideRuleFiles, Reservation, WATCHES_PER_PORTION};
use lancet_workspace::{EntryKind, FolderHandle, FolderWatch, WatchedFolder, is_told_of};

use super::error::TreeError;
use crate::scan::{EnteredFolder, FolderState, FolderVisitor};

/// A folder that is watched.
pub(super) struct KnownFolder {
    /// The rules of the folders above it.
    pub(super) above: FolderRules,
    pub(super) state: FolderState,
    watched: WatchedFolder,
}

/// What a report about a folder concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WatchTarget {
    /// The folder itself, relative to the root.
    Folder(Vec<u8>),
    /// An ignored folder in which git tracks files.
    Ignored(Vec<u8>),
}

/// The watched folders.
pub(super) struct WatchedFolders {
    root: PathBuf,
    pub(super) watch: FolderWatch,
    watches: Reservation,
    folders: BTreeMap<Vec<u8>, KnownFolder>,
    targets: HashMap<WatchedFolder, WatchTarget>,
    /// The devices whose changes the kernel reports.
    devices: BTreeSet<u64>,
    pub(super) outside: OutsideRuleFiles,
    failure: Option<TreeError>,
}

impl WatchedFolders {
    pub(super) fn new(
        root: &Path,
        watch: FolderWatch,
        watches: Reservation,
        outside: OutsideRuleFiles,
    ) -> Self {
        WatchedFolders {
            root: root.to_path_buf(),
            watch,
            watches,
            folders: BTreeMap::new(),
            targets: HashMap::new(),
            devices: BTreeSet::new(),
            outside,
            failure: None,
        }
    }

    pub(super) fn find(&self, folder: &[u8]) -> Option<&KnownFolder> {
        self.folders.get(folder)
    }

    pub(super) fn target(&self, watched: WatchedFolder) -> Option<&WatchTarget> {
        self.targets.get(&watched)
    }

    /// Removes the target of a folder that is no longer watched, and returns it. The kernel goes on watching a folder
    /// that was moved.
    pub(super) fn remove_target(&mut self, watched: WatchedFolder) -> Option<WatchTarget> {
        let target = self.targets.remove(&watched)?;
        self.watch.remove(watched);
        Some(target)
    }

    /// Forgets a folder and those below it. Returns their watches, which the next scan may use again.
    pub(super) fn forget_tree(&mut self, folder: &[u8]) -> Vec<WatchedFolder> {
        let mut names: Vec<Vec<u8>> = names_below(&self.folders, folder);
        names.push(folder.to_vec());
        let mut watches = Vec::new();
        for name in names {
            let Some(known) = self.folders.remove(&name) else {
                continue;
            };
            // A folder that was moved may be known under its new name already.
            if self.targets.get(&known.watched) == Some(&WatchTarget::Folder(name)) {
                self.targets.remove(&known.watched);
                watches.push(known.watched);
            }
        }
        watches
    }

    /// Ends the watches that no folder uses.
    pub(super) fn end_unused(&self, watches: Vec<WatchedFolder>) {
        for watched in watches {
            if !self.targets.contains_key(&watched) {
                self.watch.remove(watched);
            }
        }
    }

    /// Returns the reason why a folder could not be watched, if there was one since the last call.
    pub(super) fn take_failure(&mut self) -> Result<(), TreeError> {
        self.failure.take().map_or(Ok(()), Err)
    }

    fn add_watch(&mut self, handle: &FolderHandle) -> Result<WatchedFolder, TreeError> {
        let device = handle.stat_folder().map_err(TreeError::Unreadable)?.device;
        if !self.devices.contains(&device) {
            if !is_told_of(&self.root) {
                return Err(TreeError::NotReported);
            }
            self.devices.insert(device);
        }
        if self.targets.len() as u64 >= self.watches.amount() {
            let more = self.watches.grow(WATCHES_PER_PORTION);
            more.map_err(|_| TreeError::NoWatches)?;
        }
        handle.watch(&self.watch).map_err(|_| TreeError::NoWatches)
    }
}

impl FolderVisitor for WatchedFolders {
    fn enter(&mut self, handle: &FolderHandle, folder: &EnteredFolder<'_>) {
        match self.add_watch(handle) {
            Ok(watched) => {
                let name = folder.relative.as_os_str().as_bytes().to_vec();
                self.targets
                    .insert(watched, WatchTarget::Folder(name.clone()));
                let known = KnownFolder {
                    above: folder.above.clone(),
                    state: folder.state,
                    watched,
                };
                self.folders.insert(name, known);
            }
            Err(failure) => self.failure = Some(failure),
        }
    }

    fn list(&mut self, folder: &Path, entries: &[(OsString, EntryKind)]) {
        let names = entries.iter().map(|(name, _)| name.as_os_str());
        self.outside.add_listed(&self.root.join(folder), names);
    }

    fn enter_tracked(&mut self, handle: &FolderHandle, ignored: &Path) {
        match self.add_watch(handle) {
            Ok(watched) => {
                let name = ignored.as_os_str().as_bytes().to_vec();
                let target = self.targets.entry(watched);
                target.or_insert(WatchTarget::Ignored(name));
            }
            Err(failure) => self.failure = Some(failure),
        }
    }
}

/// Returns the names below a folder, in their order. The root has the empty name.
pub(super) fn names_below<T>(entries: &BTreeMap<Vec<u8>, T>, folder: &[u8]) -> Vec<Vec<u8>> {
    let start = match folder.is_empty() {
        true => Vec::new(),
        false => [folder, b"/"].concat(),
    };
    let from: (Bound<&[u8]>, Bound<&[u8]>) = (Bound::Excluded(&start), Bound::Unbounded);
    entries
        .range::<[u8], _>(from)
        .map(|(name, _)| name)
        .take_while(|name| name.starts_with(&start))
        .cloned()
        .collect()
}

/// Returns the name of an entry of a folder, relative to the root.
pub(super) fn join_name(folder: &[u8], name: &OsStr) -> Vec<u8> {
    match folder.is_empty() {
        true => name.as_bytes().to_vec(),
        false => [folder, b"/", name.as_bytes()].concat(),
    }
}

/// Splits a name relative to the root into its folder and its last part.
pub(super) fn split_name(name: &[u8]) -> (&[u8], &OsStr) {
    let at = name.iter().rposition(|byte| *byte == b'/');
    match at {
        Some(at) => (&name[..at], OsStr::from_bytes(&name[at + 1..])),
        None => (&[], OsStr::from_bytes(name)),
    }
}
