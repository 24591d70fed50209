//! Many patterns as one trie of names, matched like a nondeterministic automaton: a path is compared with all patterns
//! in one pass, whatever their number. Usually without an allocation.

mod prefix;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::fold::{self, FoldStrength};
use crate::glob::NameGlob;
use crate::pattern::{PatternPart, PatternTail};

use prefix::ByteSet;
pub(crate) use prefix::{NameFilter, PrefixMatch};

/// Whether a path is a folder, which patterns like `x/` depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// The path is a file, or does not exist.
    File,
    /// The path is a folder.
    Folder,
}

type Names = HashMap<Box<str>, u32, BuildHasherDefault<Fnv1a>>;

/// Patterns with a common starting point, each with a number.
#[derive(Debug)]
pub(crate) struct PatternTree {
    nodes: Vec<TreeNode>,
    strength: FoldStrength,
}

#[derive(Debug, Default)]
struct TreeNode {
    literals: Names,
    /// Patterns `*.ext`, by their text after the last dot.
    endings: Names,
    /// Other names with wildcards, by their first byte; those that begin with a wildcard are in `globs`.
    starts: HashMap<u8, Vec<(NameGlob, u32)>, BuildHasherDefault<Fnv1a>>,
    globs: Vec<(NameGlob, u32)>,
    /// The first bytes of `literals` and `starts`; `lasts` has the last bytes of `endings`.
    firsts: ByteSet,
    lasts: ByteSet,
    /// The child for `**`.
    deeper: Option<u32>,
    /// Whether this node is the child for `**`, which stays active for every further name.
    stays: bool,
    ends: PatternEnds,
}

/// The lowest number of the patterns that end at a node, for each kind of end.
#[derive(Clone, Copy, Debug, Default)]
struct PatternEnds {
    whole: Option<u32>,
    folder: Option<u32>,
    inside: Option<u32>,
}

impl PatternTree {
    pub(crate) fn new(strength: FoldStrength) -> PatternTree {
        PatternTree {
            nodes: vec![TreeNode::default()],
            strength,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.len() == 1 && self.nodes[0].ends.inside.is_none()
    }

    /// Adds a pattern. Of several that match, [`PatternTree::find`] returns the lowest number.
    pub(crate) fn add<'n>(
        &mut self,
        parts: impl Iterator<Item = &'n PatternPart>,
        tail: PatternTail,
        number: u32,
    ) {
        let mut at = 0;
        for part in parts {
            at = self.add_child(at, part);
        }
        let ends = &mut self.nodes[at].ends;
        let end = match tail {
            PatternTail::Whole => &mut ends.whole,
            PatternTail::Folder => &mut ends.folder,
            PatternTail::Inside => &mut ends.inside,
        };
        *end = Some(end.map_or(number, |known| known.min(number)));
    }

    fn add_child(&mut self, at: usize, part: &PatternPart) -> usize {
        let next = self.nodes.len() as u32;
        let strength = self.strength;
        let node = &mut self.nodes[at];
        let child = match part {
            PatternPart::AnyDepth => *node.deeper.get_or_insert(next),
            PatternPart::Literal(name) => {
                let name = fold::fold_name(name, strength).into_boxed_str();
                name.bytes()
                    .next()
                    .iter()
                    .for_each(|byte| node.firsts.add(*byte));
                *node.literals.entry(name).or_insert(next)
            }
            PatternPart::Wild(pieces) => {
                let glob = NameGlob::new(pieces, strength);
                let ending = glob
                    .suffix()
                    .and_then(|suffix| suffix.strip_prefix('.'))
                    .filter(|ending| !ending.contains('.'));
                match ending {
                    Some(ending) => {
                        // The pattern `*.` has no text after the dot.
                        node.lasts.add(ending.bytes().last().unwrap_or(b'.'));
                        *node.endings.entry(ending.into()).or_insert(next)
                    }
                    None => {
                        let group = match glob.first_byte() {
                            Some(byte) => {
                                node.firsts.add(byte);
                                node.starts.entry(byte).or_default()
                            }
                            None => &mut node.globs,
                        };
                        group.push((glob, next));
                        next
                    }
                }
            }
        };
        if child == next {
            self.nodes.push(TreeNode {
                stays: *part == PatternPart::AnyDepth,
                ..TreeNode::default()
            });
        }
        child as usize
    }

