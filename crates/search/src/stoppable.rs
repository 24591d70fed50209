//! A matcher that can be stopped in the middle of a text. ripgrep's matcher returns only when it has searched all it
//! was given, and `regex-automata` has no cancellation. Two symptoms justify this module. A stop was noticed only
//! between files and reads, so that one large file with a slow pattern ran to its end. And `[a-z]{1,5000}b` on 200 kB
//! overran a limit of 10 seconds by 2 seconds with a check every 16 KiB, since a byte takes 0.2 ms while states are
//! built. The text is therefore searched in steps. The matches are the same; a property test compares them with
//! ripgrep's own.
//!
//! How the text is split: a step should take at most [`MAX_UNCHECKED_TIME`] (4 ms). The cost of a byte is unknown and
//! differs a thousandfold between patterns, so it is estimated: it starts at [`INITIAL_NANOSECONDS_PER_BYTE`], is measured on every step
//! of at least [`MIN_MEASURED_BYTES`] bytes (a smaller one measures mostly the call), and each further measurement is averaged
//! with the estimate before. Step = time / cost per byte, within [`STEP_BYTES`] and at most the pattern's own worst-case
//! bound. For a pattern that matches within one line the text is split at line ends. Where a match may lie anywhere in
//! the text, or a line is longer than a step, the engines of this module (`lazy_dfa`, and `pike_vm` where that gives
//! up) run byte by byte. A pattern too large for these engines is the exception that cannot be stopped within such a
//! text. [`Stop`] is checked after the step that completes [`BYTES_BETWEEN_CHECKS`] bytes. Work that is not proportional to
//! bytes is counted as bytes: [`CALL_COST_BYTES`] for a call, and a share of the text ([`TEXT_PER_COUNTED_BYTE`]) for the
//! line ends that ripgrep's searcher looks for around each match.

mod lazy_dfa;
mod line_ends;
mod matching;
mod pike_vm;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::time::{Duration, Instant};

use grep_matcher::{Match, Matcher as _, NoError};
use grep_regex::RegexMatcher;

pub(crate) use lazy_dfa::CompiledAutomata;

use crate::gate::Stop;
use crate::pattern::{Pattern, TextAlphabet};
use lazy_dfa::{EngineKind, SearchEngine, SearchGoal};
use line_ends::{TextLineEnds, without_line_end};

/// The longest that the matcher should run without a check, by the estimate.
const MAX_UNCHECKED_TIME: Duration = Duration::from_millis(4);
/// The cost of a byte in nanoseconds before anything is measured.
const INITIAL_NANOSECONDS_PER_BYTE: f64 = 120.0;
/// The smallest and the largest step, unless the pattern's own bound is lower.
const STEP_BYTES: std::ops::RangeInclusive<usize> = 1 << 12..=1 << 23;
/// After this time the first measurement on a large text ends at the current match.
const CALIBRATION_TIME: Duration = Duration::from_millis(20);
/// A smaller step says nothing about the cost of a byte.
const MIN_MEASURED_BYTES: usize = 1 << 13;
/// After this many counted bytes [`Stop`] is checked.
const BYTES_BETWEEN_CHECKS: usize = 1 << 16;
/// The cost of a call, in bytes.
const CALL_COST_BYTES: usize = 64;
/// One byte is counted for this many bytes of text per call: ripgrep's searcher looks for the line ends around each
/// match.
const TEXT_PER_COUNTED_BYTE: usize = 512;

/// The search was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the search was stopped")
    }
}

impl From<Stopped> for std::io::Error {
    fn from(halted: Stopped) -> Self {
        std::io::Error::other(halted.to_string())
    }
}

/// Counts the work done and checks [`Stop`] at intervals.
pub(crate) struct StopCheck<'s> {
    stop: &'s dyn Stop,
    scanned: Cell<usize>,
    halted: Cell<bool>,
}

impl<'s> StopCheck<'s> {
    pub(crate) fn new(stop: &'s dyn Stop) -> Self {
        StopCheck {
            stop,
            scanned: Cell::new(0),
            halted: Cell::new(false),
        }
    }

