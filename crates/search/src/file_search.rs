//! Searches one file for a pattern: counts matches, or says why the file was not searched. `reader` reads the file,
//! `excerpt` returns lines.

use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::path::Path;

use grep_matcher::Matcher as _;
use grep_searcher::{Searcher, Sink, SinkMatch};
use lancet_workspace::{FileReader, ReadError};

use crate::gate::Stop;
use crate::pattern::Pattern;
use crate::reader::SearchReader;
use crate::stoppable::{StoppableMatcher, Stopped};

/// The number of bytes after a line that a match may look at, as in ripgrep.
const LOOK_AHEAD: usize = 128;

/// Returns the encoding that the settings name for a path, as a label of the WHATWG list.
pub type Encodings<'e> = &'e (dyn Fn(&Path) -> Option<&'static str> + Sync);

/// The outcome of searching one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// The file was searched.
    Matches {
        /// The number of matching lines, or of matches where they can span lines.
        matches: u64,
        /// Whether a NUL beyond the first 64 KiB ended the search.
        cut: bool,
    },
    /// The file is not text.
    Binary,
    /// The file, or one of its lines, exceeds the memory bound.
    TooLarge,
    /// The system refused to open or read the file.
    Unreadable,
    /// The file no longer exists.
    Gone,
    /// The search was stopped.
    Stopped,
}

impl From<&ReadError> for FileOutcome {
    fn from(error: &ReadError) -> Self {
        match error {
            ReadError::Missing | ReadError::NotAFile(_) => FileOutcome::Gone,
            _ => FileOutcome::Unreadable,
        }
    }
}

/// Searches files for one pattern; each thread has its own, since it reuses its buffers.
pub struct FileSearcher<'s> {
    pub(crate) matcher: StoppableMatcher<'s>,
    pub(crate) reading: SearchReader<'s>,
    /// The reader of the last excerpt, with the lines before and after a match that it reports. Making one for each
    /// file clears 72 KiB of buffers.
    pub(crate) excerpting: RefCell<Option<(usize, usize, SearchReader<'s>)>>,
}

impl<'s> FileSearcher<'s> {
    /// Creates a searcher for a pattern.
    pub fn new(pattern: &'s Pattern, stop: &'s dyn Stop) -> Self {
        FileSearcher {
            matcher: StoppableMatcher::new(pattern, stop),
            reading: SearchReader::new(pattern, stop),
            excerpting: RefCell::new(None),
        }
    }

    /// Counts the matches in a text in memory that has no NUL byte and no byte order mark of UTF-16.
    pub(crate) fn count_in_text(&mut self, text: &[u8]) -> FileOutcome {
        self.count_with(|reading, matcher, sink| reading.search_text(matcher, text, sink))
    }

    /// Counts the matches in a file whose whole content is in memory.
    pub(crate) fn count_in_bytes(&mut self, bytes: &[u8]) -> FileOutcome {
        self.count_with(|reading, matcher, sink| reading.search_bytes(matcher, bytes, None, sink))
    }

    fn count_with(
        &mut self,
        search: impl FnOnce(
            &mut SearchReader<'s>,
            &StoppableMatcher<'s>,
            &mut CountSink<'_, 's>,
        ) -> Result<bool, FileOutcome>,
    ) -> FileOutcome {
        let mut sink = CountSink {
            matcher: &self.matcher,
            spans: self.matcher.spans_lines(),
            matches: 0,
        };
        match search(&mut self.reading, &self.matcher, &mut sink) {
            Ok(cut) => FileOutcome::Matches {
                matches: sink.matches,
                cut,
            },
            Err(why) => why,
        }
    }

    /// Counts the matches in a file. `encoding` overrides the detection by byte order mark.
    pub fn count(
        &mut self,
        leaf: Result<FileReader, ReadError>,
        encoding: Option<&'static str>,
    ) -> FileOutcome {
        self.count_with(|reading, matcher, sink| reading.search(matcher, leaf, encoding, sink))
    }
}

/// Counts as ripgrep's `-c` does: lines, or matches where they can span lines.
struct CountSink<'m, 's> {
    matcher: &'m StoppableMatcher<'s>,
    spans: bool,
    matches: u64,
}

impl Sink for &mut CountSink<'_, '_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.matches += if self.spans {
            let mut matches = MatchIterator::new(self.matcher, found);
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

/// Iterates over the matches within the lines that a searcher reported together.
pub(crate) struct MatchIterator<'m, 's> {
    matcher: &'m StoppableMatcher<'s>,
    text: &'m [u8],
    /// The offset where the next search begins, and the offset from which on no match may begin.
    at: usize,
    end: usize,
    /// The end of the previous match.
    last: Option<usize>,
}

impl<'m, 's> MatchIterator<'m, 's> {
    pub(crate) fn new(matcher: &'m StoppableMatcher<'s>, found: &'m SinkMatch<'_>) -> Self {
        let range = found.bytes_range_in_buffer();
        let buffer = found.buffer();
        let mut end = range.end;
        if matcher.spans_lines() {
            end = buffer.len().min(range.end + LOOK_AHEAD);
        } else if buffer
            .get(..end)
            .is_some_and(|lines| lines.ends_with(b"\n"))
        {
            // The line end must not be visible: it could keep an assertion such as `$` from holding.
            end -= 1;
        }
        MatchIterator {
            matcher,
            text: &buffer[..end],
            at: range.start,
            end: range.end,
            last: None,
        }
    }

    pub(crate) fn next(&mut self) -> Result<Option<Range<usize>>, Stopped> {
        while self.at <= self.text.len() {
            let Some(found) = self.matcher.find_at(self.text, self.at)? else {
                break;
            };
            let (start, end) = (found.start(), found.end());
            if start >= self.end {
                break;
            }
            self.at = if start == end { end + 1 } else { end };
            // An empty match directly after another does not count.
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
