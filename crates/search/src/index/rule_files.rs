//! The ignore files that no watch of the index reports: those above the tree, git's own, and links. Each search
//! compares their stat results. Most of these files do not exist. For them the state of their folder is compared: it
//! changes when a file is created in it.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::rules::{Excludes, RuleFiles, rule_files_above, unwatched_rule_files};

/// A file that was changed this shortly before its state was read may change again without a different stat result: the
/// clock of file systems has ticks of up to 10 ms. For such a file the bytes are compared as well.
const RACY_WINDOW: Duration = Duration::from_millis(20);

/// The same limit for folders. It is longer, because it costs only a few more calls and covers every file system's
/// clock: FAT has ticks of 2 s.
const RACY_FOLDER_WINDOW: Duration = Duration::from_secs(3);

/// The state of a file; `None` where there is no such file.
type State = Option<RuleFileStat>;

/// The properties by which two states of a file are distinguished.
#[derive(Debug, PartialEq, Eq)]
struct RuleFileStat {
    identity: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// The last known state of a file.
struct KnownRuleFile {
    state: State,
    /// The bytes, where the stat result alone proves nothing.
    bytes: Option<Vec<u8>>,
    /// Whether the folder has no entry of this name. A link whose target is missing is an entry.
    is_absent: bool,
}

impl KnownRuleFile {
    fn load(file: &Path) -> KnownRuleFile {
        let state = state_of(file);
        let is_racy = state
            .as_ref()
            .is_some_and(|state| state.is_racy(RACY_WINDOW));
        // The bytes are read after the state: a change between the two shows as another state.
        let bytes = is_racy.then(|| fs::read(file).unwrap_or_default());
        KnownRuleFile {
            is_absent: state.is_none() && is_absent(file),
            state,
            bytes,
        }
    }

    fn is_unchanged(&self, file: &Path) -> bool {
        let same = |bytes: &Vec<u8>| fs::read(file).is_ok_and(|now| now == *bytes);
        state_of(file) == self.state && self.bytes.as_ref().is_none_or(same)
    }
}

impl RuleFileStat {
    fn from_metadata(found: &Metadata) -> RuleFileStat {
        RuleFileStat {
            identity: (found.dev(), found.ino()),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }

    /// Returns whether the last change is less than `shortly` ago.
    fn is_racy(&self, shortly: Duration) -> bool {
        let (seconds, nanoseconds) = self.modified.max(self.changed);
        let since = u64::try_from(seconds).unwrap_or(0);
        let part = u32::try_from(nanoseconds).unwrap_or(0);
        let time = UNIX_EPOCH + Duration::new(since, part);
        // A time in the future proves nothing either.
        SystemTime::now()
            .duration_since(time)
            .map_or(true, |age| age < shortly)
    }
}

/// The state of a file in numbers that can be stored: device, inode, size, modification and change time.
pub(crate) type RuleFileNumbers = [i64; 7];

/// Returns the state of a file; none where there is no such file.
pub(crate) fn rule_file_numbers(file: &Path) -> Option<RuleFileNumbers> {
    let state = state_of(file)?;
    Some([
        state.identity.0.cast_signed(),
        state.identity.1.cast_signed(),
        state.size.cast_signed(),
        state.modified.0,
        state.modified.1,
        state.changed.0,
        state.changed.1,
    ])
}

/// Returns whether a file changed so long ago that its next change shows in its state.
pub(crate) fn has_settled(numbers: &RuleFileNumbers) -> bool {
    let [_, _, _, modified, modified_part, changed, changed_part] = *numbers;
    let state = RuleFileStat {
        identity: (0, 0),
        size: 0,
        modified: (modified, modified_part),
        changed: (changed, changed_part),
    };
    !state.is_racy(RACY_FOLDER_WINDOW)
}

/// Some ignore files and their states.
#[derive(Default)]
pub(crate) struct RuleFileStates {
    files: BTreeMap<PathBuf, KnownRuleFile>,
    /// The state of each folder, read before its files were found to be absent.
    folders: BTreeMap<PathBuf, RuleFileStat>,
}

impl RuleFileStates {
    /// Returns the files above a tree, and git's global excludes file.
    pub(crate) fn load_above(tree: &Path, excludes: Option<&Excludes>) -> Self {
        let mut files = rule_files_above(tree);
        files.extend(excludes.map(|excludes| excludes.file.clone()));
        let with_state = |file: PathBuf| {
            let known = KnownRuleFile::load(&file);
            (file, known)
        };
        RuleFileStates {
            files: files.into_iter().map(with_state).collect(),
            folders: BTreeMap::new(),
        }
    }

    /// Adds the files of a folder inside the tree.
    pub(crate) fn add_folder(&mut self, folder: &Path, present: RuleFiles) {
        for file in unwatched_rule_files(folder, present) {
            let known = KnownRuleFile::load(&file);
            self.files.insert(file, known);
        }
    }

