//! The lines of a file that a page shows: some of its matches, counted from the first, each with the lines around it.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;

use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};
use lancet_workspace::{Leaf, ReadError};

use crate::pattern::Pattern;
use crate::seek::{Counted, Seeker, each_match};
use crate::window::around;

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
        &mut self,
        leaf: Result<Leaf, ReadError>,
        encoding: Option<&'static str>,
        extent: Extent,
    ) -> Result<Excerpt, Counted> {
        let mut sink = Taking {
            pattern: self.pattern,
            spans: self.pattern.spans_lines(),
            extent,
            passed: 0,
            waiting: VecDeque::new(),
            taken: Excerpt::default(),
            bytes: 0,
        };
        let mut showing = self.showing(extent.before, extent.after);
        showing.run(leaf, encoding, &mut sink)?;
        Ok(sink.taken)
    }
}

struct Taking<'s> {
    pattern: &'s Pattern,
    spans: bool,
    extent: Extent,
    /// Matches met so far.
    passed: u64,
    /// Lines that are shown only if a wanted match follows soon.
    waiting: VecDeque<Line>,
    taken: Excerpt,
    bytes: usize,
}

/// One line of a block that the searcher found, with its matches.
struct Piece {
    line: Line,
    /// Numbers of the matches that touch it, from the first of the file.
    matches: Option<Range<u64>>,
}

impl Taking<'_> {
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

    /// The lines of a block.
    fn pieces(&self, found: &SinkMatch<'_>) -> Vec<Piece> {
        let block = found.bytes_range_in_buffer();
        let mut spans = Vec::new();
        each_match(self.pattern, found, |span| spans.push(span));
        let mut start = block.start;
        let mut pieces = Vec::new();
        let numbers = found.line_number().unwrap_or(1)..;
        for (number, bytes) in numbers.zip(found.lines()) {
            let end = start + bytes.len();
            let touching = |span: &Range<usize>| {
                span.start < end && (span.end > start || (span.is_empty() && span.start == start))
            };
            let first = spans.iter().position(touching);
            let matches = if self.spans {
                let last = spans.iter().rposition(touching);
                first
                    .zip(last)
                    .map(|(first, last)| self.passed + first as u64..self.passed + last as u64 + 1)
            } else {
                let nth = self.passed + pieces.len() as u64;
                Some(nth..nth + 1)
            };
            let inside: Vec<Range<usize>> = spans
                .iter()
                .filter(|span| touching(span))
                .map(|span| span.start.max(start) - start..span.end.min(end) - start)
                .collect();
            let line = line(number, bytes, Role::Match, &inside);
            pieces.push(Piece { line, matches });
            start = end;
        }
        pieces
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

impl Sink for &mut Taking<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let wanted = self.extent.skip..self.extent.skip.saturating_add(self.extent.take);
        let pieces = self.pieces(found);
        let mut end = self.passed;
        for piece in &pieces {
            end = end.max(piece.matches.as_ref().map_or(0, |matches| matches.end));
        }
        // At least one, even where it cannot be found again by itself.
        end = end.max(self.passed + 1);
        let mut nearest = self.passed..self.passed + 1;
        for Piece { line, matches } in pieces {
            let matches = matches.unwrap_or_else(|| nearest.clone());
            nearest.clone_from(&matches);
            self.passed = self.passed.max(matches.start);
            let shown = matches.start < wanted.end
                && matches.end > wanted.start
                && self.bytes <= self.extent.most_bytes;
            if shown {
                let shown = matches.end.min(wanted.end) - wanted.start;
                self.taken.matches = self.taken.matches.max(shown);
                self.wanted(line);
            } else {
                if self.bytes > self.extent.most_bytes {
                    return Ok(false);
                }
                if !self.beside(line) {
                    return Ok(false);
                }
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
