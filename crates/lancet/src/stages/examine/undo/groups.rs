//! Groups the files of an undo that can only be undone together. Where moved files swap names, the content of one is
//! written over another, or a file is removed because its content is written elsewhere. One of these changes without
//! the others would lose a text, or leave it twice.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// The groups of moved files, by the names that their chains of changes have in common (a disjoint-set forest).
#[derive(Default)]
pub(super) struct Groups<'r> {
    /// The group of each name; it may have been joined with an earlier group since.
    of_name: HashMap<&'r Path, usize>,
    /// The group that each group was joined with; itself where it was not joined.
    joined: Vec<usize>,
    /// The files of the plan, each with the group that it was added to.
    files: Vec<(usize, usize)>,
}

impl<'r> Groups<'r> {
    /// Adds the files of the plan that undo one chain, and the names of the chain.
    pub(super) fn add(&mut self, names: impl Iterator<Item = &'r Path>, files: Range<usize>) {
        let own = self.joined.len();
        self.joined.push(own);
        for name in names {
            let other = *self.of_name.entry(name).or_insert(own);
            let (first, second) = (self.root(other), self.root(own));
            self.joined[first.max(second)] = first.min(second);
        }
        self.files.extend(files.map(|file| (own, file)));
    }

    /// Returns the groups of more than one file.
    pub(super) fn groups_of_several(&self) -> Vec<Vec<usize>> {
        let mut groups: HashMap<usize, Vec<usize>> = HashMap::new();
        for (group, file) in &self.files {
            groups.entry(self.root(*group)).or_default().push(*file);
        }
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.retain(|files| files.len() > 1);
        groups.sort();
        groups
    }

    /// Returns the group that a group now belongs to. A group is only ever joined with an earlier one.
    fn root(&self, mut group: usize) -> usize {
        while self.joined[group] < group {
            group = self.joined[group];
        }
        group
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Groups;

    #[test]
    fn groups_chains_with_common_name() {
        let mut groups = Groups::default();
        for (at, names) in [["a", "b"], ["c", "d"], ["e", "f"], ["d", "a"]]
            .iter()
            .enumerate()
        {
            groups.add(names.iter().map(Path::new), at..at + 1);
        }
        assert_eq!(groups.groups_of_several(), [[0, 1, 3]]);
        groups.add(["x", "y"].iter().map(Path::new), 4..6);
        assert_eq!(groups.groups_of_several(), [vec![0, 1, 3], vec![4, 5]]);
    }
}
