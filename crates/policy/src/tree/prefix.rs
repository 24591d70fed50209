//! A match that stops at a folder and continues from there for each of its entries.

use super::{Matcher, NameKind, Position, States, Tree};

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
    pub(crate) fn add(&mut self, tree: &Tree, folder: &PrefixMatch) {
        for &state in &folder.states {
            let node = &tree.nodes[state as usize];
            self.open |= !node.globs.is_empty();
            self.firsts.join(node.firsts);
            self.lasts.join(node.lasts);
        }
    }

    /// Returns whether some active node may match a name.
    pub(crate) fn takes(&self, name: &str) -> bool {
        let (first, last) = (name.as_bytes().first(), name.as_bytes().last());
        self.open
            || first.is_some_and(|first| self.firsts.has(*first))
            || last.is_some_and(|last| self.lasts.has(*last))
    }
}

impl Tree {
    /// Matches the names of a folder.
    pub(crate) fn match_prefix(&self, folder: &str) -> PrefixMatch {
        let mut matcher = Matcher {
            nodes: &self.nodes,
            best: None,
        };
        let mut active = States::default();
        matcher.offer(self.nodes[0].ends.inside);
        matcher.enter(0, Position::Start, &mut active);
        for name in folder.split('/').filter(|name| !name.is_empty()) {
            if active.length == 0 {
                break;
            }
            let mut next = States::default();
            for state in active.iter() {
                matcher.step(state, name, Position::Between, &mut next);
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
        let mut matcher = Matcher {
            nodes: &self.nodes,
            best: folder.best,
        };
        let mut next = States::default();
        for &state in &folder.states {
            matcher.step(state, name, Position::Between, &mut next);
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
        let mut matcher = Matcher {
            nodes: &self.nodes,
            best: folder.best,
        };
        let place = match kind {
            NameKind::Folder => Position::LastFolder,
            NameKind::File => Position::Last,
        };
        for &state in &folder.states {
            if self.nodes[state as usize].takes(name) {
                matcher.step(state, name, place, &mut States::default());
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

    fn join(&mut self, other: ByteSet) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own |= other;
        }
    }

    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }
}
