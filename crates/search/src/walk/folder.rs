//! One folder of a walk: lists it and applies the ignore rules to its entries.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lancet_workspace::{EntryKind, FolderHandle, Located};

use super::linked_path::LinkedPath;
use super::names::EntryNames;
use super::{HiddenFiles, IgnoreFiles, Walk};
use crate::rules::{IgnoreRules, RuleFiles, RuleVerdict};
use crate::tally::Tally;

/// Version control folders are not entered unless named literally, and are not counted.
const VERSION_CONTROL_FOLDERS: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// The number of entries that are listed and held in memory before the first of them is processed.
const ENTRIES_PER_PORTION: usize = 4096;

/// A folder that is being walked or is queued.
pub(super) struct WalkedFolder {
    pub(super) start: usize,
    pub(super) branch: FolderHandle,
    pub(super) path: PathBuf,
    /// The length of the start's path in bytes.
    pub(super) base: usize,
    /// The ways by which links led here; empty where no link was followed.
    linked: LinkedPath,
    /// The rules of the folders above.
    above: IgnoreRules,
    /// The rules inside the folder, set once its ignore files have been read.
    rules: OnceLock<IgnoreRules>,
}

impl WalkedFolder {
    /// Returns the folder of a start.
    pub(super) fn from_start(
        walk: &Walk<'_>,
        start: usize,
        branch: FolderHandle,
        path: &Path,
    ) -> Self {
        let above = match walk.ignoring {
            IgnoreFiles::Respect => IgnoreRules::read_above(path, walk.excludes),
            IgnoreFiles::Include => IgnoreRules::default(),
        };
        WalkedFolder {
            start,
            branch,
            path: path.to_path_buf(),
            base: path.as_os_str().len(),
            linked: LinkedPath::default(),
            above,
            rules: OnceLock::new(),
        }
    }

    /// Opens a folder inside this one.
    pub(super) fn enter(&self, name: &OsStr) -> std::io::Result<Self> {
        Ok(WalkedFolder {
            start: self.start,
            branch: self.branch.open_subfolder(name)?,
            path: self.path.join(name),
            base: self.base,
            linked: self.linked.enter(name),
            above: self.rules().clone(),
            rules: OnceLock::new(),
        })
    }

    /// Opens the folder that a link in this one leads to; `None` where the link leads to a folder that it is in, so
    /// that the walk would not end.
    pub(super) fn enter_link(
        &self,
        name: &OsStr,
        target: &Located,
    ) -> std::io::Result<Option<Self>> {
        let Some(linked) = self.linked.follow(&self.path, target.path()) else {
            return Ok(None);
        };
        Ok(Some(WalkedFolder {
            start: self.start,
            branch: target
                .open_folder()
                .map_err(|_| std::io::Error::from(std::io::ErrorKind::PermissionDenied))?,
            path: self.path.join(name),
            base: self.base,
            linked,
            above: self.rules().clone(),
            rules: OnceLock::new(),
        }))
    }

    fn rules(&self) -> &IgnoreRules {
        self.rules.get().unwrap_or(&self.above)
    }

    /// Lists the entries. `many` receives full portions of a large folder; the last portion is returned. The folder's
    /// ignore files are read before the first entry is processed.
    pub(super) fn list(
        &self,
        walk: &Walk<'_>,
        tally: &mut Tally,
        many: &mut dyn FnMut(EntryNames, &mut Tally),
    ) -> EntryNames {
        let mut names = EntryNames::with_default_capacity();
        let mut present = RuleFiles::default();
        let settle = |present: RuleFiles| {
            self.rules.get_or_init(|| match walk.ignoring {
                IgnoreFiles::Respect => self.above.enter_folder(&self.path, present),
                IgnoreFiles::Include => IgnoreRules::default(),
            });
        };
        let listed = self.branch.list(&mut |name, kind| {
            if name.as_bytes().first() == Some(&b'.') {
                present.record_name(name);
            }
            names.push(name, kind);
            if names.len() < ENTRIES_PER_PORTION {
                return ControlFlow::Continue(());
            }
            // An ignore file may appear later in the listing: try all of them.
            settle(RuleFiles::ALL);
            many(std::mem::take(&mut names), tally);
            if walk.stop.should_stop() {
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

    /// Returns whether an entry belongs to the walk; if not, counts it by reason.
    pub(super) fn accepts(
        &self,
        walk: &Walk<'_>,
        path: &Path,
        name: &OsStr,
        kind: EntryKind,
        tally: &mut Tally,
    ) -> bool {
        let mut judged = judge_entry(walk, self.rules(), path, self.base, name, kind);
        if judged == EntryVerdict::Accepted
            && let Some(real) = self.linked.real_path(name)
            && !walk.gate.may_read(&real, kind)
        {
            judged = EntryVerdict::Denied;
        }
        judged.count(tally);
        judged == EntryVerdict::Accepted
    }
}

/// The verdict on an entry of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryVerdict {
    /// The entry belongs to the walk.
    Accepted,
    /// An ignore file leaves the entry out.
    Ignored,
    /// The entry's name begins with a dot.
    Hidden,
    /// The gate denies the entry.
    Denied,
    /// The entry is a symbolic link.
    Link,
    /// The entry is a folder of version control, which is left out and not counted.
    VersionControl,
    /// The entry is neither a file nor a folder nor a link, and is not counted.
    Special,
}

impl EntryVerdict {
    /// Counts an entry that is left out.
    pub(crate) fn count(self, tally: &mut Tally) {
        match self {
            EntryVerdict::Accepted | EntryVerdict::VersionControl | EntryVerdict::Special => {}
            EntryVerdict::Ignored => tally.ignored += 1,
            EntryVerdict::Hidden => tally.hidden += 1,
            EntryVerdict::Denied => tally.denied += 1,
            EntryVerdict::Link => tally.links += 1,
        }
    }
}

/// Applies the rules inside a folder to one of its entries; `base` is the length of the start's path in bytes.
pub(crate) fn judge_entry(
    walk: &Walk<'_>,
    rules: &IgnoreRules,
    path: &Path,
    base: usize,
    name: &OsStr,
    kind: EntryKind,
) -> EntryVerdict {
    match kind {
        EntryKind::File | EntryKind::Folder => {}
        EntryKind::Link => return EntryVerdict::Link,
        EntryKind::Special => return EntryVerdict::Special,
    }
    let judgement = rules.judge(path, name, kind == EntryKind::Folder);
    let dotted = name.as_bytes().first() == Some(&b'.');
    let hidden = dotted && walk.hidden == HiddenFiles::Skip;
    let left_out =
        judgement == RuleVerdict::Ignored || (hidden && judgement == RuleVerdict::Silent);
    let version_control = dotted && VERSION_CONTROL_FOLDERS.iter().any(|known| name == *known);
    if (left_out || version_control) && !walk.named.names_literally(relative_to_start(path, base)) {
        return match judgement {
            _ if version_control => EntryVerdict::VersionControl,
            RuleVerdict::Ignored => EntryVerdict::Ignored,
            _ => EntryVerdict::Hidden,
        };
    }
    match walk.gate.may_read(path, kind) {
        true => EntryVerdict::Accepted,
        false => EntryVerdict::Denied,
    }
}

/// Returns a path relative to its start, whose length in bytes is `base`.
pub(crate) fn relative_to_start(path: &Path, base: usize) -> &Path {
    let bytes = path.as_os_str().as_bytes().get(base..).unwrap_or_default();
    Path::new(OsStr::from_bytes(bytes.strip_prefix(b"/").unwrap_or(bytes)))
}
