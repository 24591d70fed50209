//! The names of files that a search at the shell left out, for its notices.

use std::path::{Path, PathBuf};

/// How many names of each kind are collected.
const MAX_NAMES: usize = 8;

/// The names of some files that were not searched, or not whole, as they would be printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Files that were searched up to a NUL byte far inside.
    pub cut: Vec<PathBuf>,
    /// Files and folders that the system would not open.
    pub unreadable: Vec<PathBuf>,
}

impl LeftOut {
    pub(super) fn add_cut(&mut self, name: &Path) {
        add(&mut self.cut, name);
    }

    pub(super) fn add_unreadable(&mut self, name: &Path) {
        add(&mut self.unreadable, name);
    }

    pub(super) fn append(&mut self, other: LeftOut) {
        for (own, more) in [
            (&mut self.cut, other.cut),
            (&mut self.unreadable, other.unreadable),
        ] {
            own.extend(more);
            own.sort();
            own.truncate(MAX_NAMES);
        }
    }
}

fn add(names: &mut Vec<PathBuf>, name: &Path) {
    if names.len() < MAX_NAMES {
        names.push(name.to_path_buf());
    }
}
