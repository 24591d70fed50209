//! Compares a root with its listing, folder by folder.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use lancet_git::GitIndex;
use lancet_search::FolderRules;
use lancet_workspace::{EntryKind, FolderHandle, Stamp};

use super::format::{
    COVERED, EMPTY, FileRecord, FolderRecord, IGNORED, ListingReader, ONLY_TRACKED, PROVES,
    SMALL_OR_TRACKED, TRACKED, stat_bytes,
};
use super::stored::TreeListing;
use crate::extent::{Extent, FoundEntries};
use crate::scan::{EnteredFolder, FileRule, FolderState, ScanScope, ScannedEntry};

/// With more names that differ, or more folders to list, a full scan writes a new listing.
const MAX_NAMES: usize = 1_000;
const MAX_LISTED_FOLDERS: usize = 200;

/// Looks at a root by means of its listing. Returns the names that may differ from the newest checkpoint, with their
/// entries; none if the root has to be scanned. `index` reads git's index, which is needed only for new names.
pub(crate) fn look_by_listing<'w>(
    listing: &'w TreeListing,
    scope: &'w ScanScope<'w>,
    index: &'w dyn Fn() -> Option<&'w GitIndex>,
) -> Option<FoundEntries> {
    let folders_with_changes = listing.changed.iter().map(|name| split(name).0).collect();
    let mut walk = ListingWalk {
        listing,
        scope,
        index,
        folders_with_changes,
        path: Vec::new(),
        names: listing.changed.clone(),
        entries: Vec::new(),
        unchanged: 0,
        listed_folders: 0,
    };
    let mut reader = listing.folders();
    let top = FolderRecord::read(&mut reader)?;
    let root = scope.root.open_folder_below(Path::new(".")).ok()?;
    walk.compare_folder(&mut reader, top, &root)?;
    walk.compare_tracked();
    let ListingWalk {
        mut names,
        mut entries,
        unchanged,
        ..
    } = walk;
    entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    entries.dedup_by(|one, other| one.name == other.name);
    names.extend(entries.iter().map(|entry| entry.name.clone()));
    if names.len() > MAX_NAMES {
        return None;
    }
    Some(FoundEntries {
        files: unchanged + entries.len() as u64,
        entries,
        extent: Extent::Names(names),
    })
}

struct ListingWalk<'w> {
    listing: &'w TreeListing,
    scope: &'w ScanScope<'w>,
    index: &'w dyn Fn() -> Option<&'w GitIndex>,
    /// The folders of names that changed since the listing was written.
    folders_with_changes: HashSet<&'w [u8]>,
    /// The path of the present entry relative to the root.
    path: Vec<u8>,
    names: BTreeSet<Vec<u8>>,
    entries: Vec<ScannedEntry>,
    /// The number of entries that have their stat still.
    unchanged: u64,
    listed_folders: usize,
}

/// The entries of a folder that was listed again.
type Names = BTreeMap<OsString, EntryKind>;

impl<'w> ListingWalk<'w> {
    /// Compares a folder and those below it. The reader is behind the folder's record. Returns none if too much differs.
    fn compare_folder(
        &mut self,
        reader: &mut ListingReader<'w>,
        folder: FolderRecord<'w>,
        handle: &FolderHandle,
    ) -> Option<()> {
        let stamp = handle.stat_folder().ok();
        let is_same = |stamp: Stamp| folder.has(PROVES) && *folder.stat == stat_bytes(&stamp);
        let present = match stamp.is_some_and(is_same) {
            true => None,
            false => Some(self.list_again(*reader, folder, handle)?),
        };
        match stamp {
            Some(stamp) if present.is_none() && folder.has(EMPTY) => {
                self.see_same_empty_folder(folder, stamp);
            }
            _ => {}
        }
        self.path.clear();
        self.path.extend_from_slice(folder.name);
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        let start = self.path.len();
        let has_changes = self.folders_with_changes.contains(folder.name);
        for _ in 0..folder.files {
            let file = FileRecord::read(reader)?;
            self.path.truncate(start);
            self.path.extend_from_slice(file.name);
            let kind = present
                .as_ref()
                .map(|present| present.get(OsStr::from_bytes(file.name)));
            match kind {
                None | Some(Some(EntryKind::File | EntryKind::Link)) => {
                    self.compare_file(handle, file, has_changes);
                }
                // Something else has the name, or nothing.
                Some(_) => self.note_missing(file),
            }
        }
        self.compare_subfolders(reader, folder, handle, present.as_ref())?;
        (self.names.len() <= MAX_NAMES).then_some(())
    }

