//! The lines of a file that a page shows: some of its matches, counted from the first, each with the lines around it.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;

use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};
use lancet_workspace::{Leaf, ReadError};

use crate::seek::{Counted, Matches, Seeker};
use crate::stepwise::{Halted, Stepwise};
use crate::window::around;

/// Matches of one line whose places are told.
const MOST_SPANS: usize = 1_000;

/// Which matches of a file are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Matches passed over.
    pub skip: u64,
    /// Matches shown after them.
    pub take: u64,
    /// Lines before each.
    pub before: usize,
    /// Lines after each.
    pub after: usize,
    /// No more lines are taken once they hold this many bytes.
    pub most_bytes: usize,
}

/// Why a line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It matches.
    Match,
    /// It stands near one that does.
    Context,
}

/// A line, as far as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// Why it is shown.
    pub role: Role,
    /// Its bytes, decoded to UTF-8 where the file has a byte order mark, without the line feed.
    pub bytes: Vec<u8>,
    /// How many bytes were left out before and after.
    pub left_out: (usize, usize),
    /// Where the matches are, in `bytes`.
    pub spans: Vec<Range<usize>>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines, in order. Where numbers are missing between two, something was left out.
    pub lines: Vec<Line>,
    /// How many matches they show.
    pub matches: u64,
}

impl Seeker<'_> {
    /// Takes lines out of a file.
    pub fn excerpt(
        &self,
        leaf: Result<Leaf, ReadError>,
        encoding: Option<&'static str>,
        extent: Extent,
    ) -> Result<Excerpt, Counted> {
        let matcher = self.matcher.another();
        let mut sink = Taking {
            matcher: &matcher,
            extent,
            passed: 0,
            waiting: VecDeque::new(),
            taken: Excerpt::default(),
            bytes: 0,
        };
        let mut showing = self.reading.showing(extent.before, extent.after);
        showing.search(&matcher, leaf, encoding, &mut sink)?;
        Ok(sink.taken)
    }
}

struct Taking<'m, 's> {
    matcher: &'m Stepwise<'s>,
    extent: Extent,
    /// Matches met so far.
    passed: u64,
    /// Lines that are shown only if a wanted match follows soon.
    waiting: VecDeque<Line>,
    taken: Excerpt,
    bytes: usize,
}

impl Taking<'_, '_> {
    fn is_full(&self) -> bool {
        self.passed >= self.extent.skip.saturating_add(self.extent.take)
            || self.bytes > self.extent.most_bytes
    }

    fn last(&self) -> Option<u64> {
        let mut shown = self.taken.lines.iter().rev();
        shown
            .find(|line| line.role == Role::Match)
            .map(|line| line.number)
    }

    fn keep(&mut self, line: Line) {
        self.bytes += line.bytes.len() + 8;
        self.taken.lines.push(line);
    }

    /// A line that is wanted only for its neighbours; false where nothing more is.
    fn beside(&mut self, line: Line) -> bool {
        let after = self.extent.after as u64;
        if self.last().is_some_and(|last| line.number <= last + after) {
            self.keep(Line {
                role: Role::Context,
                spans: Vec::new(),
                ..line
            });
            return true;
        }
        if self.is_full() {
            return false;
        }
        if self.extent.before > 0 {
            if self.waiting.len() == self.extent.before {
                self.waiting.pop_front();
            }
            self.waiting.push_back(Line {
                role: Role::Context,
                spans: Vec::new(),
                ..line
            });
        }
        true
    }

    fn wanted(&mut self, line: Line) {
        let first = line.number.saturating_sub(self.extent.before as u64);
        for waiting in std::mem::take(&mut self.waiting) {
            if waiting.number >= first {
                self.keep(waiting);
            }
        }
        self.keep(line);
    }
}

/// The lines of a block that the searcher found, and which of the matches touch each.
struct Block<'m, 's> {
    matches: Matches<'m, 's>,
    /// The match that was not done with at the last line.
    current: Option<Range<usize>>,
    /// Its number, from the first of the file.
    number: u64,
}

impl<'m, 's> Block<'m, 's> {
    fn new(
        matcher: &'m Stepwise<'s>,
        found: &'m SinkMatch<'_>,
        number: u64,
    ) -> Result<Self, Halted> {
        let mut matches = Matches::new(matcher, found);
        Ok(Block {
            current: matches.next()?,
            matches,
            number,
        })
    }

    fn advance(&mut self) -> Result<(), Halted> {
        self.current = self.matches.next()?;
        self.number += 1;
        Ok(())
    }

    /// The numbers of the matches that touch a line, if any do, and where in it they are, as far as can be shown.
    #[allow(clippy::type_complexity)]
    fn touching(
        &mut self,
        line: &Range<usize>,
    ) -> Result<(Option<Range<u64>>, Vec<Range<usize>>), Halted> {
        let mut numbers: Option<Range<u64>> = None;
        let mut inside = Vec::new();
        while let Some(span) = self.current.clone() {
            if span.start >= line.end {
                break;
            }
            let touches = span.end > line.start || (span.is_empty() && span.start == line.start);
            if touches {
                numbers.get_or_insert(self.number..self.number).end = self.number + 1;
                if inside.len() < MOST_SPANS {
                    inside.push(
                        span.start.max(line.start) - line.start
                            ..span.end.min(line.end) - line.start,
                    );
                }
                if span.end > line.end {
                    break;
                }
            }
            self.advance()?;
        }
        Ok((numbers, inside))
    }
}

/// A line, cut where it is too long.
fn line(number: u64, bytes: &[u8], role: Role, spans: &[Range<usize>]) -> Line {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let kept = around(bytes, spans.first());
    let spans = spans
        .iter()
        .map(|span| span.start.max(kept.start)..span.end.min(kept.end))
        .filter(|span| span.start <= span.end)
        .map(|span| span.start - kept.start..span.end - kept.start)
        .collect();
    Line {
        number,
        role,
        bytes: bytes[kept.clone()].to_vec(),
        left_out: (kept.start, bytes.len() - kept.end),
        spans,
    }
}

impl Sink for &mut Taking<'_, '_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let wanted = self.extent.skip..self.extent.skip.saturating_add(self.extent.take);
        // At least one, even where it cannot be found again by itself.
        let mut end = self.passed + 1;
        let mut nearest = self.passed..end;
        let spans = self.matcher.spans_lines();
        let mut block = Block::new(self.matcher, found, self.passed)?;
        let mut start = found.bytes_range_in_buffer().start;
        let numbers = found.line_number().unwrap_or(1)..;
        for (number, bytes) in numbers.zip(found.lines()) {
            let range = start..start + bytes.len();
            start = range.end;
            let (touching, inside) = block.touching(&range)?;
            if let Some(touching) = touching.filter(|_| spans) {
                nearest = touching;
            }
            end = end.max(nearest.end);
            self.passed = self.passed.max(nearest.start);
            if self.bytes > self.extent.most_bytes {
                return Ok(false);
            }
            let line = line(number, bytes, Role::Match, &inside);
            if nearest.start < wanted.end && nearest.end > wanted.start {
                let shown = nearest.end.min(wanted.end) - wanted.start;
                self.taken.matches = self.taken.matches.max(shown);
                self.wanted(line);
            } else if !self.beside(line) {
                return Ok(false);
            }
        }
        self.passed = end;
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let number = context.line_number().unwrap_or(1);
        let line = line(number, context.bytes(), Role::Context, &[]);
        Ok(self.beside(line))
    }
}
