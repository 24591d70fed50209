//! Searches with lazily built DFAs that are fed byte by byte and can be stopped anywhere: forward for the end of a
//! match, in reverse for its start, as the regex engine itself does. Where a DFA gives up (Unicode word boundaries next
//! to non-ASCII text, too many states) the slower Pike VM takes over.

use std::sync::OnceLock;

use grep_matcher::Match;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{self, NFA};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::{Anchored, Input, MatchKind, Span};
use regex_syntax::hir::Hir;

use super::pike_vm::PikeVm;
use super::{StopCheck, Stopped};

/// Bytes between two checks of [`StopCheck`].
const BYTES_BETWEEN_CHECKS: usize = 1 << 14;
/// Bytes between two checks while states are being built, which can take a thousand times as long as using them: 0.2
/// ms for each state of `[a-z]{1,5000}b`.
const BYTES_BETWEEN_CHECKS_WHILE_BUILDING: usize = 1 << 8;
/// The cost of building one byte of states, in bytes of text.
const STATE_BUILD_COST: usize = 8;
/// The state cache of one direction; a full cache is cleared.
const CACHE_BYTES: usize = 2 << 20;
/// The number of times the cache may be cleared before the DFA gives up, unless states serve for [`BYTES_PER_STATE`].
const CACHE_CLEARS: usize = 4;
/// The number of bytes of text each state must have served for the DFA to continue after [`CACHE_CLEARS`].
const BYTES_PER_STATE: usize = 64;

/// The goal of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchGoal {
    /// The leftmost-first match.
    Match,
    /// Whether any match exists; the result is the end of the match that ends first.
    Any,
}

/// The automata of a pattern, shared by all threads.
#[derive(Debug)]
pub(crate) struct CompiledAutomata {
    hir: Hir,
    most: usize,
    nfa: NFA,
    prefilter: Option<Prefilter>,
    forward: Option<DFA>,
    /// The reverse DFA, compiled when the first match is found.
    backward: OnceLock<Option<DFA>>,
}

impl CompiledAutomata {
    /// Compiles an expression; `None` where it exceeds `most` bytes.
    pub(crate) fn new(hir: Hir, most: usize) -> Option<Self> {
        let nfa = compile_nfa(&hir, most, ScanDirection::Forward)?;
        let prefilter = Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, &hir);
        Some(CompiledAutomata {
            forward: build_lazy_dfa(nfa.clone(), MatchKind::LeftmostFirst, prefilter.clone()),
            backward: OnceLock::new(),
            hir,
            most,
            nfa,
            prefilter,
        })
    }

    fn backward_dfa(&self) -> Option<&DFA> {
        let backward = self.backward.get_or_init(|| {
            let nfa = compile_nfa(&self.hir, self.most, ScanDirection::Backward)?;
            build_lazy_dfa(nfa, MatchKind::All, None)
        });
        backward.as_ref()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScanDirection {
    Forward,
    Backward,
}

fn compile_nfa(hir: &Hir, most: usize, direction: ScanDirection) -> Option<NFA> {
    let config = thompson::Config::new()
        .utf8(false)
        .reverse(direction == ScanDirection::Backward)
        .nfa_size_limit(Some(most))
        .which_captures(thompson::WhichCaptures::None);
    thompson::Compiler::new()
        .configure(config)
        .build_from_hir(hir)
        .ok()
}

fn build_lazy_dfa(nfa: NFA, kind: MatchKind, prefilter: Option<Prefilter>) -> Option<DFA> {
    let config = Config::new()
        .match_kind(kind)
        .unicode_word_boundary(true)
        .specialize_start_states(prefilter.is_some())
        .prefilter(prefilter)
        .cache_capacity(CACHE_BYTES)
        .skip_cache_capacity_check(true)
        .minimum_cache_clear_count(Some(CACHE_CLEARS))
        .minimum_bytes_per_state(Some(BYTES_PER_STATE));
    DFA::builder().configure(config).build_from_nfa(nfa).ok()
}

/// Why a DFA search has no answer.
enum SearchAborted {
    Stopped,
    GaveUp,
}

impl From<Stopped> for SearchAborted {
    fn from(Stopped: Stopped) -> Self {
        SearchAborted::Stopped
    }
}

/// The engines of a pattern with the caches of one thread.
pub(super) struct SearchEngine<'p> {
    automata: &'p CompiledAutomata,
    kind: EngineKind,
    forward: Option<Cache>,
    backward: Option<Cache>,
    pike_vm: Option<PikeVm>,
}

