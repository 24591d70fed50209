//! Returns lines of a file: a range of its matches, counted from the first, each with its context lines.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;

use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};
use lancet_workspace::{FileReader, ReadError};

use crate::file_search::{FileOutcome, FileSearcher, MatchIterator};
use crate::reader::SearchReader;
use crate::stoppable::{StoppableMatcher, Stopped};
use crate::window::window_around;

/// The most matches of one line whose positions are returned.
const MAX_SPANS: usize = 1_000;

/// The matches of a file to return, and the context around each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExcerptRange {
    /// The number of matches to skip.
    pub skip: u64,
    /// The number of matches to return after them.
    pub take: u64,
    /// The number of context lines before each match.
    pub before: usize,
    /// The number of context lines after each match.
    pub after: usize,
    /// No further lines are returned once the lines have this many bytes.
    pub most_bytes: usize,
}

/// Why a line is part of an excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRole {
    /// The line contains a match or a part of one.
    Match,
    /// The line is context of a match.
    Context,
}

/// A line of an excerpt, cut where it is too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcerptLine {
    /// The line number, from 1.
    pub number: u64,
    /// The offset of the line's first byte in the text that was searched: in the file, unless it was decoded.
    pub offset: u64,
    /// Whether the line matches or is context.
    pub role: LineRole,
    /// The bytes without the line feed, decoded to UTF-8 where the file has a byte order mark or an encoding is set.
    pub bytes: Vec<u8>,
    /// The number of bytes cut off before and after.
    pub left_out: (usize, usize),
    /// The positions of the matches in `bytes`.
    pub spans: Vec<Range<usize>>,
}

/// Lines of one file around some of its matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines in order. A gap in their numbers is where lines were left out.
    pub lines: Vec<ExcerptLine>,
    /// The number of matches that the lines show.
    pub matches: u64,
}

impl<'s> FileSearcher<'s> {
    /// Returns the lines of a file around the matches of `extent`.
    pub fn excerpt_of_file(
        &self,
        leaf: Result<FileReader, ReadError>,
        encoding: Option<&'static str>,
        extent: ExcerptRange,
    ) -> Result<Excerpt, FileOutcome> {
        self.excerpt_with(extent, |reader, sink| {
            reader.search(&self.matcher, leaf, encoding, sink)
        })
    }

    /// Returns the same lines of a file whose whole content is in memory.
    pub fn excerpt_of_bytes(
        &self,
        bytes: &[u8],
        encoding: Option<&'static str>,
        extent: ExcerptRange,
    ) -> Result<Excerpt, FileOutcome> {
        self.excerpt_with(extent, |reader, sink| {
            reader.search_bytes(&self.matcher, bytes, encoding, sink)
        })
    }

    fn excerpt_with(
        &self,
        extent: ExcerptRange,
        search: impl FnOnce(
            &mut SearchReader<'s>,
            &mut ExcerptSink<'_, 's>,
        ) -> Result<bool, FileOutcome>,
    ) -> Result<Excerpt, FileOutcome> {
        let mut sink = ExcerptSink {
            matcher: &self.matcher,
            extent,
            passed: 0,
            waiting: VecDeque::new(),
            taken: Excerpt::default(),
            bytes: 0,
        };
        let wanted = (extent.before, extent.after);
        let mut excerpting = self.excerpting.borrow_mut();
        let reader = match &mut *excerpting {
            Some((before, after, reader)) if (*before, *after) == wanted => reader,
            other => {
                let reader = self.reading.with_context(wanted.0, wanted.1);
                &mut other.insert((wanted.0, wanted.1, reader)).2
            }
        };
        search(reader, &mut sink)?;
        Ok(sink.taken)
    }
}

struct ExcerptSink<'m, 's> {
    matcher: &'m StoppableMatcher<'s>,
    extent: ExcerptRange,
    /// The number of matches seen so far.
    passed: u64,
    /// Context lines that are returned only if a wanted match follows.
    waiting: VecDeque<ExcerptLine>,
    taken: Excerpt,
    bytes: usize,
}

impl ExcerptSink<'_, '_> {
    fn is_full(&self) -> bool {
        self.passed >= self.extent.skip.saturating_add(self.extent.take)
            || self.bytes > self.extent.most_bytes
    }

    fn last_match_line(&self) -> Option<u64> {
        let mut shown = self.taken.lines.iter().rev();
        shown
            .find(|line| line.role == LineRole::Match)
            .map(|line| line.number)
    }

    fn push_line(&mut self, line: ExcerptLine) {
        self.bytes += line.bytes.len() + 8;
        self.taken.lines.push(line);
    }

