//! What the kernel reported of a tree and is not compared with the disk yet.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};

/// With more names to check the tree is read again.
const MAX_PENDING: usize = 50_000;

/// What was reported and is not compared with the disk yet.
#[derive(Default)]
pub(super) struct PendingChecks {
    /// Names in folders.
    pub(super) names: BTreeMap<Vec<u8>, BTreeSet<OsString>>,
    /// Folders whose ignore files changed.
    pub(super) trees: BTreeSet<Vec<u8>>,
    number: usize,
    /// Whether everything is to be read again.
    pub(super) everything: bool,
}

impl PendingChecks {
    pub(super) fn add(&mut self, folder: &[u8], name: &OsStr) {
        let names = self.names.entry(folder.to_vec()).or_default();
        self.number += usize::from(names.insert(name.to_owned()));
        if self.number > MAX_PENDING {
            *self = PendingChecks {
                everything: true,
                ..PendingChecks::default()
            };
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.everything && self.names.is_empty() && self.trees.is_empty()
    }
}

/// Returns the folders that are below no other one.
pub(super) fn outermost(folders: &BTreeSet<Vec<u8>>) -> Vec<&Vec<u8>> {
    let is_below = |inner: &[u8], outer: &[u8]| {
        outer.is_empty() || (inner.starts_with(outer) && inner.get(outer.len()) == Some(&b'/'))
    };
    let is_inside = |folder: &Vec<u8>| {
        let mut others = folders.iter();
        others.any(|other| other != folder && is_below(folder, other))
    };
    folders.iter().filter(|folder| !is_inside(folder)).collect()
}
