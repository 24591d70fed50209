//! Lists the entries below a root that a checkpoint covers, with their stat. No file is opened.

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use lancet_git::GitIndex;
use lancet_history::CheckpointEntryKind;
use lancet_search::FolderRules;
use lancet_workspace::{EntryKind, FileType, FolderHandle, Stamp};

use crate::coverage::ScanCoverage;
use crate::named_path::NamedPath;

/// The size up to which an ignored file is covered if its folder is not ignored.
const MAX_IGNORED_FILE_BYTES: u64 = 100_000;
/// Folders deeper than this are not entered.
const MAX_DEPTH: usize = 500;

/// An entry as it was found.
#[derive(Clone)]
pub(crate) struct ScannedEntry {
    /// The name relative to the root.
    pub(crate) name: Vec<u8>,
    pub(crate) kind: CheckpointEntryKind,
    pub(crate) stamp: Stamp,
    /// The target, of a link.
    pub(crate) link: Option<Vec<u8>>,
}

impl ScannedEntry {
    /// Returns the entry of a file or link with this stat; none if it is neither, or a link that cannot be read.
    pub(crate) fn read(
        folder: &FolderHandle,
        name: &OsStr,
        relative: &Path,
        stamp: Stamp,
    ) -> Option<ScannedEntry> {
        let (kind, link) = match stamp.kind() {
            FileType::File => (CheckpointEntryKind::File, None),
            FileType::Special("symbolic link") => {
                let target = folder.link_target(name).ok()?;
                (CheckpointEntryKind::Link, Some(target.as_bytes().to_vec()))
            }
            _ => return None,
        };
        Some(ScannedEntry {
            name: relative.as_os_str().as_bytes().to_vec(),
            kind,
            stamp,
            link,
        })
    }

    /// Returns the entry of a folder without entries.
    pub(crate) fn empty_folder(relative: &Path, stamp: Stamp) -> ScannedEntry {
        ScannedEntry {
            name: relative.as_os_str().as_bytes().to_vec(),
            kind: CheckpointEntryKind::EmptyFolder,
            stamp,
            link: None,
        }
    }
}

/// What is scanned, and under which rules.
#[derive(Clone, Copy)]
pub(crate) struct ScanScope<'s> {
    /// The root.
    pub(crate) root: &'s FolderHandle,
    /// The path of the root.
    pub(crate) path: &'s Path,
    pub(crate) coverage: &'s ScanCoverage<'s>,
    /// git's index if the root is the folder of a work tree.
    pub(crate) tracked: Option<&'s GitIndex>,
}

/// Learns which folders a scan reads.
pub(crate) trait FolderVisitor {
    /// Called before a folder is listed.
    fn enter(&mut self, handle: &FolderHandle, folder: &EnteredFolder<'_>);
    /// Called with the entries of a folder.
    fn list(&mut self, folder: &Path, entries: &[(OsString, EntryKind)]);
    /// Called before the files that git tracks in a folder are read. `ignored` is the outermost ignored folder above
    /// it, or the folder itself.
    fn enter_tracked(&mut self, handle: &FolderHandle, ignored: &Path);
    /// Called after a folder that was entered, with everything below it.
    fn leave(&mut self) {}
    /// Called with a folder that cannot be entered.
    fn find_closed(&mut self, _folder: &Path, _state: FolderState) {}
    /// Called with each file and link that the rules do not exclude by its name.
    fn see_file(&mut self, _file: &SeenFile<'_>) {}
    /// Called with an ignored folder that is not entered.
    fn leave_out(&mut self, _folder: &Path) {}
    /// Called with each name that git tracks in such a folder, whether there is a file or not.
    fn see_tracked(&mut self, _name: &Path) {}
}

impl FolderVisitor for () {
    fn enter(&mut self, _: &FolderHandle, _: &EnteredFolder<'_>) {}
    fn list(&mut self, _: &Path, _: &[(OsString, EntryKind)]) {}
    fn enter_tracked(&mut self, _: &FolderHandle, _: &Path) {}
}

/// A file or link that a scan found.
pub(crate) struct SeenFile<'f> {
    /// The name in its folder.
    pub(crate) name: &'f OsStr,
    /// The path relative to the root.
    pub(crate) relative: &'f Path,
    pub(crate) rule: FileRule,
    /// None if it cannot be looked at.
    pub(crate) stamp: Option<&'f Stamp>,
    pub(crate) is_covered: bool,
}

/// A folder that is about to be listed.
pub(crate) struct EnteredFolder<'f> {
    /// The path relative to the root.
    pub(crate) relative: &'f Path,
    /// The rules of the folders above it.
    pub(crate) above: &'f FolderRules,
    pub(crate) state: FolderState,
}

/// The depth of a folder, and whether it is ignored.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FolderState {
    pub(crate) depth: usize,
    /// Whether it is ignored, and searched for the entries that are included nevertheless.
    pub(crate) is_ignored: bool,
}

