//! Builds a listing from what a full scan finds.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_git::GitIndex;
use lancet_search::{Excludes, RuleRecord};
use lancet_workspace::{EntryKind, FolderHandle, Stamp, is_told_of};

use super::format::{
    COVERED, EMPTY, IGNORED, ONLY_TRACKED, PROVES, SMALL_OR_TRACKED, StatBytes, TRACKED,
    push_count, push_name, stat_bytes, with_head,
};
use super::stored::{ListedIndex, MAX_LISTING_BYTES};
use crate::scan::{EnteredFolder, FileRule, FolderState, FolderVisitor, SeenFile};

/// A listing that is being built.
pub(crate) struct ListingBuilder<'b> {
    /// The path of the root.
    root: &'b Path,
    tracked: Option<Arc<GitIndex>>,
    rules: RuleRecord,
    folders: Vec<BuiltFolder>,
    /// The folders that are being scanned: the root, and so on.
    open: Vec<usize>,
    ignored: Vec<Vec<u8>>,
    conditional: Vec<(Vec<u8>, bool)>,
    /// The names that git tracks in ignored folders.
    tracked_names: Vec<Vec<u8>>,
    /// The stat of those of them that exist; none where it proves nothing.
    tracked_stats: HashMap<Vec<u8>, Option<StatBytes>>,
    /// Whether everything can be stored.
    is_storable: bool,
    bytes: usize,
}

/// The record of a folder.
struct BuiltFolder {
    name: Vec<u8>,
    state: FolderState,
    stamp: Option<Stamp>,
    /// Whether its names are known. Those of a folder that could not be listed are not.
    is_listed: bool,
    is_empty: bool,
    /// The records of its files.
    files: Vec<u8>,
    file_count: usize,
}

impl<'b> ListingBuilder<'b> {
    /// Begins a listing. `tracked` is git's index if the root is the folder of a work tree.
    pub(crate) fn new(
        root: &'b Path,
        excludes: Option<&Excludes>,
        tracked: Option<Arc<GitIndex>>,
    ) -> Self {
        ListingBuilder {
            root,
            tracked,
            rules: RuleRecord::load_above(root, excludes),
            folders: Vec::new(),
            open: Vec::new(),
            ignored: Vec::new(),
            conditional: Vec::new(),
            tracked_names: Vec::new(),
            tracked_stats: HashMap::new(),
            // Elsewhere the times of a folder may not show that it changed.
            is_storable: is_told_of(root),
            bytes: 0,
        }
    }

    /// Returns the content of the file; none if it would prove nothing. `unread` are files that the next look has to read
    /// although their stat is unchanged.
    pub(crate) fn finish(
        self,
        fingerprint: &[u8; 32],
        checkpoint: &str,
        unread: &[Vec<u8>],
    ) -> Option<Vec<u8>> {
        let rules = self.rules.files()?;
        let is_too_large = self.bytes > MAX_LISTING_BYTES;
        let device = self.folders.first()?.stamp?.device;
        if !self.is_storable || is_too_large {
            return None;
        }
        let mut body = Vec::with_capacity(self.bytes);
        body.extend_from_slice(fingerprint);
        let mut are_short = push_name(&mut body, checkpoint.as_bytes());
        let index = self.tracked.as_deref().map(GitIndex::stamp);
        match index {
            Some(stamp) if stamp.is_racy() => ListedIndex::Unproven,
            stamp => ListedIndex::from_stamp(stamp),
        }
        .write(&mut body);
        push_count(&mut body, rules.len());
        for (file, state) in rules {
            are_short &= push_name(&mut body, file.as_os_str().as_bytes());
            body.push(u8::from(state.is_some()));
            let numbers = state.iter().flatten();
            body.extend(numbers.flat_map(|number| number.to_le_bytes()));
        }
        for names in [unread, self.ignored.as_slice()] {
            push_count(&mut body, names.len());
            for name in names {
                are_short &= push_name(&mut body, name);
            }
        }
        push_count(&mut body, self.conditional.len());
        for (name, is_tracked) in &self.conditional {
            are_short &= push_name(&mut body, name);
            body.push(u8::from(*is_tracked));
        }
        push_count(&mut body, self.tracked_names.len());
        for name in &self.tracked_names {
            are_short &= push_name(&mut body, name);
            let found = self.tracked_stats.get(name);
            let stat = found.copied().flatten();
            body.push(u8::from(found.is_some()));
            body.push(u8::from(stat.is_some()));
            body.extend(stat.iter().flatten());
        }
        for folder in &self.folders {
            are_short &= folder.write(&mut body, device);
        }
        are_short.then(|| with_head(&body))
    }

