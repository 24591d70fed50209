//! Matching that can be stopped. ripgrep's matcher looks through all it is given before it answers, which for a large
//! text and a slow pattern takes seconds; so a piece that would take it longer than a moment is cut at line ends, or, where
//! a match may be anywhere in it, looked through state by state (`automaton`, `threads`). What is found is the same.

mod automaton;
mod threads;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::time::{Duration, Instant};

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures, NoError};

pub(crate) use automaton::Plan;

use crate::gate::Stop;
use crate::pattern::Pattern;
use automaton::{By, Engine, Wanted};

/// The longest that the matcher is left alone, as far as can be told from how long it took before.
const ALONE: Duration = Duration::from_millis(4);
/// How long a byte takes it, in nanoseconds, as long as nothing is known.
const FIRST_GUESS: f64 = 120.0;
/// Pieces are not cut smaller, and not left larger.
const PIECE: std::ops::RangeInclusive<usize> = 1 << 12..=1 << 23;
/// The longest that is spent on learning how long it takes.
const TRIED: Duration = Duration::from_millis(20);
/// What is smaller tells nothing of how long a byte takes.
const TELLING: usize = 1 << 13;
/// Bytes looked at between two looks at whether to stop.
const BETWEEN_LOOKS: usize = 1 << 16;
/// What a call counts for besides the bytes it looks at.
const CALL: usize = 64;
/// In a large text more: ripgrep's searcher then looks for the ends of the lines around each match.
const AROUND: usize = 512;

/// The search was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Halted;

impl fmt::Display for Halted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the search was told to stop")
    }
}

impl From<Halted> for std::io::Error {
    fn from(halted: Halted) -> Self {
        std::io::Error::other(halted.to_string())
    }
}

/// Looks now and then whether to stop.
pub(crate) struct Watch<'s> {
    stop: &'s dyn Stop,
    passed: Cell<usize>,
    halted: Cell<bool>,
}

impl<'s> Watch<'s> {
    pub(crate) fn new(stop: &'s dyn Stop) -> Self {
        Watch {
            stop,
            passed: Cell::new(0),
            halted: Cell::new(false),
        }
    }

    /// Takes note of bytes looked at.
    pub(crate) fn pass(&self, bytes: usize) -> Result<(), Halted> {
        let passed = self.passed.get() + bytes;
        if passed < BETWEEN_LOOKS {
            self.passed.set(passed);
            return Ok(());
        }
        self.passed.set(0);
        if self.stop.is_over() {
            self.halted.set(true);
            return Err(Halted);
        }
        Ok(())
    }

    /// Whether it was told to stop since this was last asked.
    pub(crate) fn take_halted(&self) -> bool {
        self.halted.replace(false)
    }
}

/// A pattern's matcher that can be stopped.
pub(crate) struct Stepwise<'p> {
    pattern: &'p Pattern,
    spans_lines: bool,
    watch: Watch<'p>,
    /// Nanoseconds that a byte takes the matcher.
    pace: Cell<f64>,
    /// Whether that was measured.
    measured: Cell<bool>,
    engine: RefCell<Option<Engine<'p>>>,
}

impl<'p> Stepwise<'p> {
    pub(crate) fn new(pattern: &'p Pattern, stop: &'p dyn Stop) -> Self {
        Stepwise {
            pattern,
            spans_lines: pattern.spans_lines(),
            watch: Watch::new(stop),
            pace: Cell::new(FIRST_GUESS),
            measured: Cell::new(false),
            engine: RefCell::new(None),
        }
    }

    /// The same for another reader of the same pattern.
    pub(crate) fn another(&self) -> Self {
        Stepwise {
            pattern: self.pattern,
            spans_lines: self.spans_lines,
            watch: Watch::new(self.watch.stop),
            pace: self.pace.clone(),
            measured: self.measured.clone(),
            engine: RefCell::new(None),
        }
    }

    /// Whether a match of the pattern can span lines.
    pub(crate) fn spans_lines(&self) -> bool {
        self.spans_lines
    }

    /// Whether the search was told to stop since this was last asked.
    pub(crate) fn take_halted(&self) -> bool {
        self.watch.take_halted()
    }

    /// Bytes that the matcher may look through alone.
    fn piece(&self) -> usize {
        let bytes = ALONE.as_nanos() as f64 / self.pace.get();
        (bytes as usize)
            .clamp(*PIECE.start(), *PIECE.end())
            .min(self.pattern.piece)
    }

    /// Lets the matcher look through a piece alone; `passed` says how much of it that was.
    fn alone<T: Default>(
        &self,
        length: usize,
        look: impl FnOnce() -> Result<T, NoError>,
        passed: impl FnOnce(&T) -> usize,
    ) -> Result<T, Halted> {
        let began = (length >= TELLING).then(Instant::now);
        let found = look().unwrap_or_default();
        let passed = passed(&found).min(length);
        if let Some(began) = began
            && passed >= TELLING
        {
            self.measure(began, passed);
        }
        // A look at the latest after the largest piece that this pattern is left alone with.
        let weight = (BETWEEN_LOOKS / self.pattern.piece.max(1)).max(1);
        self.watch.pass((passed + CALL).saturating_mul(weight))?;
        Ok(found)
    }

