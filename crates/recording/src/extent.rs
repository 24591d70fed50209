//! The names that a look compares: all below the root, or only those that a watching process reported as changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use lancet_history::{
    CheckpointEntry, CheckpointEntryKind, HistoryError, OperationStore, WorkspaceRef,
};

use crate::reported::ReportedChanges;
use crate::scan::ScannedEntry;
use crate::seen_stat::from_record;

/// The names that a look compares.
#[derive(Clone)]
pub(crate) enum Extent {
    /// All names below the root.
    Everything,
    /// These. No other name has changed since the newest checkpoint.
    Names(BTreeSet<Vec<u8>>),
}

/// What a look found on the disk.
#[derive(Clone)]
pub(crate) struct FoundEntries {
    /// The entries of the extent, sorted by name.
    pub(crate) entries: Vec<ScannedEntry>,
    pub(crate) extent: Extent,
    /// The number of all entries below the root.
    pub(crate) files: u64,
}

impl FoundEntries {
    /// Returns what a scan of the whole root found.
    pub(crate) fn from_scan(entries: Vec<ScannedEntry>) -> Self {
        FoundEntries {
            files: entries.len() as u64,
            entries,
            extent: Extent::Everything,
        }
    }

    /// Returns what a watching process reported; none if the root has to be listed.
    pub(crate) fn from_report(reported: ReportedChanges) -> Option<Self> {
        let files = reported.files;
        let reported = reported.changes?;
        let names = reported.iter().map(|entry| entry.name.clone()).collect();
        let mut entries: Vec<ScannedEntry> =
            reported.into_iter().filter_map(|entry| entry.now).collect();
        entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Some(FoundEntries {
            entries,
            extent: Extent::Names(names),
            files,
        })
    }

    /// Returns whether nothing is to be compared.
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(&self.extent, Extent::Names(names) if names.is_empty())
    }
}

/// Reads the checkpoints of one root, as far as an extent needs them.
pub(crate) struct CheckpointReader<'r> {
    pub(crate) workspace: WorkspaceRef<'r>,
    pub(crate) store: &'r dyn OperationStore,
    /// The newest checkpoint.
    pub(crate) newest: Option<i64>,
}

impl CheckpointReader<'_> {
    /// Returns the entries of an extent at a checkpoint.
    pub(crate) fn entries(
        &self,
        number: Option<i64>,
        extent: &Extent,
    ) -> Result<Vec<CheckpointEntry>, HistoryError> {
        let workspace = &self.workspace.id;
        match (number, extent) {
            (None, _) => Ok(Vec::new()),
            (Some(number), Extent::Everything) => self.store.checkpoint_entries(workspace, number),
            (Some(number), Extent::Names(names)) => {
                let store = self.store;
                store.checkpoint_entries_named(workspace, number, names)
            }
        }
    }

    /// Extends what was found by the names that changed between an earlier checkpoint and the newest one, so that it can
    /// be compared with the earlier one.
    pub(crate) fn extend_back_to(
        &self,
        since: i64,
        found: FoundEntries,
    ) -> Result<FoundEntries, HistoryError> {
        let (Extent::Names(names), Some(newest)) = (&found.extent, self.newest) else {
            return Ok(found);
        };
        let workspace = &self.workspace.id;
        let earlier = self.store.changed_names(workspace, since, newest)?;
        let more: BTreeSet<Vec<u8>> = earlier
            .into_iter()
            .filter(|name| !names.contains(name))
            .collect();
        // Names that were not reported are still as the newest checkpoint has them.
        let unchanged = self
            .store
            .checkpoint_entries_named(workspace, newest, &more)?;
        let mut entries = found.entries;
        entries.extend(unchanged.into_iter().map(|entry| ScannedEntry {
            name: entry.name,
            kind: entry.kind,
            stamp: from_record(&entry.stamp),
            link: entry.link,
        }));
        entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(FoundEntries {
            entries,
            extent: Extent::Names(names.iter().cloned().chain(more).collect()),
            files: found.files,
        })
    }

    /// Returns the folders that contained entries at a checkpoint, and the empty ones: all of them, or those that
    /// contain names of the extent.
    pub(crate) fn folders_at(
        &self,
        number: Option<i64>,
        entries: &[CheckpointEntry],
        extent: &Extent,
    ) -> Result<BTreeSet<PathBuf>, HistoryError> {
        let described = entries.iter().map(|entry| (&entry.name, entry.kind));
        let mut folders = containing_folders(self.workspace.root, described);
        if let (Extent::Names(names), Some(number)) = (extent, number) {
            self.add_folders(number, names, &BTreeMap::new(), &mut folders)?;
        }
        Ok(folders)
    }

    /// Returns the same folders as they are now.
    pub(crate) fn folders_now(
        &self,
        found: &FoundEntries,
    ) -> Result<BTreeSet<PathBuf>, HistoryError> {
        let described = found.entries.iter().map(|entry| (&entry.name, entry.kind));
        let mut folders = containing_folders(self.workspace.root, described);
        if let (Extent::Names(names), Some(newest)) = (&found.extent, self.newest) {
            // Names of the extent that the newest checkpoint has say nothing about the present.
            let mut numbers: BTreeMap<&[u8], usize> = BTreeMap::new();
            for name in names {
                for folder in folders_above(name) {
                    *numbers.entry(folder).or_default() += 1;
                }
            }
            self.add_folders(newest, names, &numbers, &mut folders)?;
        }
        Ok(folders)
    }

    /// Adds the folders above some names that have entries at a checkpoint. `without` is how many of the names are below
    /// a folder where these do not count.
    fn add_folders(
        &self,
        number: i64,
        names: &BTreeSet<Vec<u8>>,
        without: &BTreeMap<&[u8], usize>,
        folders: &mut BTreeSet<PathBuf>,
    ) -> Result<(), HistoryError> {
        let above: BTreeSet<&[u8]> = names.iter().flat_map(|name| folders_above(name)).collect();
        for folder in above {
            let path = self.workspace.root.join(OsStr::from_bytes(folder));
            if folders.contains(&path) {
                continue;
            }
            let limit = without.get(folder).copied().unwrap_or(0) + 1;
            let below =
                self.store
                    .checkpoint_names_below(&self.workspace.id, number, folder, limit)?;
            let counts = |name: &Vec<u8>| without.is_empty() || !names.contains(name);
            if below.iter().any(counts) {
                folders.insert(path);
            }
        }
        Ok(())
    }
}

/// Returns the folders above a name, without the root.
fn folders_above(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = name.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.map(|(at, _)| &name[..at])
}

/// Returns the folders that contain entries, and empty folders. The entries are sorted by name.
fn containing_folders<'e>(
    root: &Path,
    entries: impl Iterator<Item = (&'e Vec<u8>, CheckpointEntryKind)>,
) -> BTreeSet<PathBuf> {
    let mut names: BTreeSet<&[u8]> = BTreeSet::new();
    let mut last: &[u8] = &[];
    for (name, kind) in entries {
        if kind == CheckpointEntryKind::EmptyFolder {
            names.insert(name);
        }
        let end = name.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        // Most entries are in the folder of the one before.
        if last != &name[..end] {
            last = &name[..end];
            names.extend(folders_above(name));
        }
    }
    let path = |name: &[u8]| root.join(OsStr::from_bytes(name));
    names.into_iter().map(path).collect()
}
