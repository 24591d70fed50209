//! A walk down the tree that stops at a folder and goes on from there, for each of its entries.

use super::{NameKind, Place, States, Tree, Walk};

/// How far a tree's patterns are on the way to a folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stand {
    /// A pattern that covers the folder with all that is in it.
    pub(crate) best: Option<u32>,
    states: Vec<u32>,
}

/// What names begin and end with that can lead on from some nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sieve {
    /// Some name may that is not told so.
    open: bool,
    firsts: Bytes,
    lasts: Bytes,
}

impl Sieve {
    /// Adds what leads on from where a tree's patterns stand.
    pub(crate) fn add(&mut self, tree: &Tree, stand: &Stand) {
        for &state in &stand.states {
            let node = &tree.nodes[state as usize];
            self.open |= !node.globs.is_empty();
            self.firsts.join(node.firsts);
            self.lasts.join(node.lasts);
        }
    }

    /// Whether a name can lead on.
    pub(crate) fn takes(&self, name: &str) -> bool {
        let (first, last) = (name.as_bytes().first(), name.as_bytes().last());
        self.open
            || first.is_some_and(|first| self.firsts.has(*first))
            || last.is_some_and(|last| self.lasts.has(*last))
    }
}

impl Tree {
    /// How far the patterns are on the way to a folder.
    pub(crate) fn stand(&self, folder: &str) -> Stand {
        let mut walk = Walk {
            nodes: &self.nodes,
            best: None,
        };
        let mut active = States::default();
        walk.offer(self.nodes[0].ends.inside);
        walk.enter(0, Place::Start, &mut active);
        for name in folder.split('/').filter(|name| !name.is_empty()) {
            if active.length == 0 {
                break;
            }
            let mut next = States::default();
            for state in active.iter() {
                walk.step(state, name, Place::Between, &mut next);
            }
            next.settle();
            active = next;
        }
        Stand {
            best: walk.best,
            states: active.iter().collect(),
        }
    }

    /// How far they are at a folder of the folder that a stand is at.
    pub(crate) fn stand_from(&self, stand: &Stand, name: &str) -> Stand {
        let mut walk = Walk {
            nodes: &self.nodes,
            best: stand.best,
        };
        let mut next = States::default();
        for &state in &stand.states {
            walk.step(state, name, Place::Between, &mut next);
        }
        next.settle();
        Stand {
            best: walk.best,
            states: next.iter().collect(),
        }
    }

    /// The first pattern that matches an entry of the folder that a stand is at.
    pub(crate) fn find_from(&self, stand: &Stand, name: &str, kind: NameKind) -> Option<u32> {
        let mut walk = Walk {
            nodes: &self.nodes,
            best: stand.best,
        };
        let place = match kind {
            NameKind::Folder => Place::LastFolder,
            NameKind::File => Place::Last,
        };
        for &state in &stand.states {
            if self.nodes[state as usize].takes(name) {
                walk.step(state, name, place, &mut States::default());
            }
        }
        walk.best
    }
}

/// Some bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bytes([u64; 4]);

impl Bytes {
    pub(super) fn add(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    fn join(&mut self, other: Bytes) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own |= other;
        }
    }

    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }
}