    fn compare_subfolders(
        &mut self,
        reader: &mut ListingReader<'w>,
        folder: FolderRecord<'w>,
        handle: &FolderHandle,
        present: Option<&Names>,
    ) -> Option<()> {
        loop {
            let mut next = *reader;
            if next.left() == 0 {
                return Some(());
            }
            let inner = FolderRecord::read(&mut next)?;
            if inner.depth != folder.depth.checked_add(1)? {
                return Some(());
            }
            *reader = next;
            let name = OsStr::from_bytes(split(inner.name).1);
            let is_there =
                present.is_none_or(|present| present.get(name) == Some(&EntryKind::Folder));
            let opened = is_there.then(|| handle.open_subfolder(name).ok()).flatten();
            match opened {
                Some(opened) => self.compare_folder(reader, inner, &opened)?,
                None => self.pass_over(reader, inner)?,
            }
        }
    }

    /// Compares a file or link that is in its place. Its path is the present one.
    fn compare_file(&mut self, handle: &FolderHandle, file: FileRecord<'_>, has_changes: bool) {
        let name = OsStr::from_bytes(file.name);
        let Ok(stamp) = handle.stat(name) else {
            return self.note_missing(file);
        };
        if file.is_unchanged(&stamp) {
            let is_covered = file.has(COVERED);
            if !(is_covered && has_changes && self.listing.changed.contains(&self.path)) {
                self.unchanged += u64::from(is_covered);
                return;
            }
        }
        let rule = match (file.has(SMALL_OR_TRACKED), file.has(ONLY_TRACKED)) {
            (true, _) => FileRule::SmallOrTracked,
            (_, true) => FileRule::Tracked,
            _ => FileRule::Any,
        };
        if rule.covers(&stamp, || file.has(TRACKED)) {
            let relative = Path::new(OsStr::from_bytes(&self.path));
            let entry = ScannedEntry::read(handle, name, relative, stamp);
            self.entries.extend(entry);
        }
        self.note_missing(file);
    }

    /// Adds the name of a file that is not as it was, if it was covered.
    fn note_missing(&mut self, file: FileRecord<'_>) {
        if file.has(COVERED) {
            self.names.insert(self.path.clone());
        }
    }

    fn see_same_empty_folder(&mut self, folder: FolderRecord<'_>, stamp: Stamp) {
        if folder.depth == 0 || folder.has(IGNORED) {
            return;
        }
        match self.listing.changed.contains(folder.name) {
            true => {
                let relative = Path::new(OsStr::from_bytes(folder.name));
                self.entries
                    .push(ScannedEntry::empty_folder(relative, stamp));
            }
            false => self.unchanged += 1,
        }
    }

    /// Adds the names of a folder that is gone, or cannot be entered. The reader is behind the folder's record.
    fn pass_over(
        &mut self,
        reader: &mut ListingReader<'w>,
        folder: FolderRecord<'w>,
    ) -> Option<()> {
        let mut record = folder;
        loop {
            if record.has(EMPTY) && !record.has(IGNORED) {
                self.names.insert(record.name.to_vec());
            }
            for _ in 0..record.files {
                let file = FileRecord::read(reader)?;
                if file.has(COVERED) {
                    self.names.insert([record.name, b"/", file.name].concat());
                }
            }
            if self.names.len() > MAX_NAMES {
                return None;
            }
            let mut next = *reader;
            if next.left() == 0 {
                return Some(());
            }
            record = FolderRecord::read(&mut next)?;
            if record.depth <= folder.depth {
                return Some(());
            }
            *reader = next;
        }
    }

