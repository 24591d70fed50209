//! One folder of a walk: its listing, judged entry by entry.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lancet_workspace::{Branch, EntryKind};

use super::names::Names;
use super::{Ignoring, Walk};
use crate::rules::{Judgement, Present, Rules};
use crate::tally::Tally;

/// Folders of version control: never entered unless named, and not counted.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Entries that are listed before the first of them is judged, and held at once.
const PORTION: usize = 4096;

/// A folder that is being walked, or waits for it.
pub(super) struct Folder {
    pub(super) start: usize,
    pub(super) branch: Branch,
    pub(super) path: PathBuf,
    /// How many bytes of the path belong to the start.
    pub(super) base: usize,
    /// The rules from above it.
    above: Rules,
    /// The rules inside of it, from the moment on that its rule files are known.
    rules: OnceLock<Rules>,
}

impl Folder {
    /// The folder that a walk starts at.
    pub(super) fn start(walk: &Walk<'_>, start: usize, branch: Branch, path: &Path) -> Self {
        let above = match walk.ignoring {
            Ignoring::Respect => Rules::above(path, walk.excludes),
            Ignoring::Include => Rules::default(),
        };
        Folder {
            start,
            branch,
            path: path.to_path_buf(),
            base: path.as_os_str().len(),
            above,
            rules: OnceLock::new(),
        }
    }

    /// A folder of this one.
    pub(super) fn enter(&self, name: &OsStr) -> std::io::Result<Self> {
        Ok(Folder {
            start: self.start,
            branch: self.branch.enter(name)?,
            path: self.path.join(name),
            base: self.base,
            above: self.rules().clone(),
            rules: OnceLock::new(),
        })
    }

    fn rules(&self) -> &Rules {
        self.rules.get().unwrap_or(&self.above)
    }

    /// Lists the entries. Where there are many, `many` takes them in portions; what is left is given back. Before the first
    /// entry is judged the rule files of the folder are read.
    pub(super) fn list(
        &self,
        walk: &Walk<'_>,
        tally: &mut Tally,
        many: &mut dyn FnMut(Names, &mut Tally),
    ) -> Names {
        let mut names = Names::with_room();
        let mut present = Present::default();
        let settle = |present: Present| {
            self.rules.get_or_init(|| match walk.ignoring {
                Ignoring::Respect => self.above.enter(&self.path, present),
                Ignoring::Include => Rules::default(),
            });
        };
        let listed = self.branch.list(&mut |name, kind| {
            if name.as_bytes().first() == Some(&b'.') {
                present.note(name);
            }
            names.push(name, kind);
            if names.len() < PORTION {
                return ControlFlow::Continue(());
            }
            // One of them may come later in the listing, so all are looked for.
            settle(Present::ALL);
            many(std::mem::take(&mut names), tally);
            if walk.stop.is_over() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        if listed.is_err() {
            tally.unreadable += 1;
        }
        settle(present);
        names
    }

    /// Whether an entry is part of the walk.
    pub(super) fn takes(
        &self,
        walk: &Walk<'_>,
        path: &Path,
        name: &OsStr,
        kind: EntryKind,
        tally: &mut Tally,
    ) -> bool {
        match kind {
            EntryKind::File | EntryKind::Folder => {}
            EntryKind::Link => {
                tally.links += 1;
                return false;
            }
            EntryKind::Special => return false,
        }
        let said = self.rules().judge(path, name, kind == EntryKind::Folder);
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