    fn measure(&self, began: Instant, passed: usize) {
        let pace = (began.elapsed().as_nanos() as f64 / passed as f64).max(0.01);
        // One that was interrupted by others seems slow for once.
        let known = if self.measured.replace(true) {
            self.pace.get()
        } else {
            pace
        };
        self.pace.set((known + pace) / 2.0);
    }

    /// Lets the matcher look through the beginning of a large text, to learn how long it takes.
    fn try_out(&self, haystack: &[u8], at: usize) {
        let text = &haystack[..haystack.len().min(at + TELLING.min(self.pattern.piece))];
        let began = Instant::now();
        let mut next = at;
        let mut passed = text.len() - at;
        while let Ok(Some(found)) = self.pattern.matcher.find_at(text, next) {
            next = found.end().max(next + 1);
            if next >= text.len() {
                break;
            }
            if began.elapsed() > TRIED {
                passed = next - at;
                break;
            }
        }
        self.measure(began, passed.max(1));
    }

    /// Looks through a text state by state. None where the pattern cannot be looked for like that.
    fn by_states(
        &self,
        haystack: &[u8],
        at: usize,
        wanted: Wanted,
    ) -> Option<Result<Option<Match>, Halted>> {
        let mut engine = self.engine.borrow_mut();
        if engine.is_none() {
            *engine = Some(Engine::new(self.pattern.plan()?, By::States));
        }
        let engine = engine.as_mut()?;
        Some(engine.find(haystack, at, wanted, &self.watch))
    }

    fn search(&self, haystack: &[u8], at: usize, wanted: Wanted) -> Result<Option<Match>, Halted> {
        let length = haystack.len().saturating_sub(at);
        self.watch.pass(haystack.len() / AROUND)?;
        if length > self.piece() && !self.measured.get() {
            self.try_out(haystack, at);
        }
        if length > self.piece()
            && let Some(found) = self.by_states(haystack, at, wanted)
        {
            return found;
        }
        let matcher = &self.pattern.matcher;
        self.alone(
            length,
            || match wanted {
                Wanted::Match => matcher.find_at(haystack, at),
                Wanted::Any => Ok(matcher
                    .shortest_match_at(haystack, at)?
                    .map(|end| Match::new(end, end))),
            },
            |found| found.map_or(length, |found| found.end() - at),
        )
    }
}

/// How much of a text of lines to look through at once: whole lines, about so many bytes; or one line that is longer.
fn lines_of(text: &[u8], about: usize) -> usize {
    if text.len() <= about {
        return text.len();
    }
    memchr::memrchr(b'\n', &text[..about])
        .or_else(|| memchr::memchr(b'\n', text))
        .map_or(text.len(), |at| at + 1)
}

impl Matcher for Stepwise<'_> {
    type Captures = NoCaptures;
    type Error = Halted;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, Halted> {
        self.search(haystack, at, Wanted::Match)
    }

    fn new_captures(&self) -> Result<NoCaptures, Halted> {
        Ok(NoCaptures::new())
    }

    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> Result<Option<usize>, Halted> {
        let found = self.search(haystack, at, Wanted::Any)?;
        Ok(found.map(|found| found.end()))
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.pattern.matcher.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.pattern.matcher.line_terminator()
    }

    /// Asked only where no match spans lines, so that lines can be looked through in any number at once.
    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, Halted> {
        let mut at = 0;
        while at < haystack.len() {
            let piece = self.piece();
            let length = lines_of(&haystack[at..], piece);
            let lines = &haystack[at..at + length];
            let found = if length > piece {
                let line = lines.strip_suffix(b"\n").unwrap_or(lines);
                let found = self.search(line, 0, Wanted::Any)?;
                found.map(|found| LineMatchKind::Confirmed(found.end()))
            } else {
                self.alone(
                    length,
                    || self.pattern.matcher.find_candidate_line(lines),
                    |found| found.as_ref().map_or(length, place),
                )?
            };
            let last = at + length == haystack.len();
            // An empty match behind the last line end is none: the next line begins there.
            if let Some(found) = found.filter(|found| last || place(found) < length) {
                return Ok(Some(match found {
                    LineMatchKind::Confirmed(place) => LineMatchKind::Confirmed(at + place),
                    LineMatchKind::Candidate(place) => LineMatchKind::Candidate(at + place),
                }));
            }
            at += length;
        }
        Ok(None)
    }
}

fn place(found: &LineMatchKind) -> usize {
    match found {
        LineMatchKind::Confirmed(place) | LineMatchKind::Candidate(place) => *place,
    }
}

#[cfg(test)]
mod tests;