    /// Handles a line that can only be context; returns false where nothing further is wanted.
    fn handle_context_line(&mut self, line: ExcerptLine) -> bool {
        let after = self.extent.after as u64;
        if self
            .last_match_line()
            .is_some_and(|last| line.number <= last + after)
        {
            self.push_line(ExcerptLine {
                role: LineRole::Context,
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
            self.waiting.push_back(ExcerptLine {
                role: LineRole::Context,
                spans: Vec::new(),
                ..line
            });
        }
        true
    }

    fn handle_match_line(&mut self, line: ExcerptLine) {
        let first = line.number.saturating_sub(self.extent.before as u64);
        for waiting in std::mem::take(&mut self.waiting) {
            if waiting.number >= first {
                self.push_line(waiting);
            }
        }
        self.push_line(line);
    }
}

/// The lines that the searcher reported together, and the matches that touch each.
pub(crate) struct MatchedLines<'m, 's> {
    matches: MatchIterator<'m, 's>,
    /// The match that reaches beyond the last line processed.
    current: Option<Range<usize>>,
    /// The number of that match within the file, from 0.
    number: u64,
}

impl<'m, 's> MatchedLines<'m, 's> {
    pub(crate) fn new(
        matcher: &'m StoppableMatcher<'s>,
        found: &'m SinkMatch<'_>,
        number: u64,
    ) -> Result<Self, Stopped> {
        let mut matches = MatchIterator::new(matcher, found);
        Ok(MatchedLines {
            current: matches.next()?,
            matches,
            number,
        })
    }

    fn advance(&mut self) -> Result<(), Stopped> {
        self.current = self.matches.next()?;
        self.number += 1;
        Ok(())
    }

    /// Returns the numbers of the matches that touch a line, if any, and their positions in it, as far as they can be
    /// shown.
    #[allow(clippy::type_complexity)]
    pub(crate) fn matches_touching(
        &mut self,
        line: &Range<usize>,
    ) -> Result<(Option<Range<u64>>, Vec<Range<usize>>), Stopped> {
        let mut numbers: Option<Range<u64>> = None;
        let mut inside = Vec::new();
        while let Some(span) = self.current.clone() {
            if span.start >= line.end {
                break;
            }
            let touches = span.end > line.start || (span.is_empty() && span.start == line.start);
            if touches {
                numbers.get_or_insert(self.number..self.number).end = self.number + 1;
                if inside.len() < MAX_SPANS {
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

/// Builds a line and cuts it where it is too long.
pub(crate) fn build_line(
    number: u64,
    offset: u64,
    bytes: &[u8],
    role: LineRole,
    spans: &[Range<usize>],
) -> ExcerptLine {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let kept = window_around(bytes, spans.first());
    let spans = spans
        .iter()
        .map(|span| span.start.max(kept.start)..span.end.min(kept.end))
        .filter(|span| span.start <= span.end)
        .map(|span| span.start - kept.start..span.end - kept.start)
        .collect();
    ExcerptLine {
        number,
        offset,
        role,
        bytes: bytes[kept.clone()].to_vec(),
        left_out: (kept.start, bytes.len() - kept.end),
        spans,
    }
}

impl Sink for &mut ExcerptSink<'_, '_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let wanted = self.extent.skip..self.extent.skip.saturating_add(self.extent.take);
        // At least one match, even where the matcher alone does not find it again.
        let mut end = self.passed + 1;
        let mut nearest = self.passed..end;
        let spans = self.matcher.spans_lines();
        let mut block = MatchedLines::new(self.matcher, found, self.passed)?;
        let mut start = found.bytes_range_in_buffer().start;
        let first = (start, found.absolute_byte_offset());
        let numbers = found.line_number().unwrap_or(1)..;
        for (number, bytes) in numbers.zip(found.lines()) {
            let range = start..start + bytes.len();
            start = range.end;
            let (touching, inside) = block.matches_touching(&range)?;
            if let Some(touching) = touching.filter(|_| spans) {
                nearest = touching;
            }
            end = end.max(nearest.end);
            self.passed = self.passed.max(nearest.start);
            if self.bytes > self.extent.most_bytes {
                return Ok(false);
            }
            let offset = first.1 + (range.start - first.0) as u64;
            let line = build_line(number, offset, bytes, LineRole::Match, &inside);
            if nearest.start < wanted.end && nearest.end > wanted.start {
                let shown = nearest.end.min(wanted.end) - wanted.start;
                self.taken.matches = self.taken.matches.max(shown);
                self.handle_match_line(line);
            } else if !self.handle_context_line(line) {
                return Ok(false);
            }
        }
        self.passed = end;
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let number = context.line_number().unwrap_or(1);
        let offset = context.absolute_byte_offset();
        let line = build_line(number, offset, context.bytes(), LineRole::Context, &[]);
        Ok(self.handle_context_line(line))
    }
}
