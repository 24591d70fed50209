//! A Pike VM: simulates all threads of the NFA in lockstep, byte by byte. It is slow but handles every pattern, and
//! can be stopped at any byte. Threads are kept in order of preference, so that the match is the one that the regex
//! engine would find.

use grep_matcher::Match;
use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::util::primitives::StateID;

use super::lazy_dfa::{SearchGoal, next_start};
use super::{StopCheck, Stopped};

/// The cost of one step of a thread, in bytes of text.
const THREAD_COST: usize = 16;

/// The threads before and after the current byte.
pub(super) struct PikeVm {
    current: StateList,
    next_states: StateList,
    /// NFA states still to be expanded, the preferred one on top.
    stack: Vec<StateID>,
}

/// Threads in order of preference: the NFA state, and where the match began.
struct StateList {
    threads: Vec<(StateID, usize)>,
    /// The generation in which a state was last added.
    added: Vec<u64>,
    generation: u64,
}

impl StateList {
    fn new(states: usize) -> Self {
        StateList {
            threads: Vec::new(),
            added: vec![0; states],
            generation: 1,
        }
    }

    fn clear(&mut self) {
        self.threads.clear();
        self.generation += 1;
    }

    fn is_new(&mut self, state: StateID) -> bool {
        std::mem::replace(&mut self.added[state.as_usize()], self.generation) != self.generation
    }
}

impl PikeVm {
    pub(super) fn new(nfa: &NFA) -> Self {
        let states = nfa.states().len();
        PikeVm {
            current: StateList::new(states),
            next_states: StateList::new(states),
            stack: Vec::new(),
        }
    }

    pub(super) fn find(
        &mut self,
        nfa: &NFA,
        prefilter: Option<&Prefilter>,
        haystack: &[u8],
        mut at: usize,
        wanted: SearchGoal,
        stop_check: &StopCheck<'_>,
    ) -> Result<Option<Match>, Stopped> {
        self.current.clear();
        let mut found = None;
        loop {
            if self.current.threads.is_empty() {
                if found.is_some() {
                    return Ok(found);
                }
                if let Some(prefilter) = prefilter {
                    match next_start(prefilter, haystack, at, stop_check)? {
                        Some(next) => at = next,
                        None => return Ok(None),
                    }
                }
            }
            if found.is_none() {
                let start = nfa.start_anchored();
                add_thread(
                    nfa,
                    &mut self.current,
                    &mut self.stack,
                    start,
                    at,
                    haystack,
                    at,
                );
            }
            stop_check.count(1 + self.current.threads.len() * THREAD_COST)?;
            self.next_states.clear();
            for &(state, start) in &self.current.threads {
                let next = match nfa.state(state) {
                    State::ByteRange { trans } => trans.matches(haystack, at).then_some(trans.next),
                    State::Sparse(sparse) => sparse.matches(haystack, at),
                    State::Dense(dense) => dense.matches(haystack, at),
                    State::Match { .. } => {
                        found = Some(Match::new(start, at));
                        // The remaining threads have lower preference.
                        break;
                    }
                    _ => None,
                };
                if let Some(next) = next {
                    add_thread(
                        nfa,
                        &mut self.next_states,
                        &mut self.stack,
                        next,
                        start,
                        haystack,
                        at + 1,
                    );
                }
            }
            if found.is_some() && wanted == SearchGoal::Any {
                return Ok(found);
            }
            std::mem::swap(&mut self.current, &mut self.next_states);
            if at >= haystack.len() {
                return Ok(found);
            }
            at += 1;
        }
    }
}

/// Adds a thread and all that it splits into before the next byte (the epsilon closure).
fn add_thread(
    nfa: &NFA,
    threads: &mut StateList,
    stack: &mut Vec<StateID>,
    state: StateID,
    start: usize,
    haystack: &[u8],
    at: usize,
) {
    stack.push(state);
    while let Some(state) = stack.pop() {
        if !threads.is_new(state) {
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
                threads.threads.push((state, start))
            }
        }
    }
}