/// The files of a folder that are covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileRule {
    /// All.
    Any,
    /// Small files, and those that git tracks.
    SmallOrTracked,
    /// Those that git tracks.
    Tracked,
    /// A file that git tracks in an ignored folder which is not entered.
    InIgnoredFolder,
}

impl FileRule {
    /// Returns whether a file is covered. `is_tracked` is called only where it matters.
    pub(crate) fn covers(self, stamp: &Stamp, is_tracked: impl FnOnce() -> bool) -> bool {
        match self {
            FileRule::Any | FileRule::InIgnoredFolder => true,
            FileRule::SmallOrTracked => stamp.size <= MAX_IGNORED_FILE_BYTES || is_tracked(),
            FileRule::Tracked => is_tracked(),
        }
    }
}

impl ScanScope<'_> {
    /// Lists everything. The entries are sorted by name.
    pub(crate) fn scan_all(
        &self,
        visitor: &mut dyn FolderVisitor,
    ) -> std::io::Result<Vec<ScannedEntry>> {
        let above = FolderRules::read_above(self.path, self.coverage.excludes);
        let top = EnteredFolder {
            relative: Path::new(""),
            above: &above,
            state: FolderState::default(),
        };
        self.collect(visitor, |scan| scan.scan_folder(self.root, &top))
    }

    /// Lists a folder with everything below it. The entries are sorted by name.
    pub(crate) fn scan_tree(
        &self,
        handle: &FolderHandle,
        folder: &EnteredFolder<'_>,
        visitor: &mut dyn FolderVisitor,
    ) -> std::io::Result<Vec<ScannedEntry>> {
        self.collect(visitor, |scan| scan.scan_folder(handle, folder))
    }

    /// Lists those entries of a folder that `wanted` accepts, with everything below them, and the folder itself if it
    /// is empty. The entries are sorted by name.
    pub(crate) fn scan_some(
        &self,
        handle: &FolderHandle,
        folder: &EnteredFolder<'_>,
        wanted: &dyn Fn(&OsStr) -> bool,
        visitor: &mut dyn FolderVisitor,
    ) -> std::io::Result<Vec<ScannedEntry>> {
        self.collect(visitor, |scan| scan.scan_entries(handle, folder, wanted))
    }

    fn collect(
        &self,
        visitor: &mut dyn FolderVisitor,
        work: impl FnOnce(&mut Scan<'_>) -> std::io::Result<()>,
    ) -> std::io::Result<Vec<ScannedEntry>> {
        let mut scan = Scan {
            scope: *self,
            visitor,
            found: Vec::new(),
        };
        work(&mut scan)?;
        let mut found = scan.found;
        // The names of each folder are sorted already, which this sort makes use of.
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found.dedup_by(|one, other| one.name == other.name);
        Ok(found)
    }
}

/// An entry of a folder.
#[derive(Clone, Copy)]
struct ListedEntry<'e> {
    name: &'e OsStr,
    kind: EntryKind,
    /// The path relative to the root.
    relative: &'e Path,
    /// The absolute path.
    path: &'e Path,
}

struct Scan<'s> {
    scope: ScanScope<'s>,
    visitor: &'s mut dyn FolderVisitor,
    found: Vec<ScannedEntry>,
}

