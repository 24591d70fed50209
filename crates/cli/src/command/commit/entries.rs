//! Entries of trees and indexes, as git lists them and takes them.

use std::collections::BTreeMap;

use super::git::Git;
use crate::failure::Failure;

/// The mode of a symbolic link.
pub(super) const LINK_MODE: &str = "120000";
/// The mode of a submodule.
pub(super) const SUBMODULE_MODE: &str = "160000";

/// What a tree or an index has under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GitEntry {
    /// The mode, such as `100644`.
    pub(super) mode: String,
    /// The object's id.
    pub(super) id: String,
}

/// Entries by their names, relative to the work tree.
pub(super) type Entries = BTreeMap<Vec<u8>, GitEntry>;

/// Lists the entries of HEAD.
pub(super) fn list_head(git: &Git) -> Result<Entries, Failure> {
    let out = git.run(&["ls-tree", "-r", "-z", "--full-tree", "HEAD"])?;
    // `MODE TYPE ID` and the name.
    Ok(parse_records(&out, 2))
}

/// Lists the entries of git's index that are not in conflict.
pub(super) fn list_index(git: &Git) -> Result<Entries, Failure> {
    let out = git.run(&["ls-files", "--stage", "-z", "--full-name"])?;
    // `MODE ID STAGE` and the name.
    Ok(parse_records(&out, 1))
}

fn parse_records(out: &[u8], id_at: usize) -> Entries {
    let records = out.split(|byte| *byte == 0);
    let parsed = records.filter_map(|record| {
        let tab = record.iter().position(|byte| *byte == b'\t')?;
        let (fields, name) = (
            std::str::from_utf8(&record[..tab]).ok()?,
            &record[tab + 1..],
        );
        let fields: Vec<&str> = fields.split(' ').collect();
        let entry = GitEntry {
            mode: (*fields.first()?).to_owned(),
            id: (*fields.get(id_at)?).to_owned(),
        };
        Some((name.to_vec(), entry))
    });
    parsed.collect()
}

/// A change of an index: the name and its new entry; none removes it.
pub(super) type EntryChange = (Vec<u8>, Option<GitEntry>);

/// Changes entries of git's index. Removals come first, because a folder may become a file. `head` is the id of a
/// commit: all ids have its length.
pub(super) fn update_index(git: &Git, head: &str, changes: &[EntryChange]) -> Result<(), Failure> {
    let zero = "0".repeat(head.len());
    let mut input = Vec::new();
    let (gone, come): (Vec<_>, Vec<_>) = changes.iter().partition(|(_, entry)| entry.is_none());
    for (name, entry) in gone.into_iter().chain(come) {
        let (mode, id) = match entry {
            Some(entry) => (entry.mode.as_str(), entry.id.as_str()),
            None => ("0", zero.as_str()),
        };
        input.extend(format!("{mode} {id}\t").bytes());
        input.extend(name);
        input.push(0);
    }
    git.run_with(&["update-index", "-z", "--index-info"], input)
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_any_name() {
        let found = parse_records(b"100644 blob 12ab\ta\tb\n\xff\x00120000 blob 34cd\tl\0", 2);
        assert_eq!(found.len(), 2);
        assert_eq!(found[&b"a\tb\n\xff"[..]].id, "12ab");
        assert_eq!(found[&b"l"[..]].mode, "120000");
    }
}
