//! A match that stops at a folder and continues from there for each of its entries.

use super::{ActiveStates, NameKind, NamePosition, PatternTree, TreeMatcher};

/// The state of a match after the names of a folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrefixMatch {
    /// The lowest number of the patterns that cover the folder with everything in it.
    pub(crate) best: Option<u32>,
    states: Vec<u32>,
}

/// The first and last bytes of names that some active node may match.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NameFilter {
    /// Whether some node has a pattern that begins with a wildcard, so that every name may match.
    open: bool,
    firsts: ByteSet,
    lasts: ByteSet,
}

impl NameFilter {
    /// Adds the bytes that the active nodes of a tree may match.
    pub(crate) fn add(&mut self, tree: &PatternTree, folder: &PrefixMatch) {
        for &state in &folder.states {
            let node = &tree.nodes[state as usize];
            self.open |= !node.globs.is_empty();
            self.firsts.union_with(node.firsts);
            self.lasts.union_with(node.lasts);
        }
    }

    /// Returns whether some active node may match a name.
    pub(crate) fn may_match(&self, name: &str) -> bool {
        let (first, last) = (name.as_bytes().first(), name.as_bytes().last());
        self.open
            || first.is_some_and(|first| self.firsts.contains(*first))
            || last.is_some_and(|last| self.lasts.contains(*last))
    }
}

impl PatternTree {
    /// Matches the names of a folder.
    pub(crate) fn match_prefix(&self, folder: &str) -> PrefixMatch {
        let mut matcher = TreeMatcher {
            nodes: &self.nodes,
            best: None,
        };
        let mut active = ActiveStates::default();
        matcher.offer_number(self.nodes[0].ends.inside);
        matcher.enter_node(0, NamePosition::Start, &mut active);
        for name in folder.split('/').filter(|name| !name.is_empty()) {
            if active.length == 0 {
                break;
            }
            let mut next = ActiveStates::default();
            for state in active.iter() {
                matcher.match_step(state, name, NamePosition::Between, &mut next);
            }
            next.deduplicate();
            active = next;
        }
        PrefixMatch {
            best: matcher.best,
            states: active.iter().collect(),
        }
    }

    /// Continues the match of a folder with the name of a folder in it.
    pub(crate) fn advance(&self, folder: &PrefixMatch, name: &str) -> PrefixMatch {
        let mut matcher = TreeMatcher {
            nodes: &self.nodes,
            best: folder.best,
        };
        let mut next = ActiveStates::default();
        for &state in &folder.states {
            matcher.match_step(state, name, NamePosition::Between, &mut next);
        }
        next.deduplicate();
        PrefixMatch {
            best: matcher.best,
            states: next.iter().collect(),
        }
    }

    /// Returns the lowest number of the patterns that match an entry of the folder.
    pub(crate) fn find_from(
        &self,
        folder: &PrefixMatch,
        name: &str,
        kind: NameKind,
    ) -> Option<u32> {
        let mut matcher = TreeMatcher {
            nodes: &self.nodes,
            best: folder.best,
        };
        let place = match kind {
            NameKind::Folder => NamePosition::LastFolder,
            NameKind::File => NamePosition::Last,
        };
        for &state in &folder.states {
            if self.nodes[state as usize].may_match_child(name) {
                matcher.match_step(state, name, place, &mut ActiveStates::default());
            }
        }
        matcher.best
    }
}

/// A set of bytes, as a bitmap.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(super) fn add(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    fn union_with(&mut self, other: ByteSet) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own |= other;
        }
    }

    pub(super) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }
}
