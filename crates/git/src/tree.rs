//! Commits and trees as git writes them: the tree of a commit, an entry of a tree. Pure.

use crate::Trouble;
use crate::id::{Id, Length};

/// What an entry of a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    File,
    Folder,
    Link,
    Submodule,
}

/// The tree that a commit is of.
pub(crate) fn of_commit(commit: &[u8], names: Length) -> Result<Id, Trouble> {
    let hex = commit
        .strip_prefix(b"tree ")
        .and_then(|rest| rest.split(|byte| *byte == b'\n').next());
    hex.and_then(|hex| Id::from_hex(hex, names))
        .ok_or(Trouble::Damaged("a commit"))
}

/// The entry of that name.
pub(crate) fn entry(
    tree: &[u8],
    name: &[u8],
    names: Length,
) -> Result<Option<(Entry, Id)>, Trouble> {
    let damaged = || Trouble::Damaged("a tree");
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
                b"40000" | b"040000" => Entry::Folder,
                b"120000" => Entry::Link,
                b"160000" => Entry::Submodule,
                mode if mode.starts_with(b"100") => Entry::File,
                _ => return Err(damaged()),
            };
            let id = Id::from_bytes(&rest[end + 1..after], names).ok_or_else(damaged)?;
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
        fn no_tree_makes_it_panic(tree in proptest::collection::vec(prop_oneof![Just(b' '), Just(0u8), Just(b'1'), any::<u8>()], 0..80)) {
            let _ = entry(&tree, b"1", Length::Sha1);
            let _ = of_commit(&tree, Length::Sha256);
        }
    }
}
