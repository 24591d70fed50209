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

/// Lists a root. The entries are sorted by name. `tracked` is git's index if the root is the folder of a work tree.
pub(crate) fn scan_root(
    root: &FolderHandle,
    path: &Path,
    coverage: &ScanCoverage<'_>,
    tracked: Option<&GitIndex>,
) -> std::io::Result<Vec<ScannedEntry>> {
    let scope = ScanScope {
        root,
        path,
        coverage,
        tracked,
    };
    scope.scan_all(&mut ())
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
}

impl FolderVisitor for () {
    fn enter(&mut self, _: &FolderHandle, _: &EnteredFolder<'_>) {}
    fn list(&mut self, _: &Path, _: &[(OsString, EntryKind)]) {}
    fn enter_tracked(&mut self, _: &FolderHandle, _: &Path) {}
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
    depth: usize,
    /// Whether it is ignored, and searched for the entries that are included nevertheless.
    is_ignored: bool,
}

/// The files of a folder that are covered.
#[derive(Clone, Copy)]
enum FileRule {
    /// All.
    Any,
    /// Small files, and those that git tracks.
    SmallOrTracked,
    /// Those that git tracks.
    Tracked,
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
        found.sort_unstable_by(|one, other| one.name.cmp(&other.name));
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
        self.scan_entries(handle, folder, &|_| true)
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
        self.visitor.list(relative, &entries);
        let names = entries.iter().map(|(name, _)| name.as_os_str());
        let mut path = self.scope.path.join(relative);
        let rules = above.enter_listed(&path, names);
        if entries.is_empty() && state.depth > 0 {
            if !state.is_ignored
                && let Ok(stamp) = handle.stat_folder()
            {
                self.push(relative, CheckpointEntryKind::EmptyFolder, stamp, None);
            }
            return Ok(());
        }
        let mut relative = relative.to_path_buf();
        for (name, kind) in entries {
            if wanted(&name) {
                path.push(&name);
                relative.push(&name);
                let entry = ListedEntry {
                    name: &name,
                    kind,
                    relative: &relative,
                    path: &path,
                };
                self.scan_entry(handle, &entry, &rules, state);
                path.pop();
                relative.pop();
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
                self.tracked_below(relative);
            }
            EntryKind::Folder if state.depth < MAX_DEPTH => {
                // A folder that cannot be entered is left out with all its content.
                if let Ok(inner) = folder.open_subfolder(name) {
                    let inside = EnteredFolder {
                        relative,
                        above: rules,
                        state: FolderState {
                            depth: state.depth + 1,
                            is_ignored: ignored,
                        },
                    };
                    let _ = self.scan_folder(&inner, &inside);
                }
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
        let Ok(stamp) = folder.stat(name) else {
            return;
        };
        let tracked = || {
            self.scope
                .tracked
                .is_some_and(|index| index.is_tracked(relative.as_os_str().as_bytes()))
        };
        let is_covered = match rule {
            FileRule::Any => true,
            FileRule::SmallOrTracked => stamp.size <= MAX_IGNORED_FILE_BYTES || tracked(),
            FileRule::Tracked => tracked(),
        };
        match stamp.kind() {
            _ if !is_covered => {}
            FileType::File => {
                self.push(relative, CheckpointEntryKind::File, stamp, None);
            }
            FileType::Special("symbolic link") => {
                if let Ok(target) = folder.link_target(name) {
                    let target = target.as_bytes().to_vec();
                    self.push(relative, CheckpointEntryKind::Link, stamp, Some(target));
                }
            }
            _ => {}
        }
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
            if let Ok(folder) = self.scope.root.open_folder_below(parent)
                && !denied
            {
                if last != parent {
                    self.visitor.enter_tracked(&folder, relative);
                    last = parent.to_path_buf();
                }
                self.scan_file(&folder, file, &name, FileRule::Any);
            }
        }
    }

    fn push(
        &mut self,
        relative: &Path,
        kind: CheckpointEntryKind,
        stamp: Stamp,
        link: Option<Vec<u8>>,
    ) {
        self.found.push(ScannedEntry {
            name: relative.as_os_str().as_bytes().to_vec(),
            kind,
            stamp,
            link,
        });
    }
}
