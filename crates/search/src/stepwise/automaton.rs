//! A pattern as a machine that is fed byte by byte, so that it can be stopped anywhere: a lazily built automaton forwards
//! for the end of a match and one backwards for its start, as the regex engine itself goes about it. Where they give up
//! (word boundaries beside other letters than ASCII, too many states) the slower `threads` take over.

use std::sync::OnceLock;

use grep_matcher::Match;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{self, NFA};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::{Anchored, Input, MatchKind, Span};
use regex_syntax::hir::Hir;

use super::threads::Threads;
use super::{Halted, Watch};

/// Bytes fed between two looks at whether to stop.
const STEP: usize = 1 << 14;
/// The same while states are being built, which can take a thousand times as long as using them: 0.2 ms for each of
/// `[a-z]{1,5000}b`.
const STEP_BUILDING: usize = 1 << 8;
/// What a byte of new states counts for: it takes about as long as looking at so many bytes of text.
const BUILT: usize = 8;
/// Memory for the states of one direction; more are forgotten and built again.
const STATES: usize = 2 << 20;
/// States forgotten so often are not worth building.
const MOST_FORGOTTEN: usize = 4;
/// Unless each was used for so many bytes.
const WORTH: usize = 64;

/// What is asked of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The leftmost match, as the regex engine finds it.
    Match,
    /// Whether there is any; its place is the end of the one that ends first.
    Any,
}

/// A pattern compiled for this.
#[derive(Debug)]
pub(crate) struct Plan {
    hir: Hir,
    most: usize,
    nfa: NFA,
    prefilter: Option<Prefilter>,
    forward: Option<DFA>,
    /// Compiled when the first match is found.
    backward: OnceLock<Option<DFA>>,
}

impl Plan {
    /// Compiles an expression, none where it takes more memory than it may.
    pub(crate) fn new(hir: Hir, most: usize) -> Option<Self> {
        let nfa = compile(&hir, most, Direction::Forward)?;
        let prefilter = Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, &hir);
        Some(Plan {
            forward: lazily(nfa.clone(), MatchKind::LeftmostFirst, prefilter.clone()),
            backward: OnceLock::new(),
            hir,
            most,
            nfa,
            prefilter,
        })
    }

    fn backward(&self) -> Option<&DFA> {
        let backward = self.backward.get_or_init(|| {
            let nfa = compile(&self.hir, self.most, Direction::Backward)?;
            lazily(nfa, MatchKind::All, None)
        });
        backward.as_ref()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

fn compile(hir: &Hir, most: usize, direction: Direction) -> Option<NFA> {
    let config = thompson::Config::new()
        .utf8(false)
        .reverse(direction == Direction::Backward)
        .nfa_size_limit(Some(most))
        .which_captures(thompson::WhichCaptures::None);
    thompson::Compiler::new()
        .configure(config)
        .build_from_hir(hir)
        .ok()
}

fn lazily(nfa: NFA, kind: MatchKind, prefilter: Option<Prefilter>) -> Option<DFA> {
    let config = Config::new()
        .match_kind(kind)
        .unicode_word_boundary(true)
        .specialize_start_states(prefilter.is_some())
        .prefilter(prefilter)
        .cache_capacity(STATES)
        .skip_cache_capacity_check(true)
        .minimum_cache_clear_count(Some(MOST_FORGOTTEN))
        .minimum_bytes_per_state(Some(WORTH));
    DFA::builder().configure(config).build_from_nfa(nfa).ok()
}

/// Why an automaton has no answer.
enum Failure {
    Halted,
    GaveUp,
}

impl From<Halted> for Failure {
    fn from(Halted: Halted) -> Self {
        Failure::Halted
    }
}

/// A plan with the memory to carry it out.
pub(super) struct Engine<'p> {
    plan: &'p Plan,
    by: By,
    forward: Option<Cache>,
    backward: Option<Cache>,
    threads: Option<Threads>,
}

/// What is fed with the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// Automata, and where they give up threads.
    States,
    /// Threads alone.
    #[cfg(test)]
    Threads,
}

impl<'p> Engine<'p> {
    pub(super) fn new(plan: &'p Plan, by: By) -> Self {
        Engine {
            plan,
            by,
            forward: None,
            backward: None,
            threads: None,
        }
    }

    pub(super) fn find(
        &mut self,
        haystack: &[u8],
        at: usize,
        wanted: Wanted,
        watch: &Watch<'_>,
    ) -> Result<Option<Match>, Halted> {
        if at > haystack.len() {
            return Ok(None);
        }
        if self.by == By::States {
            match self.find_by_states(haystack, at, wanted, watch) {
                Ok(found) => return Ok(found),
                Err(Failure::Halted) => return Err(Halted),
                Err(Failure::GaveUp) => {}
            }
        }
        let plan = self.plan;
        let threads = self.threads.get_or_insert_with(|| Threads::new(&plan.nfa));
        let prefilter = plan.prefilter.as_ref();
        threads.find(&plan.nfa, prefilter, haystack, at, wanted, watch)
    }