    /// Lists a folder whose stat differs, and adds the entries that the listing does not have. Returns the names that are
    /// in the folder now. The reader is behind the folder's record.
    fn list_again(
        &mut self,
        reader: ListingReader<'w>,
        folder: FolderRecord<'w>,
        handle: &FolderHandle,
    ) -> Option<Names> {
        self.listed_folders += 1;
        if self.listed_folders > MAX_LISTED_FOLDERS {
            return None;
        }
        let mut present = Names::new();
        let listed = handle.list(&mut |name, kind| {
            present.insert(name.to_owned(), kind);
            ControlFlow::Continue(())
        });
        if listed.is_err() {
            // A scan decides what becomes of a folder that can be entered and not listed.
            return None;
        }
        if folder.has(EMPTY) && !folder.has(IGNORED) && folder.depth > 0 {
            self.names.insert(folder.name.to_vec());
        }
        let known = known_names(reader, folder)?;
        let is_new = |name: &OsStr| {
            let is_left_out = || {
                let path = join(folder.name, name);
                present.get(name) == Some(&EntryKind::Folder)
                    && self.listing.ignored.contains(&path)
            };
            match (present.get(name), known.get(name)) {
                (Some(EntryKind::Special), _) => false,
                (Some(EntryKind::Folder), Some(EntryKind::Folder)) => false,
                (Some(EntryKind::File | EntryKind::Link), Some(EntryKind::File)) => false,
                _ => name != ".git" && !is_left_out(),
            }
        };
        if present.is_empty() || present.keys().any(|name| is_new(name.as_os_str())) {
            let relative = Path::new(OsStr::from_bytes(folder.name));
            let entered = EnteredFolder {
                relative,
                above: &self.rules_above(relative),
                state: FolderState {
                    depth: usize::from(folder.depth),
                    is_ignored: folder.has(IGNORED),
                },
            };
            let again = handle.open_folder_below(Path::new(".")).ok()?;
            let scope = ScanScope {
                tracked: (self.index)(),
                ..*self.scope
            };
            let found = scope.scan_some(&again, &entered, &is_new, &mut ());
            self.entries.extend(found.ok()?);
        }
        Some(present)
    }

    /// Returns the rules of the folders above one.
    fn rules_above(&self, folder: &Path) -> FolderRules {
        let root = self.scope.path;
        let mut rules = FolderRules::read_above(root, self.scope.coverage.excludes);
        let mut above: Vec<&Path> = folder.ancestors().skip(1).collect();
        above.reverse();
        for ancestor in above {
            rules = rules.enter_folder(&root.join(ancestor));
        }
        rules
    }

    /// Compares the files that git tracks in ignored folders.
    fn compare_tracked(&mut self) {
        let listing = self.listing;
        let mut last: Option<(&[u8], Option<FolderHandle>)> = None;
        for tracked in &listing.tracked {
            let (parent, name) = split(&tracked.name);
            if last.as_ref().is_none_or(|(known, _)| *known != parent) {
                let path = Path::new(OsStr::from_bytes(parent));
                last = Some((parent, self.scope.root.open_folder_below(path).ok()));
            }
            let folder = last.as_ref().and_then(|(_, folder)| folder.as_ref());
            let stamp = folder.and_then(|folder| folder.stat(OsStr::from_bytes(name)).ok());
            let is_forced = listing.changed.contains(&tracked.name);
            match (folder, stamp) {
                (_, Some(stamp)) if tracked.is_unchanged(&stamp) && !is_forced => {
                    self.unchanged += 1;
                }
                (Some(folder), Some(stamp)) => {
                    let relative = Path::new(OsStr::from_bytes(&tracked.name));
                    let name = OsStr::from_bytes(name);
                    self.names.insert(tracked.name.clone());
                    self.entries
                        .extend(ScannedEntry::read(folder, name, relative, stamp));
                }
                _ if tracked.is_covered => {
                    self.names.insert(tracked.name.clone());
                }
                _ => {}
            }
        }
    }
}

/// Returns the names that the listing has in a folder. Links count as files. The reader is behind the folder's record.
fn known_names<'w>(
    mut reader: ListingReader<'w>,
    folder: FolderRecord<'w>,
) -> Option<BTreeMap<&'w OsStr, EntryKind>> {
    let mut names = BTreeMap::new();
    for _ in 0..folder.files {
        let file = FileRecord::read(&mut reader)?;
        names.insert(OsStr::from_bytes(file.name), EntryKind::File);
    }
    while reader.left() > 0 {
        let inner = FolderRecord::read(&mut reader)?;
        if inner.depth <= folder.depth {
            break;
        }
        if inner.depth == folder.depth.checked_add(1)? {
            names.insert(OsStr::from_bytes(split(inner.name).1), EntryKind::Folder);
        }
        for _ in 0..inner.files {
            FileRecord::read(&mut reader)?;
        }
    }
    Some(names)
}

/// Splits a name relative to the root into its folder and its last part.
fn split(name: &[u8]) -> (&[u8], &[u8]) {
    match name.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => (&[], name),
    }
}

fn join(folder: &[u8], name: &OsStr) -> Vec<u8> {
    match folder.is_empty() {
        true => name.as_bytes().to_vec(),
        false => [folder, b"/", name.as_bytes()].concat(),
    }
}