/// The engines to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EngineKind {
    /// The lazy DFAs, and the Pike VM where they give up.
    LazyDfa,
    /// The Pike VM only.
    #[cfg(test)]
    PikeVm,
}

impl<'p> SearchEngine<'p> {
    pub(super) fn new(automata: &'p CompiledAutomata, kind: EngineKind) -> Self {
        SearchEngine {
            automata,
            kind,
            forward: None,
            backward: None,
            pike_vm: None,
        }
    }

    pub(super) fn find(
        &mut self,
        haystack: &[u8],
        at: usize,
        wanted: SearchGoal,
        stop_check: &StopCheck<'_>,
    ) -> Result<Option<Match>, Stopped> {
        if at > haystack.len() {
            return Ok(None);
        }
        if self.kind == EngineKind::LazyDfa {
            match self.find_with_dfa(haystack, at, wanted, stop_check) {
                Ok(found) => return Ok(found),
                Err(SearchAborted::Stopped) => return Err(Stopped),
                Err(SearchAborted::GaveUp) => {}
            }
        }
        let automata = self.automata;
        let pike_vm = self
            .pike_vm
            .get_or_insert_with(|| PikeVm::new(&automata.nfa));
        let prefilter = automata.prefilter.as_ref();
        pike_vm.find(&automata.nfa, prefilter, haystack, at, wanted, stop_check)
    }

    fn find_with_dfa(
        &mut self,
        haystack: &[u8],
        at: usize,
        wanted: SearchGoal,
        stop_check: &StopCheck<'_>,
    ) -> Result<Option<Match>, SearchAborted> {
        let automata = self.automata;
        let dfa = automata.forward.as_ref().ok_or(SearchAborted::GaveUp)?;
        let cache = self.forward.get_or_insert_with(|| dfa.create_cache());
        let prefilter = automata.prefilter.as_ref();
        let Some(end) = find_end(dfa, cache, prefilter, haystack, at, wanted, stop_check)? else {
            return Ok(None);
        };
        if wanted == SearchGoal::Any {
            return Ok(Some(Match::new(end, end)));
        }
        let dfa = automata.backward_dfa().ok_or(SearchAborted::GaveUp)?;
        let cache = self.backward.get_or_insert_with(|| dfa.create_cache());
        let start = find_start(dfa, cache, haystack, at..end, stop_check)?;
        Ok(Some(Match::new(start, end)))
    }
}

/// Finds the first offset from `at` on where a match may begin; `None` where the rest contains no prefix of a match.
pub(super) fn next_start(
    prefilter: &Prefilter,
    haystack: &[u8],
    mut at: usize,
    stop_check: &StopCheck<'_>,
) -> Result<Option<usize>, Stopped> {
    while at < haystack.len() {
        let end = at.saturating_add(BYTES_BETWEEN_CHECKS);
        // A match that begins in the step may end after it.
        let looked = end
            .saturating_add(prefilter.max_needle_len())
            .min(haystack.len());
        if let Some(found) = prefilter.find(haystack, Span::from(at..looked)) {
            stop_check.count(found.start - at)?;
            return Ok(Some(found.start));
        }
        stop_check.count(looked - at)?;
        at = end;
    }
    Ok(None)
}

/// Watches how fast the state cache grows and adapts the step to it.
struct StateBuildCost {
    memory: usize,
    step: usize,
}

impl StateBuildCost {
    fn new(cache: &Cache) -> Self {
        StateBuildCost {
            memory: cache.memory_usage(),
            step: BYTES_BETWEEN_CHECKS_WHILE_BUILDING,
        }
    }

    /// Returns the cost, in bytes of text, of the states built since the last call.
    fn cost_since_last_call(&mut self, cache: &Cache) -> usize {
        let memory = cache.memory_usage();
        // After a cache clear everything in it is new.
        let built = memory.checked_sub(self.memory).unwrap_or(memory);
        self.memory = memory;
        self.step = match built {
            0 => (self.step * 2).min(BYTES_BETWEEN_CHECKS),
            _ => BYTES_BETWEEN_CHECKS_WHILE_BUILDING,
        };
        built * STATE_BUILD_COST
    }
}

