//! One folder of a walk: its listing, judged entry by entry.

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_workspace::{Branch, EntryKind};

use super::{Ignoring, Walk};
use crate::rules::{Judgement, Present, Rules};
use crate::tally::Tally;

/// Folders of version control: never entered unless named, and not counted.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// A folder that is being walked, or waits for it.
pub(super) struct Folder {
    pub(super) start: usize,
    pub(super) branch: Branch,
    pub(super) path: PathBuf,
    /// How many bytes of the path belong to the start.
    pub(super) base: usize,
    rules: Rules,
}

/// What a folder holds for the walk.
#[derive(Default)]
pub(super) struct Inside {
    pub(super) files: Vec<OsString>,
    pub(super) folders: Vec<OsString>,
}

impl Folder {
    /// The folder that a walk starts at.
    pub(super) fn start(walk: &Walk<'_>, start: usize, branch: Branch, path: &Path) -> Self {
        let rules = match walk.ignoring {
            Ignoring::Respect => Rules::above(path, walk.excludes),
            Ignoring::Include => Rules::default(),
        };
        Folder {
            start,
            branch,
            path: path.to_path_buf(),
            base: path.as_os_str().len(),
            rules,
        }
    }

    /// A folder of this one.
    pub(super) fn enter(&self, name: &OsStr) -> std::io::Result<Self> {
        Ok(Folder {
            start: self.start,
            branch: self.branch.enter(name)?,
            path: self.path.join(name),
            base: self.base,
            rules: self.rules.clone(),
        })
    }

    /// Lists and judges the entries. From then on the rules are those inside of it.
    pub(super) fn look(&mut self, walk: &Walk<'_>, tally: &mut Tally) -> Inside {
        let mut entries: Vec<(OsString, EntryKind)> = Vec::new();
        let mut present = Present::default();
        let listed = self.branch.list(&mut |name, kind| {
            if name.as_bytes().first() == Some(&b'.') {
                present.note(name);
            }
            entries.push((name.to_owned(), kind));
            if entries.len().is_multiple_of(4096) && walk.stop.is_over() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        if listed.is_err() {
            tally.unreadable += 1;
        }
        if walk.ignoring == Ignoring::Respect {
            self.rules = self.rules.enter(&self.path, present);
        }
        let mut inside = Inside::default();
        let mut path = self.path.clone();
        let free = self.rules.is_empty();
        for (name, kind) in entries {
            let is_folder = match kind {
                EntryKind::File => false,
                EntryKind::Folder => true,
                EntryKind::Link => {
                    tally.links += 1;
                    continue;
                }
                EntryKind::Special => continue,
            };
            path.push(&name);
            if self.takes(walk, &path, &name, kind, free, tally) {
                if is_folder {
                    if walk.filter.enters(&path) {
                        inside.folders.push(name);
                    }
                } else {
                    inside.files.push(name);
                }
            }
            path.pop();
        }
        inside
    }

    /// Whether an entry is part of the walk.
    fn takes(
        &self,
        walk: &Walk<'_>,
        path: &Path,
        name: &OsStr,
        kind: EntryKind,
        free: bool,
        tally: &mut Tally,
    ) -> bool {
        let said = if free {
            Judgement::Silent
        } else {
            self.rules.judge(path, kind == EntryKind::Folder)
        };
        let dotted = name.as_bytes().first() == Some(&b'.');
        let left_out = said == Judgement::Ignored || (dotted && said == Judgement::Silent);
        let version_control = dotted && VERSION_CONTROL.iter().any(|known| name == *known);
        if (left_out || version_control) && !walk.named.names(below(path, self.base)) {
            if !version_control {
                match said {
                    Judgement::Ignored => tally.ignored += 1,
                    _ => tally.hidden += 1,
                }
            }
            return false;
        }
        if !walk.gate.may_read(path, kind) {
            tally.denied += 1;
            return false;
        }
        true
    }
}

/// A path from its start.
pub(super) fn below(path: &Path, base: usize) -> &Path {
    let bytes = path.as_os_str().as_bytes().get(base..).unwrap_or_default();
    Path::new(OsStr::from_bytes(bytes.strip_prefix(b"/").unwrap_or(bytes)))
}

/// Files of one folder that wait for a thread.
pub(super) struct Batch {
    pub(super) folder: Arc<Folder>,
    pub(super) names: Vec<OsString>,
}
