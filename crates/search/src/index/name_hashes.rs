//! Hashes of names, which show quickly that a name is not among very many.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// A set of names that may have false positives but no false negatives.
#[derive(Default)]
pub(super) struct NameHashes(HashSet<u64>);

impl NameHashes {
    pub(super) fn add(&mut self, name: &OsStr) {
        self.0.insert(hash_name(name));
    }

    pub(super) fn may_contain(&self, name: &OsStr) -> bool {
        self.0.contains(&hash_name(name))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

fn hash_name(name: &OsStr) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}
