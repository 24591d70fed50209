//! The ignore files that no watch of the index tells of: those above the tree, git's own, and links. Each search compares their
//! stat results; there are a few for each folder above the tree.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::rules::{Excludes, RuleFiles, rule_files_above, unwatched_rule_files};

/// A file that was changed so shortly before it was looked at may be changed again without another stat result: the clock of file
/// systems has ticks of up to 10 ms. Of such a file the bytes are compared as well.
const RACY: Duration = Duration::from_millis(20);

/// A state of a file; none where there is no such file.
type State = Option<RuleFileStat>;

/// What tells two states of a file apart.
#[derive(Debug, PartialEq, Eq)]
struct RuleFileStat {
    identity: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// What is known of a file.
struct KnownRuleFile {
    state: State,
    /// The bytes, where the stat result alone proves nothing.
    bytes: Option<Vec<u8>>,
}

impl KnownRuleFile {
    fn of(file: &Path) -> KnownRuleFile {
        let state = state_of(file);
        let is_racy = state.as_ref().is_some_and(RuleFileStat::is_racy);
        // The bytes are read after the state: a change between the two shows as another state.
        let bytes = is_racy.then(|| std::fs::read(file).unwrap_or_default());
        KnownRuleFile { state, bytes }
    }

    fn is_unchanged(&self, file: &Path) -> bool {
        let same = |bytes: &Vec<u8>| std::fs::read(file).is_ok_and(|now| now == *bytes);
        state_of(file) == self.state && self.bytes.as_ref().is_none_or(same)
    }
}

impl RuleFileStat {
    fn is_racy(&self) -> bool {
        let (seconds, nanoseconds) = self.modified.max(self.changed);
        let since = u64::try_from(seconds).unwrap_or(0);
        let part = u32::try_from(nanoseconds).unwrap_or(0);
        let time = UNIX_EPOCH + Duration::new(since, part);
        // A time in the future proves nothing either.
        SystemTime::now()
            .duration_since(time)
            .map_or(true, |age| age < RACY)
    }
}

/// Some ignore files and their states.
#[derive(Default)]
pub(super) struct RuleFileStates {
    files: BTreeMap<PathBuf, KnownRuleFile>,
}

impl RuleFileStates {
    /// The files above a tree, and git's global excludes file.
    pub(super) fn above(tree: &Path, excludes: Option<&Excludes>) -> Self {
        let mut files = rule_files_above(tree);
        files.extend(excludes.map(|excludes| excludes.file.clone()));
        let with_state = |file: PathBuf| {
            let known = KnownRuleFile::of(&file);
            (file, known)
        };
        RuleFileStates {
            files: files.into_iter().map(with_state).collect(),
        }
    }

    /// Adds the files of a folder inside the tree.
    pub(super) fn note(&mut self, folder: &Path, present: RuleFiles) {
        for file in unwatched_rule_files(folder, present) {
            let known = KnownRuleFile::of(&file);
            self.files.insert(file, known);
        }
    }

    /// Whether all files are as they were.
    pub(super) fn are_unchanged(&self) -> bool {
        self.files
            .iter()
            .all(|(file, known)| known.is_unchanged(file))
    }
}

fn state_of(file: &Path) -> State {
    let found = std::fs::metadata(file).ok()?;
    let identity = (found.dev(), found.ino());
    // A folder changes with every file in it, and only whether it is there matters.
    if found.is_dir() {
        return Some(RuleFileStat {
            identity,
            size: 0,
            modified: (0, 0),
            changed: (0, 0),
        });
    }
    Some(RuleFileStat {
        identity,
        size: found.size(),
        modified: (found.mtime(), found.mtime_nsec()),
        changed: (found.ctime(), found.ctime_nsec()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets both times of a file, as a clock with coarse ticks would.
    fn write_at(file: &Path, text: &str, time: SystemTime) {
        std::fs::write(file, text).expect("written");
        let opened = std::fs::File::options().write(true).open(file);
        opened.expect("opened").set_modified(time).expect("set");
    }

    #[test]
    fn a_file_that_changes_again_within_a_tick_of_the_clock_is_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("exclude");
        let time = SystemTime::now();
        write_at(&file, "*.one", time);
        let known = KnownRuleFile::of(&file);
        assert!(known.is_unchanged(&file));
        write_at(&file, "*.two", time);
        let mut now = KnownRuleFile::of(&file);
        // A test cannot set the change time. In the case that is imitated both writes fall into one tick of the clock, so it is taken to be the same.
        now.state = state_of(&file);
        let as_before = KnownRuleFile {
            state: now.state,
            bytes: known.bytes,
        };
        assert!(!as_before.is_unchanged(&file), "only the bytes differ");
    }

    #[test]
    fn a_file_that_was_changed_long_ago_is_compared_by_its_state_alone() {
        let state = RuleFileStat {
            identity: (1, 2),
            size: 3,
            modified: (100, 0),
            changed: (100, 0),
        };
        assert!(!state.is_racy());
    }
}
