//! Looks for a pattern in one file: how often it stands there, or why the file was not searched. Reads as ripgrep does:
//! by its byte order mark, else as bytes; a NUL makes it binary. The lines themselves are in `excerpt`.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Mutex;

use grep_matcher::Matcher as _;
use grep_searcher::{BinaryDetection, Encoding, Searcher, SearcherBuilder, Sink, SinkMatch};
use lancet_workspace::{Leaf, ReadError};

use crate::gate::Stop;
use crate::pattern::Pattern;

/// A file up to this size is searched in one piece; a larger one as it is read, so that it can be stopped.
const WHOLE: usize = 1 << 20;
/// The most memory that a file may take: its longest line, or all of it where matches span lines.
const MOST: usize = 32 << 20;
/// ripgrep looks for a NUL in the first buffer of a file; so far it decides whether the file is text.
const FIRST_LOOK: usize = 1 << 16;
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

/// Whether one large file is being held in memory: two would be over the bound.
static LARGE: Mutex<()> = Mutex::new(());

/// Searches files for one pattern; one for each thread, since it keeps its buffers.
pub struct Seeker<'s> {
    pub(crate) pattern: &'s Pattern,
    stop: &'s dyn Stop,
    builder: SearcherBuilder,
    plain: Searcher,
    buffer: Vec<u8>,
}

impl<'s> Seeker<'s> {
    /// A seeker for a pattern.
    pub fn new(pattern: &'s Pattern, stop: &'s dyn Stop) -> Self {
        let mut builder = SearcherBuilder::new();
        builder
            .line_number(false)
            .multi_line(pattern.lines == crate::Lines::Several)
            .heap_limit(Some(MOST))
            .binary_detection(BinaryDetection::quit(0));
        Seeker {
            pattern,
            stop,
            plain: builder.build(),
            builder,
            buffer: Vec::new(),
        }
    }

    /// The same, telling line numbers and lines around each match.
    pub(crate) fn showing(&self, before: usize, after: usize) -> Seeker<'s> {
        let mut builder = self.builder.clone();
        builder
            .line_number(true)
            .before_context(before)
            .after_context(after);
        Seeker {
            pattern: self.pattern,
            stop: self.stop,
            plain: builder.build(),
            builder,
            buffer: Vec::new(),
        }
    }

    /// Counts the matches in a file.
    pub fn count(
        &mut self,
        leaf: Result<Leaf, ReadError>,
        encoding: Option<&'static str>,
    ) -> Counted {
        let spans = self.pattern.spans_lines();
        let mut sink = Count {
            pattern: self.pattern,
            spans,
            matches: 0,
        };
        match self.run(leaf, encoding, &mut sink) {
            Ok(cut) => Counted::Matches {
                matches: sink.matches,
                cut,
            },
            Err(why) => why,
        }
    }

    /// Runs a search; whether a NUL far inside cut it short, or why there was none.
    pub(crate) fn run<S: Sink<Error = io::Error>>(
        &mut self,
        leaf: Result<Leaf, ReadError>,
        encoding: Option<&'static str>,
        sink: S,
    ) -> Result<bool, Counted> {
        let mut leaf = leaf.map_err(|error| match error {
            ReadError::Missing | ReadError::NotAFile(_) => Counted::Gone,
            _ => Counted::Unreadable,
        })?;
        let mut seen = Seen { sink, binary: None };
        let mut other;
        let searcher = match encoding.and_then(|label| Encoding::new(label).ok()) {
            None => &mut self.plain,
            Some(encoding) => {
                other = self.builder.clone().encoding(Some(encoding)).build();
                &mut other
            }
        };
        let whole = leaf
            .read_whole(&mut self.buffer, WHOLE)
            .map_err(|_| Counted::Unreadable)?;
        if whole {
            let (text, cut) = match nul(&self.buffer, encoding) {
                Some(at) if at < FIRST_LOOK => return Err(Counted::Binary),
                Some(at) => (&self.buffer[..at], true),
                None => (&self.buffer[..], false),
            };
            let done = searcher.search_slice(&self.pattern.matcher, text, &mut seen);
            return settle(done, seen.binary, cut);
        }
        let _one_at_a_time = self.pattern.spans_lines().then(|| {
            LARGE
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
        });
        let mut text = UpToNul {
            leaf,
            stop: self.stop,
            skips: encoding.is_some(),
            offset: 0,
            cut: None,
        };
        let done = searcher.search_reader(&self.pattern.matcher, &mut text, &mut seen);
        let cut = text.cut;
        if self.pattern.spans_lines() {
            // What it took for a large file is given back.
            self.plain = self.builder.build();
        }
        match cut {
            Some(at) if at < FIRST_LOOK as u64 => Err(Counted::Binary),
            cut => settle(done, seen.binary, cut.is_some()),
        }
    }
}