fn find_end(
    dfa: &DFA,
    cache: &mut Cache,
    prefilter: Option<&Prefilter>,
    haystack: &[u8],
    mut at: usize,
    wanted: SearchGoal,
    stop_check: &StopCheck<'_>,
) -> Result<Option<usize>, SearchAborted> {
    let start = |cache: &mut Cache, at: usize| {
        let input = Input::new(haystack).range(at..);
        dfa.start_state_forward(cache, &input)
            .map_err(|_| SearchAborted::GaveUp)
    };
    if let Some(prefilter) = prefilter {
        match next_start(prefilter, haystack, at, stop_check)? {
            Some(next) => at = next,
            None => return Ok(None),
        }
    }
    let mut state = start(cache, at)?;
    let mut last = None;
    let mut builds = StateBuildCost::new(cache);
    while at < haystack.len() {
        let end = at.saturating_add(builds.step).min(haystack.len());
        stop_check.count(end - at + builds.cost_since_last_call(cache))?;
        cache.search_start(at);
        while at < end {
            state = next_state(dfa, cache, state, haystack[at], at)?;
            if state.is_tagged() {
                if state.is_match() {
                    last = Some(at);
                    if wanted == SearchGoal::Any {
                        cache.search_finish(at);
                        return Ok(last);
                    }
                } else if state.is_dead() {
                    cache.search_finish(at);
                    return Ok(last);
                } else if state.is_quit() {
                    cache.search_finish(at);
                    return Err(SearchAborted::GaveUp);
                } else if let Some(prefilter) = prefilter.filter(|_| state.is_start()) {
                    // The DFA is back in its start state: skip to the next candidate.
                    match next_start(prefilter, haystack, at, stop_check)? {
                        Some(next) if next > at => {
                            cache.search_update(next);
                            at = next;
                            state = start(cache, at)?;
                            continue;
                        }
                        Some(_) => {}
                        None => {
                            cache.search_finish(at);
                            return Ok(last);
                        }
                    }
                }
            }
            at += 1;
        }
        cache.search_finish(at);
    }
    state = dfa
        .next_eoi_state(cache, state)
        .map_err(|_| SearchAborted::GaveUp)?;
    if state.is_match() {
        last = Some(haystack.len());
    }
    Ok(last)
}

fn find_start(
    dfa: &DFA,
    cache: &mut Cache,
    haystack: &[u8],
    range: std::ops::Range<usize>,
    stop_check: &StopCheck<'_>,
) -> Result<usize, SearchAborted> {
    let input = Input::new(haystack)
        .range(range.clone())
        .anchored(Anchored::Yes);
    let mut state = dfa
        .start_state_reverse(cache, &input)
        .map_err(|_| SearchAborted::GaveUp)?;
    let mut found = None;
    let mut at = range.end;
    let mut builds = StateBuildCost::new(cache);
    while at > range.start {
        let end = at.saturating_sub(builds.step).max(range.start);
        stop_check.count(at - end + builds.cost_since_last_call(cache))?;
        cache.search_start(at);
        while at > end {
            state = next_state(dfa, cache, state, haystack[at - 1], at)?;
            if state.is_match() {
                found = Some(at);
            } else if state.is_dead() {
                cache.search_finish(at);
                return found.ok_or(SearchAborted::GaveUp);
            } else if state.is_quit() {
                cache.search_finish(at);
                return Err(SearchAborted::GaveUp);
            }
            at -= 1;
        }
        cache.search_finish(at);
    }
    // A DFA reports a match one byte late, and the byte before the range may decide about it.
    state = match range.start.checked_sub(1) {
        Some(before) => next_state(dfa, cache, state, haystack[before], before)?,
        None => dfa
            .next_eoi_state(cache, state)
            .map_err(|_| SearchAborted::GaveUp)?,
    };
    if state.is_quit() {
        return Err(SearchAborted::GaveUp);
    }
    if state.is_match() {
        found = Some(range.start);
    }
    found.ok_or(SearchAborted::GaveUp)
}

#[inline]
fn next_state(
    dfa: &DFA,
    cache: &mut Cache,
    state: LazyStateID,
    byte: u8,
    at: usize,
) -> Result<LazyStateID, SearchAborted> {
    dfa.next_state(cache, state, byte).map_err(|_| {
        cache.search_finish(at);
        SearchAborted::GaveUp
    })
}