    /// Returns whether all files are unchanged.
    pub(crate) fn are_unchanged(&mut self) -> bool {
        // Files of one folder follow each other.
        let mut last: Option<(&Path, bool)> = None;
        for (file, known) in &self.files {
            if let (true, Some(folder)) = (known.is_absent, file.parent()) {
                let is_same = match last {
                    Some((last, is_same)) if last == folder => is_same,
                    _ => is_same_folder(&mut self.folders, folder),
                };
                last = Some((folder, is_same));
                if is_same {
                    continue;
                }
            }
            if !known.is_unchanged(file) {
                return false;
            }
        }
        true
    }
}

/// Returns whether a folder is in its last known state; otherwise records the new state.
fn is_same_folder(known: &mut BTreeMap<PathBuf, RuleFileStat>, folder: &Path) -> bool {
    let state = fs::metadata(folder)
        .ok()
        .map(|now| RuleFileStat::from_metadata(&now));
    let is_same = state.is_some() && known.get(folder) == state.as_ref();
    if !is_same {
        match state.filter(|state| !state.is_racy(RACY_FOLDER_WINDOW)) {
            Some(state) => known.insert(folder.to_path_buf(), state),
            None => known.remove(folder),
        };
    }
    is_same
}

fn is_absent(file: &Path) -> bool {
    let found = fs::symlink_metadata(file);
    found.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

fn state_of(file: &Path) -> State {
    let found = fs::metadata(file).ok()?;
    let state = RuleFileStat::from_metadata(&found);
    if found.is_dir() {
        // A folder's times change with every file in it, and only whether the folder exists matters here.
        return Some(RuleFileStat {
            size: 0,
            modified: (0, 0),
            changed: (0, 0),
            ..state
        });
    }
    Some(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets both times of a file, as a clock with coarse ticks would.
    fn write_with_times(file: &Path, text: &str, time: SystemTime) {
        std::fs::write(file, text).expect("written");
        let opened = std::fs::File::options().write(true).open(file);
        opened.expect("opened").set_modified(time).expect("set");
    }

    #[test]
    fn detects_change_within_same_clock_tick() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("exclude");
        let time = SystemTime::now();
        write_with_times(&file, "*.one", time);
        let known = KnownRuleFile::load(&file);
        assert!(known.is_unchanged(&file));
        write_with_times(&file, "*.two", time);
        let mut now = KnownRuleFile::load(&file);
        // A test cannot set the change time. In the imitated case both writes fall into one tick of the clock, so the
        // change time is assumed to be equal.
        now.state = state_of(&file);
        let as_before = KnownRuleFile {
            state: now.state,
            ..known
        };
        assert!(!as_before.is_unchanged(&file), "only the bytes differ");
    }

    #[test]
    fn compares_old_file_by_stat_alone() {
        let state = RuleFileStat {
            identity: (1, 2),
            size: 3,
            modified: (100, 0),
            changed: (100, 0),
        };
        assert!(!state.is_racy(RACY_WINDOW));
    }

    /// Returns the states of two files of a folder that was changed long ago, as far as its clock shows.
    fn from_old_folder(folder: &Path, files: [&str; 2]) -> RuleFileStates {
        let mut states = RuleFileStates::default();
        for file in files.map(|file| folder.join(file)) {
            let known = KnownRuleFile::load(&file);
            states.files.insert(file, known);
        }
        let state = RuleFileStat::from_metadata(&fs::metadata(folder).expect("a folder"));
        states.folders.insert(folder.to_path_buf(), state);
        states
    }

    #[test]
    fn detects_file_created_in_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut states = from_old_folder(folder.path(), [".gitignore", ".ignore"]);
        assert!(states.are_unchanged());
        fs::write(folder.path().join("other"), "").expect("written");
        // A time in the future proves nothing, however long this test is held up.
        let future = SystemTime::now() + Duration::from_secs(3_600);
        let opened = fs::File::open(folder.path()).expect("opened");
        opened.set_modified(future).expect("set");
        assert!(states.are_unchanged(), "another file came");
        assert!(states.folders.is_empty(), "its time proves nothing yet");
        fs::write(folder.path().join(".ignore"), "").expect("written");
        assert!(!states.are_unchanged());
    }

    #[test]
    fn detects_file_created_at_link_target() {
        let (folder, other) = (tempfile::tempdir(), tempfile::tempdir());
        let (folder, other) = (folder.expect("a folder"), other.expect("a folder"));
        let target = other.path().join("rules");
        std::os::unix::fs::symlink(&target, folder.path().join(".ignore")).expect("a link");
        let mut states = from_old_folder(folder.path(), [".gitignore", ".ignore"]);
        assert!(states.are_unchanged());
        fs::write(target, "*.one").expect("written");
        assert!(!states.are_unchanged());
    }
}