    /// Returns the lowest number of the patterns that match a path, given as names separated by `/` from the starting
    /// point on.
    pub(crate) fn find(&self, path: &str, kind: NameKind) -> Option<u32> {
        let mut names = path.split('/').filter(|name| !name.is_empty()).peekable();
        let mut matcher = TreeMatcher {
            nodes: &self.nodes,
            best: None,
        };
        let mut active = ActiveStates::default();
        if names.peek().is_some() {
            matcher.offer_number(self.nodes[0].ends.inside);
        }
        matcher.enter_node(0, NamePosition::Start, &mut active);
        while let Some(name) = names.next() {
            if active.length == 0 {
                break;
            }
            let place = match (names.peek(), kind) {
                (Some(_), _) => NamePosition::Between,
                (None, NameKind::Folder) => NamePosition::LastFolder,
                (None, NameKind::File) => NamePosition::Last,
            };
            let mut next = ActiveStates::default();
            for state in active.iter() {
                matcher.match_step(state, name, place, &mut next);
            }
            next.deduplicate();
            active = next;
        }
        matcher.best
    }
}

impl TreeNode {
    /// Returns whether some child may match a name, judged by its first and last byte; almost no name passes.
    fn may_match_child(&self, name: &str) -> bool {
        let (first, last) = (name.as_bytes().first(), name.as_bytes().last());
        !self.globs.is_empty()
            || first.is_some_and(|first| self.firsts.contains(*first))
            || last.is_some_and(|last| self.lasts.contains(*last))
    }
}

/// The position of a name in the path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamePosition {
    Start,
    Between,
    Last,
    LastFolder,
}

/// One match of a path against all patterns of a tree.
struct TreeMatcher<'t> {
    nodes: &'t [TreeNode],
    best: Option<u32>,
}

impl TreeMatcher<'_> {
    fn offer_number(&mut self, number: Option<u32>) {
        if let Some(number) = number {
            self.best = Some(self.best.map_or(number, |best| best.min(number)));
        }
    }

    /// Enters a node: the patterns that end there match, and its `**` child becomes active, since `**` can match
    /// nothing.
    fn enter_node(&mut self, state: u32, place: NamePosition, active: &mut ActiveStates) {
        let nodes = self.nodes;
        let mut state = state;
        loop {
            let node = &nodes[state as usize];
            if place != NamePosition::Start {
                self.offer_number(node.ends.whole);
                if matches!(place, NamePosition::Between | NamePosition::LastFolder) {
                    self.offer_number(node.ends.folder);
                }
                if place == NamePosition::Between {
                    self.offer_number(node.ends.inside);
                }
            }
            active.push(state);
            match node.deeper {
                Some(deeper) => state = deeper,
                None => return,
            }
        }
    }

    fn match_step(&mut self, state: u32, name: &str, place: NamePosition, next: &mut ActiveStates) {
        let nodes = self.nodes;
        let node = &nodes[state as usize];
        if node.stays {
            next.push(state);
        }
        if !node.may_match_child(name) {
            return;
        }
        if let Some(child) = node.literals.get(name) {
            self.enter_node(*child, place, next);
        }
        if !node.endings.is_empty()
            && let Some((_, ending)) = name.rsplit_once('.')
            && let Some(child) = node.endings.get(ending)
        {
            self.enter_node(*child, place, next);
        }
        let start = name.as_bytes().first();
        let starts = start.and_then(|byte| node.starts.get(byte));
        for (glob, child) in starts.into_iter().flatten().chain(&node.globs) {
            if glob.matches(name) {
                self.enter_node(*child, place, next);
            }
        }
    }
}

/// The active nodes.
#[derive(Default)]
struct ActiveStates {
    few: [u32; 24],
    length: usize,
    more: Vec<u32>,
}

impl ActiveStates {
    fn push(&mut self, state: u32) {
        if self.length < self.few.len() {
            if !self.few[..self.length].contains(&state) {
                self.few[self.length] = state;
                self.length += 1;
            }
        } else {
            self.more.push(state);
        }
    }

    /// Removes duplicates, so that the number of states is bounded by the number of nodes.
    fn deduplicate(&mut self) {
        if !self.more.is_empty() {
            let few = &self.few[..self.length];
            self.more.retain(|state| !few.contains(state));
            self.more.sort_unstable();
            self.more.dedup();
        }
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.few[..self.length].iter().chain(&self.more).copied()
    }
}

/// The hash function FNV-1a, fast for short names. Collisions are no attack, since only the user writes rules.
pub(crate) struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Fnv1a(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv1a {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
