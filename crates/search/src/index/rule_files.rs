//! The ignore files that no watch of the index tells of: those above the tree, git's own, and links. Each search compares their
//! stat results; there are a few for each folder above the tree.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::rules::{Excludes, RuleFiles, rule_files_above, unwatched_rule_files};

/// What tells two states of a file apart; none where there is no such file.
type State = Option<(u64, u64, u64, i64, i64, i64, i64)>;

/// Some ignore files and their states.
#[derive(Default)]
pub(super) struct RuleFileStates {
    files: BTreeMap<PathBuf, State>,
}

impl RuleFileStates {
    /// The files above a tree, and git's global excludes file.
    pub(super) fn above(tree: &Path, excludes: Option<&Excludes>) -> Self {
        let mut files = rule_files_above(tree);
        files.extend(excludes.map(|excludes| excludes.file.clone()));
        let with_state = |file: PathBuf| {
            let state = state_of(&file);
            (file, state)
        };
        RuleFileStates {
            files: files.into_iter().map(with_state).collect(),
        }
    }

    /// Adds the files of a folder inside the tree.
    pub(super) fn note(&mut self, folder: &Path, present: RuleFiles) {
        for file in unwatched_rule_files(folder, present) {
            let state = state_of(&file);
            self.files.insert(file, state);
        }
    }

    /// Whether all files are as they were.
    pub(super) fn are_unchanged(&self) -> bool {
        self.files
            .iter()
            .all(|(file, state)| state_of(file) == *state)
    }
}

fn state_of(file: &Path) -> State {
    let found = std::fs::metadata(file).ok()?;
    // A folder changes with every file in it, and only whether it is there matters.
    if found.is_dir() {
        return Some((found.dev(), found.ino(), 0, 0, 0, 0, 0));
    }
    Some((
        found.dev(),
        found.ino(),
        found.size(),
        found.mtime(),
        found.mtime_nsec(),
        found.ctime(),
        found.ctime_nsec(),
    ))
}