/// Where the first NUL of a text is, unless its encoding is one whose letters hold NULs.
fn nul(bytes: &[u8], encoding: Option<&'static str>) -> Option<usize> {
    if encoding.is_some() || has_wide_mark(bytes) {
        return None;
    }
    memchr::memchr(0, bytes)
}

/// The byte order marks of UTF-16.
fn has_wide_mark(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF])
}

fn settle(done: io::Result<()>, binary: Option<u64>, cut: bool) -> Result<bool, Counted> {
    match (done, binary) {
        (Ok(()), None) => Ok(cut),
        (Ok(()), Some(at)) if at < FIRST_LOOK as u64 => Err(Counted::Binary),
        (Ok(()), Some(_)) => Ok(true),
        (Err(error), _) => Err(match error.kind() {
            // Ours, from `UpToNul`.
            io::ErrorKind::TimedOut => Counted::Stopped,
            // The searcher's own word for "over the limit of memory" has no kind.
            io::ErrorKind::Other => Counted::TooLarge,
            _ => Counted::Unreadable,
        }),
    }
}

/// A large file as it is read: up to its first NUL, and no further than somebody wants it.
struct UpToNul<'s> {
    leaf: Leaf,
    stop: &'s dyn Stop,
    skips: bool,
    offset: u64,
    cut: Option<u64>,
}

impl Read for UpToNul<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.cut.is_some() {
            return Ok(0);
        }
        if self.stop.is_over() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let read = self.leaf.read(into)?;
        let piece = &into[..read];
        if self.offset == 0 && has_wide_mark(piece) {
            self.skips = true;
        }
        if !self.skips
            && let Some(at) = memchr::memchr(0, piece)
        {
            self.cut = Some(self.offset + at as u64);
            return Ok(at);
        }
        self.offset += read as u64;
        Ok(read)
    }
}

/// Passes everything on and notes where the searcher itself met a NUL.
struct Seen<S> {
    sink: S,
    binary: Option<u64>,
}

impl<S: Sink<Error = io::Error>> Sink for &mut Seen<S> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.sink.matched(searcher, found)
    }

    fn context(
        &mut self,
        searcher: &Searcher,
        context: &grep_searcher::SinkContext<'_>,
    ) -> io::Result<bool> {
        self.sink.context(searcher, context)
    }

    fn binary_data(&mut self, _: &Searcher, offset: u64) -> io::Result<bool> {
        self.binary.get_or_insert(offset);
        Ok(true)
    }
}

/// Counts as ripgrep's `-c` does: lines, or matches where they can span lines.
struct Count<'s> {
    pattern: &'s Pattern,
    spans: bool,
    matches: u64,
}

impl Sink for &mut Count<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.matches += if self.spans {
            let mut number = 0;
            each_match(self.pattern, found, |_| number += 1);
            number.max(1)
        } else {
            1
        };
        Ok(true)
    }
}

/// The matches among the lines that a searcher found together, by their place in its buffer.
pub(crate) fn each_match(
    pattern: &Pattern,
    found: &SinkMatch<'_>,
    mut take: impl FnMut(std::ops::Range<usize>),
) {
    let range = found.bytes_range_in_buffer();
    let buffer = found.buffer();
    let mut end = range.end;
    if pattern.spans_lines() {
        end = buffer.len().min(range.end + LOOK_AHEAD);
    } else if buffer
        .get(..end)
        .is_some_and(|lines| lines.ends_with(b"\n"))
    {
        // Seen, the line end could keep an assertion from holding.
        end -= 1;
    }
    let _ = pattern
        .matcher
        .find_iter_at(&buffer[..end], range.start, |found| {
            if found.start() >= range.end {
                return false;
            }
            take(found.start()..found.end());
            true
        });
}
