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
    let mut scan = Scan {
        root,
        path,
        coverage,
        tracked,
        found: Vec::new(),
    };
    let rules = FolderRules::read_above(path, coverage.excludes);
    scan.scan_folder(root, Path::new(""), &rules, FolderState::default())?;
    scan.found
        .sort_unstable_by(|one, other| one.name.cmp(&other.name));
    scan.found.dedup_by(|one, other| one.name == other.name);
    Ok(scan.found)
}

/// The depth of a folder, and whether it is ignored.
#[derive(Clone, Copy, Default)]
struct FolderState {
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

struct Scan<'s> {
    root: &'s FolderHandle,
    path: &'s Path,
    coverage: &'s ScanCoverage<'s>,
    tracked: Option<&'s GitIndex>,
    found: Vec<ScannedEntry>,
}

impl Scan<'_> {
    fn scan_folder(
        &mut self,
        folder: &FolderHandle,
        relative: &Path,
        above: &FolderRules,
        state: FolderState,
    ) -> std::io::Result<()> {
        let mut entries: Vec<(OsString, EntryKind)> = Vec::new();
        folder.list(&mut |name, kind| {
            entries.push((name.to_owned(), kind));
            ControlFlow::Continue(())
        })?;
        let names = entries.iter().map(|(name, _)| name.as_os_str());
        let here = self.path.join(relative);
        let rules = above.enter_listed(&here, names);
        if entries.is_empty() && state.depth > 0 {
            if !state.is_ignored
                && let Ok(stamp) = folder.stat_folder()
            {
                self.push(relative, CheckpointEntryKind::EmptyFolder, stamp, None);
            }
            return Ok(());
        }
        for (name, kind) in entries {
            if name == ".git" {
                continue;
            }
            let relative = relative.join(&name);
            let path = self.path.join(&relative);
            if (self.coverage.leaves_out)(&relative) || !self.coverage.gate.may_read(&path, kind) {
                continue;
            }
            let ignored = (state.is_ignored
                || rules.ignores_entry(&path, &name, kind == EntryKind::Folder))
                && !(self.coverage.takes_in)(&relative);
            match kind {
                EntryKind::Folder if ignored && !(self.coverage.may_take_in_below)(&relative) => {
                    self.tracked_below(&relative);
                }
                EntryKind::Folder if state.depth < MAX_DEPTH => {
                    // A folder that cannot be entered is left out with all its content.
                    if let Ok(inner) = folder.open_subfolder(&name) {
                        let inside = FolderState {
                            depth: state.depth + 1,
                            is_ignored: ignored,
                        };
                        let _ = self.scan_folder(&inner, &relative, &rules, inside);
                    }
                }
                EntryKind::Folder | EntryKind::Special => {}
                EntryKind::File | EntryKind::Link => {
                    let rule = match (ignored, state.is_ignored) {
                        (false, _) => FileRule::Any,
                        (true, false) => FileRule::SmallOrTracked,
                        (true, true) => FileRule::Tracked,
                    };
                    self.scan_file(folder, &name, &relative, rule);
                }
            }
        }
        Ok(())
    }

    /// Adds a file or a link that the rule covers.
    fn scan_file(&mut self, folder: &FolderHandle, name: &OsStr, relative: &Path, rule: FileRule) {
        let Ok(stamp) = folder.stat(name) else {
            return;
        };
        let tracked = || {
            self.tracked
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
        let Some(index) = self.tracked else { return };
        let names: Vec<PathBuf> = index
            .entries_below(relative.as_os_str().as_bytes())
            .map(|entry| PathBuf::from(OsStr::from_bytes(entry.name)))
            .collect();
        for name in names {
            let denied = (self.coverage.leaves_out)(&name)
                || !self
                    .coverage
                    .gate
                    .may_read(&self.path.join(&name), EntryKind::File);
            let (Some(parent), Some(last)) = (name.parent(), name.file_name()) else {
                continue;
            };
            if let Ok(folder) = self.root.open_folder_below(parent)
                && !denied
            {
                self.scan_file(&folder, last, &name, FileRule::Any);
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
