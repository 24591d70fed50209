//! The states of the ignore files that the rules of a tree come from, in numbers that can be stored: as long as all of
//! them are the same, the same entries of unchanged folders are ignored.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::index::rule_files::{RuleFileNumbers, has_settled, rule_file_numbers};
use crate::rules::{Excludes, RuleFiles, rule_files_above, rule_files_in};

/// The ignore files of a tree with their states.
#[derive(Clone, Debug, Default)]
pub struct RuleRecord {
    /// Each file with its state; none where there is no such file.
    files: BTreeMap<PathBuf, Option<RuleFileNumbers>>,
    /// Whether a file had changed so shortly before that the next change may leave the same state.
    is_unsettled: bool,
}

impl RuleRecord {
    /// Reads the states of the files above a tree, and of git's global excludes file.
    #[must_use]
    pub fn load_above(tree: &Path, excludes: Option<&Excludes>) -> Self {
        let mut record = Self::default();
        record.load(rule_files_above(tree));
        record.load(excludes.map(|excludes| excludes.file.clone()));
        record
    }

    /// Adds the files of a folder, as far as they are among the names of its entries.
    pub fn add_listed<'n>(&mut self, folder: &Path, names: impl Iterator<Item = &'n OsStr>) {
        let mut present = RuleFiles::default();
        for name in names {
            present.record_name(name);
        }
        self.load(rule_files_in(folder, present));
    }

    /// Returns the record with these states, as they were stored.
    #[must_use]
    pub fn from_files(files: impl Iterator<Item = (PathBuf, Option<RuleFileNumbers>)>) -> Self {
        Self {
            files: files.collect(),
            is_unsettled: false,
        }
    }

    /// Returns the files with their states, to be stored; none if a state proves nothing yet.
    pub fn files(&self) -> Option<&BTreeMap<PathBuf, Option<RuleFileNumbers>>> {
        (!self.is_unsettled).then_some(&self.files)
    }

    /// Returns whether all files are in these states still.
    pub fn is_current(&self) -> bool {
        let mut files = self.files.iter();
        files.all(|(file, state)| rule_file_numbers(file) == *state)
    }

    fn load(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        for file in files {
            let state = rule_file_numbers(&file);
            self.is_unsettled |= state.is_some_and(|state| !has_settled(&state));
            self.files.insert(file, state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn a_file_that_appears_and_one_that_is_rewritten_end_a_record() {
        let place = tempfile::tempdir().expect("a folder");
        let tree = place.path().join("tree");
        fs::create_dir(&tree).expect("made");
        fs::write(tree.join(".gitignore"), "*.one\n").expect("written");
        let load = || {
            let mut record = RuleRecord::load_above(&tree, None);
            record.add_listed(&tree, [OsStr::new(".gitignore")].into_iter());
            record
        };
        let record = load();
        assert!(record.is_current());
        assert!(record.files().is_none(), "it was written just now");
        fs::write(tree.join(".gitignore"), "*.other\n").expect("written");
        assert!(!record.is_current());
        let record = load();
        fs::write(place.path().join(".ignore"), "*.two\n").expect("written");
        assert!(!record.is_current());
    }

    #[test]
    fn a_file_of_the_future_has_not_settled() {
        let place = tempfile::tempdir().expect("a folder");
        let file = place.path().join("exclude");
        fs::write(&file, "*.one\n").expect("written");
        let opened = fs::File::options().write(true).open(&file).expect("opened");
        let future = SystemTime::now() + Duration::from_secs(3_600);
        opened.set_modified(future).expect("set");
        let state = rule_file_numbers(&file).expect("a state");
        assert!(!has_settled(&state));
    }
}
