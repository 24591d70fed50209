//! A pattern followed along all its ways at once, byte by byte: slow, but for every pattern, and it can be stopped anywhere.
//! The way that the regex engine would prefer is always the first.

use grep_matcher::Match;
use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::util::primitives::StateID;

use super::automaton::{Wanted, next_start};
use super::{Halted, Watch};

/// What a step of a way counts for: it takes about as long as looking at so many bytes.
const WEIGHT: usize = 16;

/// The ways that are being followed.
pub(super) struct Threads {
    here: Ways,
    there: Ways,
    /// States still to be looked at, the preferred on top.
    stack: Vec<StateID>,
}

/// Ways in the order in which they are preferred: the state that each has come to, and where it began.
struct Ways {
    ways: Vec<(StateID, usize)>,
    /// The round in which a state was last added.
    added: Vec<u64>,
    round: u64,
}

impl Ways {
    fn new(states: usize) -> Self {
        Ways {
            ways: Vec::new(),
            added: vec![0; states],
            round: 1,
        }
    }

    fn clear(&mut self) {
        self.ways.clear();
        self.round += 1;
    }

    fn is_new(&mut self, state: StateID) -> bool {
        std::mem::replace(&mut self.added[state.as_usize()], self.round) != self.round
    }
}

impl Threads {
    pub(super) fn new(nfa: &NFA) -> Self {
        let states = nfa.states().len();
        Threads {
            here: Ways::new(states),
            there: Ways::new(states),
            stack: Vec::new(),
        }
    }

    pub(super) fn find(
        &mut self,
        nfa: &NFA,
        prefilter: Option<&Prefilter>,
        haystack: &[u8],
        mut at: usize,
        wanted: Wanted,
        watch: &Watch<'_>,
    ) -> Result<Option<Match>, Halted> {
        self.here.clear();
        let mut found = None;
        loop {
            if self.here.ways.is_empty() {
                if found.is_some() {
                    return Ok(found);
                }
                if let Some(prefilter) = prefilter {
                    match next_start(prefilter, haystack, at, watch)? {
                        Some(next) => at = next,
                        None => return Ok(None),
                    }
                }
            }
            if found.is_none() {
                let start = nfa.start_anchored();
                follow(
                    nfa,
                    &mut self.here,
                    &mut self.stack,
                    start,
                    at,
                    haystack,
                    at,
                );
            }
            watch.pass(1 + self.here.ways.len() * WEIGHT)?;
            self.there.clear();
            for &(state, began) in &self.here.ways {
                let next = match nfa.state(state) {
                    State::ByteRange { trans } => trans.matches(haystack, at).then_some(trans.next),
                    State::Sparse(sparse) => sparse.matches(haystack, at),
                    State::Dense(dense) => dense.matches(haystack, at),
                    State::Match { .. } => {
                        found = Some(Match::new(began, at));
                        // The ways after this one would be preferred less.
                        break;
                    }
                    _ => None,
                };
                if let Some(next) = next {
                    follow(
                        nfa,
                        &mut self.there,
                        &mut self.stack,
                        next,
                        began,
                        haystack,
                        at + 1,
                    );
                }
            }
            if found.is_some() && wanted == Wanted::Any {
                return Ok(found);
            }
            std::mem::swap(&mut self.here, &mut self.there);
            if at >= haystack.len() {
                return Ok(found);
            }
            at += 1;
        }
    }
}

/// Adds a way, and all that it splits into before the next byte.
fn follow(
    nfa: &NFA,
    ways: &mut Ways,
    stack: &mut Vec<StateID>,
    state: StateID,
    began: usize,
    haystack: &[u8],
    at: usize,
) {
    stack.push(state);
    while let Some(state) = stack.pop() {
        if !ways.is_new(state) {
            continue;
        }
        match nfa.state(state) {
            State::Look { look, next } => {
                if nfa.look_matcher().matches(*look, haystack, at) {
                    stack.push(*next);
                }
            }
            State::Union { alternates } => stack.extend(alternates.iter().rev()),
            State::BinaryUnion { alt1, alt2 } => stack.extend([*alt2, *alt1]),
            State::Capture { next, .. } => stack.push(*next),
            State::Fail => {}
            State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) | State::Match { .. } => {
                ways.ways.push((state, began))
            }
        }
    }
}
