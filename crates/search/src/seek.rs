//! Looks for a pattern in one file: how often it stands there, or why the file was not searched. How a file is read is in
//! `reading`, the lines themselves are in `excerpt`.

use std::io;
use std::ops::Range;
use std::path::Path;

use grep_matcher::Matcher as _;
use grep_searcher::{Searcher, Sink, SinkMatch};
use lancet_workspace::{Leaf, ReadError};

use crate::gate::Stop;
use crate::pattern::Pattern;
use crate::reading::Reading;
use crate::stepwise::{Halted, Stepwise};

/// What a match may look at behind its own lines, as ripgrep counts them.
const LOOK_AHEAD: usize = 128;

/// The encoding that the settings name for a path, as a label of the WHATWG list.
pub type Encodings<'e> = &'e (dyn Fn(&Path) -> Option<&'static str> + Sync);

/// What a file held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Matching lines, or matches where they span lines. `cut` where a NUL ended the search.
    Matches {
        /// How many.
        matches: u64,
        /// Whether a NUL far inside ended the search.
        cut: bool,
    },
    /// It is not text.
    Binary,
    /// It, or one of its lines, is too large.
    TooLarge,
    /// The system would not give it.
    Unreadable,
    /// It is no longer there.
    Gone,
    /// The search was told to stop.
    Stopped,
}

/// Searches files for one pattern; one for each thread, since it keeps its buffers.
pub struct Seeker<'s> {
    pub(crate) matcher: Stepwise<'s>,
    pub(crate) reading: Reading<'s>,
}

impl<'s> Seeker<'s> {
    /// A seeker for a pattern.
    pub fn new(pattern: &'s Pattern, stop: &'s dyn Stop) -> Self {
        Seeker {
            matcher: Stepwise::new(pattern, stop),
            reading: Reading::new(pattern, stop),
        }
    }

    /// Counts the matches in a file.
    pub fn count(
        &mut self,
        leaf: Result<Leaf, ReadError>,
        encoding: Option<&'static str>,
    ) -> Counted {
        let mut sink = Count {
            matcher: &self.matcher,
            spans: self.matcher.spans_lines(),
            matches: 0,
        };
        let searched = self
            .reading
            .search(&self.matcher, leaf, encoding, &mut sink);
        match searched {
            Ok(cut) => Counted::Matches {
                matches: sink.matches,
                cut,
            },
            Err(why) => why,
        }
    }
}

/// Counts as ripgrep's `-c` does: lines, or matches where they can span lines.
struct Count<'m, 's> {
    matcher: &'m Stepwise<'s>,
    spans: bool,
    matches: u64,
}

impl Sink for &mut Count<'_, '_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.matches += if self.spans {
            let mut matches = Matches::new(self.matcher, found);
            let mut number = 0;
            while matches.next()?.is_some() {
                number += 1;
            }
            number.max(1)
        } else {
            1
        };
        Ok(true)
    }
}

/// The matches among the lines that a searcher found together, by their place in its buffer.
pub(crate) struct Matches<'m, 's> {
    matcher: &'m Stepwise<'s>,
    text: &'m [u8],
    /// Where the next one is looked for, and where none begins any more.
    at: usize,
    end: usize,
    /// Where the last one ended.
    last: Option<usize>,
}

impl<'m, 's> Matches<'m, 's> {
    pub(crate) fn new(matcher: &'m Stepwise<'s>, found: &'m SinkMatch<'_>) -> Self {
        let range = found.bytes_range_in_buffer();
        let buffer = found.buffer();
        let mut end = range.end;
        if matcher.spans_lines() {
            end = buffer.len().min(range.end + LOOK_AHEAD);
        } else if buffer
            .get(..end)
            .is_some_and(|lines| lines.ends_with(b"\n"))
        {
            // Seen, the line end could keep an assertion from holding.
            end -= 1;
        }
        Matches {
            matcher,
            text: &buffer[..end],
            at: range.start,
            end: range.end,
            last: None,
        }
    }

    pub(crate) fn next(&mut self) -> Result<Option<Range<usize>>, Halted> {
        while self.at <= self.text.len() {
            let Some(found) = self.matcher.find_at(self.text, self.at)? else {
                break;
            };
            let (start, end) = (found.start(), found.end());
            if start >= self.end {
                break;
            }
            self.at = if start == end { end + 1 } else { end };
            // An empty match right behind another is none.
            if start == end && self.last == Some(end) {
                continue;
            }
            self.last = Some(end);
            return Ok(Some(start..end));
        }
        self.at = usize::MAX;
        Ok(None)
    }
}