impl Scan<'_> {
    fn scan_folder(
        &mut self,
        handle: &FolderHandle,
        folder: &EnteredFolder<'_>,
    ) -> std::io::Result<()> {
        self.visitor.enter(handle, folder);
        let scanned = self.scan_entries(handle, folder, &|_| true);
        self.visitor.leave();
        scanned
    }

    fn scan_entries(
        &mut self,
        handle: &FolderHandle,
        folder: &EnteredFolder<'_>,
        wanted: &dyn Fn(&OsStr) -> bool,
    ) -> std::io::Result<()> {
        let EnteredFolder {
            relative,
            above,
            state,
        } = *folder;
        let mut entries: Vec<(OsString, EntryKind)> = Vec::new();
        handle.list(&mut |name, kind| {
            entries.push((name.to_owned(), kind));
            ControlFlow::Continue(())
        })?;
        entries.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        self.visitor.list(relative, &entries);
        let names = entries.iter().map(|(name, _)| name.as_os_str());
        let path = self.scope.path.join(relative);
        let rules = above.enter_listed(&path, names);
        if entries.is_empty() && state.depth > 0 {
            if !state.is_ignored
                && let Ok(stamp) = handle.stat_folder()
            {
                self.found.push(ScannedEntry::empty_folder(relative, stamp));
            }
            return Ok(());
        }
        let (mut path, mut relative) = (NamedPath::below(&path), NamedPath::below(relative));
        for (name, kind) in entries {
            if wanted(&name) {
                let entry = ListedEntry {
                    name: &name,
                    kind,
                    relative: relative.with_name(&name),
                    path: path.with_name(&name),
                };
                self.scan_entry(handle, &entry, &rules, state);
            }
        }
        Ok(())
    }

    /// Adds an entry of a folder that is covered, with everything below it.
    fn scan_entry(
        &mut self,
        folder: &FolderHandle,
        entry: &ListedEntry<'_>,
        rules: &FolderRules,
        state: FolderState,
    ) {
        let ListedEntry {
            name,
            kind,
            relative,
            path,
        } = *entry;
        let coverage = self.scope.coverage;
        if name == ".git" || (coverage.leaves_out)(relative) || !coverage.gate.may_read(path, kind)
        {
            return;
        }
        let ignored = (state.is_ignored
            || rules.ignores_entry(path, name, kind == EntryKind::Folder))
            && !(coverage.takes_in)(relative);
        match kind {
            EntryKind::Folder if ignored && !(coverage.may_take_in_below)(relative) => {
                self.visitor.leave_out(relative);
                self.tracked_below(relative);
            }
            EntryKind::Folder if state.depth < MAX_DEPTH => {
                let state = FolderState {
                    depth: state.depth + 1,
                    is_ignored: ignored,
                };
                let Ok(inner) = folder.open_subfolder(name) else {
                    // A folder that cannot be entered is left out with all its content.
                    self.visitor.find_closed(relative, state);
                    return;
                };
                let inside = EnteredFolder {
                    relative,
                    above: rules,
                    state,
                };
                let _ = self.scan_folder(&inner, &inside);
            }
            EntryKind::Folder | EntryKind::Special => {}
            EntryKind::File | EntryKind::Link => {
                let rule = match (ignored, state.is_ignored) {
                    (false, _) => FileRule::Any,
                    (true, false) => FileRule::SmallOrTracked,
                    (true, true) => FileRule::Tracked,
                };
                self.scan_file(folder, name, relative, rule);
            }
        }
    }

    /// Adds a file or a link that the rule covers.
    fn scan_file(&mut self, folder: &FolderHandle, name: &OsStr, relative: &Path, rule: FileRule) {
        let stamp = folder.stat(name).ok();
        let is_tracked = || {
            self.scope
                .tracked
                .is_some_and(|index| index.is_tracked(relative.as_os_str().as_bytes()))
        };
        let entry = stamp
            .filter(|stamp| rule.covers(stamp, is_tracked))
            .and_then(|stamp| ScannedEntry::read(folder, name, relative, stamp));
        self.visitor.see_file(&SeenFile {
            name,
            relative,
            rule,
            stamp: stamp.as_ref(),
            is_covered: entry.is_some(),
        });
        self.found.extend(entry);
    }

    /// Adds the files of an ignored folder that git tracks nevertheless.
    fn tracked_below(&mut self, relative: &Path) {
        let Some(index) = self.scope.tracked else {
            return;
        };
        let mut last = PathBuf::new();
        let names: Vec<PathBuf> = index
            .entries_below(relative.as_os_str().as_bytes())
            .map(|entry| PathBuf::from(OsStr::from_bytes(entry.name)))
            .collect();
        for name in names {
            let coverage = self.scope.coverage;
            let path = self.scope.path.join(&name);
            let denied =
                (coverage.leaves_out)(&name) || !coverage.gate.may_read(&path, EntryKind::File);
            let (Some(parent), Some(file)) = (name.parent(), name.file_name()) else {
                continue;
            };
            if denied {
                continue;
            }
            self.visitor.see_tracked(&name);
            if let Ok(folder) = self.scope.root.open_folder_below(parent) {
                if last != parent {
                    self.visitor.enter_tracked(&folder, relative);
                    last = parent.to_path_buf();
                }
                self.scan_file(&folder, file, &name, FileRule::InIgnoredFolder);
            }
        }
    }
}