    /// Counts searched bytes; fails where the search is to stop.
    pub(crate) fn count(&self, bytes: usize) -> Result<(), Stopped> {
        let passed = self.scanned.get() + bytes;
        if passed < BYTES_BETWEEN_CHECKS {
            self.scanned.set(passed);
            return Ok(());
        }
        self.scanned.set(0);
        if self.stop.should_stop() {
            self.halted.set(true);
            return Err(Stopped);
        }
        Ok(())
    }

    /// Returns whether the search was stopped since the last call.
    pub(crate) fn take_stopped(&self) -> bool {
        self.halted.replace(false)
    }
}

/// A pattern's matcher that can be stopped; one for each thread.
pub(crate) struct StoppableMatcher<'p> {
    pattern: &'p Pattern,
    /// The alphabet of the text of the present search.
    text: Cell<TextAlphabet>,
    /// The line ends of that text.
    ends: Cell<TextLineEnds>,
    spans_lines: bool,
    stop_check: StopCheck<'p>,
    /// The estimated cost of a byte in nanoseconds.
    pace: Cell<f64>,
    /// Whether the estimate is based on a measurement.
    measured: Cell<bool>,
    engine: RefCell<Option<SearchEngine<'p>>>,
}

impl<'p> StoppableMatcher<'p> {
    pub(crate) fn new(pattern: &'p Pattern, stop: &'p dyn Stop) -> Self {
        StoppableMatcher {
            pattern,
            text: Cell::new(TextAlphabet::Any),
            ends: Cell::new(TextLineEnds::Any),
            spans_lines: pattern.spans_lines(),
            stop_check: StopCheck::new(stop),
            pace: Cell::new(INITIAL_NANOSECONDS_PER_BYTE),
            measured: Cell::new(false),
            engine: RefCell::new(None),
        }
    }

    /// Returns whether a match of the pattern can span lines.
    pub(crate) fn spans_lines(&self) -> bool {
        self.spans_lines
    }

    /// Returns whether the search was stopped since the last call.
    pub(crate) fn take_stopped(&self) -> bool {
        self.stop_check.take_stopped()
    }

    /// Sets what the next text consists of, if nothing else is known of it; a text of ASCII may have a matcher that is
    /// compiled sooner.
    pub(crate) fn set_alphabet(&self, text: TextAlphabet) {
        self.set_text(text, TextLineEnds::Any);
    }

    /// Determines what the next text consists of, where that decides about the matcher.
    pub(crate) fn detect_alphabet(&self, text: &[u8]) {
        let alphabet = match self.pattern.differs_for_ascii() && text.is_ascii() {
            true => TextAlphabet::Ascii,
            false => TextAlphabet::Any,
        };
        let ends = match self.pattern.differs_for_crlf() {
            true => TextLineEnds::find(text),
            false => TextLineEnds::Any,
        };
        self.set_text(alphabet, ends);
    }

    fn set_text(&self, alphabet: TextAlphabet, ends: TextLineEnds) {
        self.text.set(alphabet);
        if self.ends.replace(ends) != ends && self.pattern.form_for_crlf_texts().is_some() {
            // The engine is that of the other form.
            self.engine.replace(None);
        }
    }