    fn find_by_states(
        &mut self,
        haystack: &[u8],
        at: usize,
        wanted: Wanted,
        watch: &Watch<'_>,
    ) -> Result<Option<Match>, Failure> {
        let plan = self.plan;
        let dfa = plan.forward.as_ref().ok_or(Failure::GaveUp)?;
        let cache = self.forward.get_or_insert_with(|| dfa.create_cache());
        let prefilter = plan.prefilter.as_ref();
        let Some(end) = find_end(dfa, cache, prefilter, haystack, at, wanted, watch)? else {
            return Ok(None);
        };
        if wanted == Wanted::Any {
            return Ok(Some(Match::new(end, end)));
        }
        let dfa = plan.backward().ok_or(Failure::GaveUp)?;
        let cache = self.backward.get_or_insert_with(|| dfa.create_cache());
        let start = find_start(dfa, cache, haystack, at..end, watch)?;
        Ok(Some(Match::new(start, end)))
    }
}

/// The first place from `at` on where a match may begin; none where nothing of what a match begins with is left.
pub(super) fn next_start(
    prefilter: &Prefilter,
    haystack: &[u8],
    mut at: usize,
    watch: &Watch<'_>,
) -> Result<Option<usize>, Halted> {
    while at < haystack.len() {
        let end = at.saturating_add(STEP);
        // One that begins in the step may end behind it.
        let looked = end
            .saturating_add(prefilter.max_needle_len())
            .min(haystack.len());
        if let Some(found) = prefilter.find(haystack, Span::from(at..looked)) {
            watch.pass(found.start - at)?;
            return Ok(Some(found.start));
        }
        watch.pass(looked - at)?;
        at = end;
    }
    Ok(None)
}

/// How much is being built, and how far to go until the next look.
struct Builds {
    memory: usize,
    step: usize,
}

impl Builds {
    fn of(cache: &Cache) -> Self {
        Builds {
            memory: cache.memory_usage(),
            step: STEP_BUILDING,
        }
    }

    /// What was built since this was last asked counts for, in bytes of text.
    fn since(&mut self, cache: &Cache) -> usize {
        let memory = cache.memory_usage();
        // Where all was forgotten in between, what is there now is new.
        let built = memory.checked_sub(self.memory).unwrap_or(memory);
        self.memory = memory;
        self.step = match built {
            0 => (self.step * 2).min(STEP),
            _ => STEP_BUILDING,
        };
        built * BUILT
    }
}

fn find_end(
    dfa: &DFA,
    cache: &mut Cache,
    prefilter: Option<&Prefilter>,
    haystack: &[u8],
    mut at: usize,
    wanted: Wanted,
    watch: &Watch<'_>,
) -> Result<Option<usize>, Failure> {
    let start = |cache: &mut Cache, at: usize| {
        let input = Input::new(haystack).range(at..);
        dfa.start_state_forward(cache, &input)
            .map_err(|_| Failure::GaveUp)
    };
    if let Some(prefilter) = prefilter {
        match next_start(prefilter, haystack, at, watch)? {
            Some(next) => at = next,
            None => return Ok(None),
        }
    }
    let mut state = start(cache, at)?;
    let mut last = None;
    let mut builds = Builds::of(cache);
    while at < haystack.len() {
        let end = at.saturating_add(builds.step).min(haystack.len());
        watch.pass(end - at + builds.since(cache))?;
        cache.search_start(at);
        while at < end {
            state = next(dfa, cache, state, haystack[at], at)?;
            if state.is_tagged() {
                if state.is_match() {
                    last = Some(at);
                    if wanted == Wanted::Any {
                        cache.search_finish(at);
                        return Ok(last);
                    }
                } else if state.is_dead() {
                    cache.search_finish(at);
                    return Ok(last);
                } else if state.is_quit() {
                    cache.search_finish(at);
                    return Err(Failure::GaveUp);
                } else if let Some(prefilter) = prefilter.filter(|_| state.is_start()) {
                    // Back where it began: to the next place where a match may begin.
                    match next_start(prefilter, haystack, at, watch)? {
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
        .map_err(|_| Failure::GaveUp)?;
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
    watch: &Watch<'_>,
) -> Result<usize, Failure> {
    let input = Input::new(haystack)
        .range(range.clone())
        .anchored(Anchored::Yes);
    let mut state = dfa
        .start_state_reverse(cache, &input)
        .map_err(|_| Failure::GaveUp)?;
    let mut found = None;
    let mut at = range.end;
    let mut builds = Builds::of(cache);
    while at > range.start {
        let end = at.saturating_sub(builds.step).max(range.start);
        watch.pass(at - end + builds.since(cache))?;
        cache.search_start(at);
        while at > end {
            state = next(dfa, cache, state, haystack[at - 1], at)?;
            if state.is_match() {
                found = Some(at);
            } else if state.is_dead() {
                cache.search_finish(at);
                return found.ok_or(Failure::GaveUp);
            } else if state.is_quit() {
                cache.search_finish(at);
                return Err(Failure::GaveUp);
            }
            at -= 1;
        }
        cache.search_finish(at);
    }
    // A match is told one byte late, and the byte before may decide about it.
    state = match range.start.checked_sub(1) {
        Some(before) => next(dfa, cache, state, haystack[before], before)?,
        None => dfa
            .next_eoi_state(cache, state)
            .map_err(|_| Failure::GaveUp)?,
    };
    if state.is_quit() {
        return Err(Failure::GaveUp);
    }
    if state.is_match() {
        found = Some(range.start);
    }
    found.ok_or(Failure::GaveUp)
}

#[inline]
fn next(
    dfa: &DFA,
    cache: &mut Cache,
    state: LazyStateID,
    byte: u8,
    at: usize,
) -> Result<LazyStateID, Failure> {
    dfa.next_state(cache, state, byte).map_err(|_| {
        cache.search_finish(at);
        Failure::GaveUp
    })
}
