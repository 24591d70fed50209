//! Whether a file also has a name outside the roots: its names below the roots are counted and compared with the number
//! of its hard links. This is checked only where a file with several links is about to be changed under all of them.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lancet_workspace::{EntryKind, FileType, Located, Stamp, is_package_store};

use crate::engine::EngineView;
use crate::settings::Links;

/// How many entries are examined. If not all names of a file were found within this number, the others may come later.
const MAX_ENTRIES: usize = 10_000;

/// The names of one file that were found below the roots.
struct NameCount<'e> {
    engine: &'e EngineView,
    file: Stamp,
    /// Each name by its folder's device and inode: a folder that is mounted at two places has its names once.
    found: HashSet<(u64, u64, OsString)>,
    waiting: VecDeque<PathBuf>,
    looked: usize,
    /// Whether every folder could be listed so far.
    is_complete: bool,
}

/// Counts the names of a file that are outside the roots. None are reported where a write does not affect the other
/// names, or where not all entries below the roots were examined.
pub(super) fn count_outside_names(engine: &EngineView, located: &Located) -> u64 {
    let several = located.stat().filter(|stamp| stamp.links > 1);
    let Some(file) = several.filter(|stamp| stamp.kind() == FileType::File) else {
        return 0;
    };
    if is_separated(engine, located.path()) {
        return 0;
    }
    let mut count = NameCount {
        engine,
        file,
        found: HashSet::new(),
        waiting: VecDeque::new(),
        looked: 0,
        is_complete: true,
    };
    // Most other names are in the same folder.
    if let Some(folder) = located.path().parent() {
        count.count_in_folder(folder);
        count.waiting.clear();
    }
    let roots = engine.full_workspace().roots().iter();
    count.waiting.extend(roots.cloned());
    while let Some(folder) = count.waiting.pop_front() {
        if count.names_outside() == 0 {
            return 0;
        }
        count.count_in_folder(&folder);
        if count.looked > MAX_ENTRIES || !count.is_complete {
            return 0;
        }
    }
    count.names_outside()
}

/// Returns whether a write gives the file of this name a separate inode, so that its other names keep the old content.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn is_separated(engine: &EngineView, path: &Path) -> bool {
    match engine.settings.links {
        Some(Links::Break) => true,
        Some(Links::Keep) => false,
        _ => path.iter().any(is_package_store),
    }
}

impl NameCount<'_> {
    fn names_outside(&self) -> u64 {
        self.file.links.saturating_sub(self.found.len() as u64)
    }

    fn count_in_folder(&mut self, folder: &Path) {
        let here = self.engine.full_workspace().locate_as_spelled(folder);
        let here = here.ok().filter(|here| here.kind() == FileType::Directory);
        let opened = here.and_then(|here| here.open_folder().ok());
        let opened = opened.and_then(|opened| Some((opened.stat_folder().ok()?, opened)));
        let Some((itself, opened)) = opened else {
            self.is_complete = false;
            return;
        };
        let mut files = Vec::new();
        let listed = opened.list(&mut |name, kind| {
            self.looked += 1;
            match kind {
                EntryKind::Folder => self.waiting.push_back(folder.join(name)),
                EntryKind::File => files.push(name.to_owned()),
                _ => {}
            }
            match self.looked > MAX_ENTRIES {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        self.is_complete &= listed.is_ok();
        for name in files {
            let entry = opened.stat(&name);
            if entry.is_ok_and(|entry| entry.is_same_file(&self.file)) {
                self.found.insert((itself.device, itself.inode, name));
            }
        }
    }
}