    /// Returns the pattern in the form for the present text.
    fn form(&self) -> &'p Pattern {
        let other = match self.ends.get() {
            TextLineEnds::Any => self.pattern.form_for_crlf_texts(),
            TextLineEnds::Lf => None,
        };
        other.unwrap_or(self.pattern)
    }

    /// Returns whether each line is matched alone, without its end.
    fn matches_each_line(&self) -> bool {
        self.ends.get() == TextLineEnds::Any && !self.spans_lines && self.pattern.differs_for_crlf()
    }

    /// Returns the part of a text in which matches from `at` on are found.
    fn matched_part<'t>(&self, text: &'t [u8], at: usize) -> &'t [u8] {
        match self.matches_each_line() {
            true => without_line_end(text, at),
            false => text,
        }
    }

    /// Returns ripgrep's matcher. A pattern always has one. If it has none, the search ends as by a stop, so that the
    /// pattern is not reported as having no match.
    fn matcher(&self) -> Result<&'p RegexMatcher, Stopped> {
        self.require_matcher(self.form().matcher_for(self.text.get()))
    }

    /// Returns the matcher that captures groups; the one for ASCII texts does not.
    fn capturing_matcher(&self) -> Result<&'p RegexMatcher, Stopped> {
        self.require_matcher(self.form().matcher())
    }

    fn require_matcher(
        &self,
        matcher: Option<&'p RegexMatcher>,
    ) -> Result<&'p RegexMatcher, Stopped> {
        if matcher.is_none() {
            self.stop_check.halted.set(true);
        }
        matcher.ok_or(Stopped)
    }

    /// Returns the number of bytes that ripgrep's matcher may search in one step.
    fn step_length(&self) -> usize {
        let bytes = MAX_UNCHECKED_TIME.as_nanos() as f64 / self.pace.get();
        (bytes as usize)
            .clamp(*STEP_BYTES.start(), *STEP_BYTES.end())
            .min(self.pattern.piece)
    }

    /// Runs ripgrep's matcher on one step; `passed` returns how many of its bytes were searched.
    fn run_step<T: Default>(
        &self,
        length: usize,
        search: impl FnOnce() -> Result<T, NoError>,
        passed: impl FnOnce(&T) -> usize,
    ) -> Result<T, Stopped> {
        let began = (length >= MIN_MEASURED_BYTES).then(Instant::now);
        let found = search().unwrap_or_default();
        let passed = passed(&found).min(length);
        if let Some(began) = began
            && passed >= MIN_MEASURED_BYTES
        {
            self.update_pace(began, passed);
        }
        // A pattern with small steps is slow: its bytes count for more, so that it is checked about as often by time.
        let weight = (BYTES_BETWEEN_CHECKS / self.pattern.piece.max(1)).max(1);
        self.stop_check
            .count((passed + CALL_COST_BYTES).saturating_mul(weight))?;
        Ok(found)
    }

    fn update_pace(&self, began: Instant, passed: usize) {
        let pace = (began.elapsed().as_nanos() as f64 / passed as f64).max(0.01);
        // A thread that was descheduled looks slow once: average with the previous estimate.
        let known = if self.measured.replace(true) {
            self.pace.get()
        } else {
            pace
        };
        self.pace.set((known + pace) / 2.0);
    }

    /// Measures the cost of a byte on the beginning of a large text.
    fn calibrate_pace(&self, matcher: &RegexMatcher, haystack: &[u8], at: usize) {
        let text = &haystack[..haystack
            .len()
            .min(at + MIN_MEASURED_BYTES.min(self.pattern.piece))];
        let began = Instant::now();
        let mut next = at;
        let mut passed = text.len() - at;
        while let Ok(Some(found)) = matcher.find_at(text, next) {
            next = found.end().max(next + 1);
            if next >= text.len() {
                break;
            }
            if began.elapsed() > CALIBRATION_TIME {
                passed = next - at;
                break;
            }
        }
        self.update_pace(began, passed.max(1));
    }

    /// Searches a text with the engines of this module; `None` where the pattern is too large for them.
    fn search_by_engine(
        &self,
        haystack: &[u8],
        at: usize,
        wanted: SearchGoal,
    ) -> Option<Result<Option<Match>, Stopped>> {
        let mut engine = self.engine.borrow_mut();
        if engine.is_none() {
            *engine = Some(SearchEngine::new(
                self.form().automata()?,
                EngineKind::LazyDfa,
            ));
        }
        let engine = engine.as_mut()?;
        Some(engine.find(haystack, at, wanted, &self.stop_check))
    }

    fn search(
        &self,
        haystack: &[u8],
        at: usize,
        wanted: SearchGoal,
    ) -> Result<Option<Match>, Stopped> {
        let matcher = self.matcher()?;
        let haystack = self.matched_part(haystack, at);
        if at > haystack.len() {
            return Ok(None);
        }
        let length = haystack.len() - at;
        self.stop_check
            .count(haystack.len() / TEXT_PER_COUNTED_BYTE)?;
        if length > self.step_length() && !self.measured.get() {
            self.calibrate_pace(matcher, haystack, at);
        }
        if length > self.step_length()
            && let Some(found) = self.search_by_engine(haystack, at, wanted)
        {
            return found;
        }
        self.run_step(
            length,
            || match wanted {
                SearchGoal::Match => matcher.find_at(haystack, at),
                // The caller wants only the end, and only the end is known.
                SearchGoal::Any => Ok(matcher
                    .shortest_match_at(haystack, at)?
                    .map(|end| Match::new(end, end))),
            },
            |found| found.map_or(length, |found| found.end() - at),
        )
    }
}

#[cfg(test)]
mod tests;
