//! Reads a file as ripgrep does and hands its text to a matcher: by its byte order mark, else as bytes; a NUL makes it
//! binary. Within a bound of memory, and no further than somebody wants it.

use std::io::{self, Read};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use grep_searcher::{BinaryDetection, Encoding, Searcher, SearcherBuilder, Sink, SinkMatch};
use lancet_workspace::{Leaf, ReadError};
use memmap2::MmapMut;

use crate::gate::Stop;
use crate::pattern::{Lines, Pattern};
use crate::seek::Counted;
use crate::stepwise::Stepwise;

/// A file up to this size is searched in one piece; a larger one as it is read.
const WHOLE: usize = 1 << 20;
/// The most memory that a file may take: its longest line, or all of it where matches span lines.
const MOST: usize = 32 << 20;
/// ripgrep looks for a NUL in the first buffer of a file; so far it decides whether the file is text.
const FIRST_LOOK: usize = 1 << 16;
/// A buffer that has grown larger than this is not kept for the next file.
const KEPT: usize = 1 << 20;

/// Whether one large file is being held in memory: two would be over the bound.
static LARGE: Mutex<()> = Mutex::new(());
/// How often who waits for that looks whether it still wants to.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Reads files; one for each thread, since it keeps its buffers.
pub(crate) struct Reading<'s> {
    stop: &'s dyn Stop,
    spans_lines: bool,
    builder: SearcherBuilder,
    plain: Searcher,
    buffer: Vec<u8>,
}

impl<'s> Reading<'s> {
    pub(crate) fn new(pattern: &Pattern, stop: &'s dyn Stop) -> Self {
        let mut builder = SearcherBuilder::new();
        builder
            .line_number(false)
            .multi_line(pattern.lines == Lines::Several)
            .heap_limit(Some(MOST))
            .binary_detection(BinaryDetection::quit(0));
        Reading {
            stop,
            spans_lines: pattern.spans_lines(),
            plain: builder.build(),
            builder,
            buffer: Vec::new(),
        }
    }

    /// The same, telling line numbers and lines around each match.
    pub(crate) fn showing(&self, before: usize, after: usize) -> Self {
        let mut builder = self.builder.clone();
        builder
            .line_number(true)
            .before_context(before)
            .after_context(after);
        Reading {
            stop: self.stop,
            spans_lines: self.spans_lines,
            plain: builder.build(),
            builder,
            buffer: Vec::new(),
        }
    }

    /// Searches a file; whether a NUL far inside cut it short, or why there was no search.
    pub(crate) fn search<S: Sink<Error = io::Error>>(
        &mut self,
        matcher: &Stepwise<'_>,
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
            let done = searcher.search_slice(matcher, text, &mut seen);
            return settle(matcher, done, seen.binary, cut);
        }
        self.buffer = Vec::new();
        let _one_at_a_time = if self.spans_lines {
            Some(wait_for_turn(self.stop)?)
        } else {
            None
        };
        let size = leaf.stat().map_err(|_| Counted::Unreadable)?.size;
        let mut text = UpToNul {
            leaf,
            stop: self.stop,
            skips: encoding.is_some(),
            offset: 0,
            longest: 0,
            line: 0,
            cut: None,
        };
        let done = if self.spans_lines {
            // Into memory of the right size; the searcher would take the next power of two.
            let whole = text.all(size)?;
            searcher.search_slice(matcher, whole.text(), &mut seen)
        } else {
            searcher.search_reader(matcher, &mut text, &mut seen)
        };
        let (cut, longest) = (text.cut, text.longest.max(text.line));
        if self.spans_lines || longest > KEPT {
            // What it took for a large file is given back.
            self.plain = self.builder.build();
        }
        match cut {
            Some(at) if at < FIRST_LOOK as u64 => Err(Counted::Binary),
            cut => settle(matcher, done, seen.binary, cut.is_some()),
        }
    }
}

/// Waits until no other large file is held, or nobody wants this one any more.
fn wait_for_turn(stop: &dyn Stop) -> Result<MutexGuard<'static, ()>, Counted> {
    loop {
        match LARGE.try_lock() {
            Ok(turn) => return Ok(turn),
            Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if stop.is_over() => return Err(Counted::Stopped),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK_EVERY),
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

fn settle(
    matcher: &Stepwise<'_>,
    done: io::Result<()>,
    binary: Option<u64>,
    cut: bool,
) -> Result<bool, Counted> {
    if matcher.take_halted() {
        return Err(Counted::Stopped);
    }
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
    /// The longest line so far, and how far the last one goes.
    longest: usize,
    line: usize,
    cut: Option<u64>,
}

impl UpToNul<'_> {
    /// All of it, where it is no larger than it may be.
    fn all(&mut self, size: u64) -> Result<Large, Counted> {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size > MOST {
            return Err(Counted::TooLarge);
        }
        // One byte behind the end, where the end is met.
        let mut text = Large::of(size + 1)?;
        loop {
            if text.length > MOST {
                return Err(Counted::TooLarge);
            }
            if text.length == text.memory.len() {
                // It has grown since it was asked for its size.
                text = text.into_larger()?;
            }
            let read = match self.read(&mut text.memory[text.length..]) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    return Err(Counted::Stopped);
                }
                Err(_) => return Err(Counted::Unreadable),
            };
            text.length += read;
            if read == 0 {
                return Ok(text);
            }
        }
    }
}

/// A large text in pages of its own, which go back to the system with it. Memory from the allocator stayed with the process:
/// 70 MiB after three rounds of questions whose files were never held two at a time.
struct Large {
    memory: MmapMut,
    length: usize,
}

impl Large {
    fn of(size: usize) -> Result<Large, Counted> {
        let memory = MmapMut::map_anon(size).map_err(|_| Counted::TooLarge)?;
        Ok(Large { memory, length: 0 })
    }

    fn into_larger(self) -> Result<Large, Counted> {
        let mut larger = Large::of(self.memory.len() + WHOLE)?;
        larger.memory[..self.length].copy_from_slice(self.text());
        larger.length = self.length;
        Ok(larger)
    }

    fn text(&self) -> &[u8] {
        &self.memory[..self.length]
    }
}

impl Read for UpToNul<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.cut.is_some() {
            return Ok(0);
        }
        if self.stop.is_over() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        // No more at once than is read in a moment, however large the buffer has grown.
        let most = into.len().min(WHOLE);
        let read = self.leaf.read(&mut into[..most])?;
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
        match memchr::memrchr(b'\n', piece) {
            // Within a piece no line is longer than what is kept.
            Some(at) => {
                self.longest = self.longest.max(self.line + read);
                self.line = read - at;
            }
            None => self.line += read,
        }
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