    /// Adds a file that is not in an ignored folder which was left out.
    fn add_file(&mut self, file: &SeenFile<'_>, rule: u8) {
        let open = self.open.last().and_then(|at| self.folders.get_mut(*at));
        let Some(folder) = open else {
            self.is_storable = false;
            return;
        };
        let Some(stamp) = file.stamp else {
            // What cannot be looked at has no record, so its folder is listed again.
            folder.is_listed = false;
            return;
        };
        let mut flags = rule;
        if rule != 0 {
            let name = file.relative.as_os_str().as_bytes();
            let is_tracked = self
                .tracked
                .as_ref()
                .is_some_and(|index| index.is_tracked(name));
            flags |= if is_tracked { TRACKED } else { 0 };
            self.conditional.push((name.to_vec(), is_tracked));
        }
        flags |= if file.is_covered { COVERED } else { 0 };
        flags |= if stamp.is_racy() { 0 } else { PROVES };
        let before = folder.files.len();
        folder.files.push(flags);
        self.is_storable &= push_name(&mut folder.files, file.name.as_bytes());
        folder.files.extend_from_slice(&stat_bytes(stamp));
        folder.file_count += 1;
        self.bytes += folder.files.len() - before;
    }
}

impl BuiltFolder {
    /// Adds the record of the folder and those of its files; returns whether its name is short enough.
    fn write(&self, body: &mut Vec<u8>, device: u64) -> bool {
        let Ok(depth) = u16::try_from(self.state.depth) else {
            return false;
        };
        // Another file system may record no change of a folder.
        let proves = self
            .stamp
            .filter(|stamp| self.is_listed && !stamp.is_racy() && stamp.device == device);
        let mut flags = if proves.is_some() { PROVES } else { 0 };
        flags |= if self.state.is_ignored { IGNORED } else { 0 };
        flags |= if self.is_empty { EMPTY } else { 0 };
        body.extend_from_slice(&depth.to_le_bytes());
        body.push(flags);
        let is_short = push_name(body, &self.name);
        let empty = [0; size_of::<StatBytes>()];
        body.extend_from_slice(&self.stamp.as_ref().map_or(empty, stat_bytes));
        push_count(body, self.file_count);
        body.extend_from_slice(&self.files);
        is_short
    }
}

impl FolderVisitor for ListingBuilder<'_> {
    fn enter(&mut self, handle: &FolderHandle, folder: &EnteredFolder<'_>) {
        let name = folder.relative.as_os_str().as_bytes().to_vec();
        self.bytes += name.len() + size_of::<StatBytes>() + 16;
        self.open.push(self.folders.len());
        self.folders.push(BuiltFolder {
            name,
            state: folder.state,
            // The stat is older than the list of names, so a change in between shows.
            stamp: handle.stat_folder().ok(),
            is_listed: false,
            is_empty: false,
            files: Vec::new(),
            file_count: 0,
        });
    }

    fn list(&mut self, folder: &Path, entries: &[(OsString, EntryKind)]) {
        let names = entries.iter().map(|(name, _)| name.as_os_str());
        let path: PathBuf = self.root.join(folder);
        self.rules.add_listed(&path, names);
        let open = self.open.last().and_then(|at| self.folders.get_mut(*at));
        if let Some(open) = open {
            open.is_listed = true;
            open.is_empty = entries.is_empty();
        }
    }

    fn leave(&mut self) {
        self.open.pop();
    }

    fn find_closed(&mut self, folder: &Path, state: FolderState) {
        // Its record proves nothing, so every look tries to enter it.
        self.folders.push(BuiltFolder {
            name: folder.as_os_str().as_bytes().to_vec(),
            state,
            stamp: None,
            is_listed: false,
            is_empty: false,
            files: Vec::new(),
            file_count: 0,
        });
    }

    fn see_file(&mut self, file: &SeenFile<'_>) {
        match file.rule {
            FileRule::Any => self.add_file(file, 0),
            FileRule::SmallOrTracked => self.add_file(file, SMALL_OR_TRACKED),
            FileRule::Tracked => self.add_file(file, ONLY_TRACKED),
            FileRule::InIgnoredFolder => {
                if let Some(stamp) = file.stamp.filter(|_| file.is_covered) {
                    let stat = (!stamp.is_racy()).then(|| stat_bytes(stamp));
                    let name = file.relative.as_os_str().as_bytes();
                    self.tracked_stats.insert(name.to_vec(), stat);
                }
            }
        }
    }

    fn enter_tracked(&mut self, _: &FolderHandle, _: &Path) {}

    fn leave_out(&mut self, folder: &Path) {
        self.ignored.push(folder.as_os_str().as_bytes().to_vec());
    }

    fn see_tracked(&mut self, name: &Path) {
        self.tracked_names
            .push(name.as_os_str().as_bytes().to_vec());
    }
}
