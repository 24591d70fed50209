//! Parses commits and trees: the tree of a commit, and an entry of a tree by name. Pure.

use crate::GitError;
use crate::id::{HashAlgorithm, ObjectId};

/// The kind of a tree entry, from its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeEntry {
    File,
    Folder,
    Link,
    Submodule,
}

/// Returns the id of a commit's tree.
pub(crate) fn tree_of_commit(commit: &[u8], names: HashAlgorithm) -> Result<ObjectId, GitError> {
    let hex = commit
        .strip_prefix(b"tree ")
        .and_then(|rest| rest.split(|byte| *byte == b'\n').next());
    hex.and_then(|hex| ObjectId::from_hex(hex, names))
        .ok_or(GitError::Damaged("a commit"))
}

/// Finds the entry of a tree with this name.
pub(crate) fn find_entry(
    tree: &[u8],
    name: &[u8],
    names: HashAlgorithm,
) -> Result<Option<(TreeEntry, ObjectId)>, GitError> {
    let damaged = || GitError::Damaged("a tree");
    let mut rest = tree;
    while !rest.is_empty() {
        let blank = rest
            .iter()
            .position(|byte| *byte == b' ')
            .ok_or_else(damaged)?;
        let end = rest
            .iter()
            .position(|byte| *byte == 0)
            .ok_or_else(damaged)?;
        let after = end + 1 + names.bytes();
        if blank > end || after > rest.len() {
            return Err(damaged());
        }
        if rest[blank + 1..end] == *name {
            let entry = match &rest[..blank] {
                b"40000" | b"040000" => TreeEntry::Folder,
                b"120000" => TreeEntry::Link,
                b"160000" => TreeEntry::Submodule,
                mode if mode.starts_with(b"100") => TreeEntry::File,
                _ => return Err(damaged()),
            };
            let id = ObjectId::from_bytes(&rest[end + 1..after], names).ok_or_else(damaged)?;
            return Ok(Some((entry, id)));
        }
        rest = &rest[after..];
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn arbitrary_tree_never_panics(tree in proptest::collection::vec(prop_oneof![Just(b' '), Just(0u8), Just(b'1'), any::<u8>()], 0..80)) {
            let _ = find_entry(&tree, b"1", HashAlgorithm::Sha1);
            let _ = tree_of_commit(&tree, HashAlgorithm::Sha256);
        }
    }
}
