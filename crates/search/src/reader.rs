//! Reads a file as ripgrep does and passes its text to a searcher: decoded by its byte order mark, else as bytes; a
//! NUL makes it binary. Memory is bounded, and reading ends when [`Stop`] says so.

mod binary_sink;
mod mapped_text;
mod named_files;

use std::io::{self, Read};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use grep_searcher::{BinaryDetection, Encoding, Searcher, SearcherBuilder, Sink};
use lancet_workspace::{FileReader, ReadError};

use crate::file_search::FileOutcome;
use crate::gate::Stop;
use crate::pattern::{MatchSpan, Pattern, TextAlphabet};
use crate::stoppable::StoppableMatcher;
use crate::wide_mark::has_wide_mark;
use binary_sink::{BinarySink, NulByte};
use mapped_text::MappedText;

/// A file up to this size is searched in one piece; a larger one while it is read.
const MAX_SINGLE_PIECE: usize = 1 << 20;
/// The most memory for one file: its longest line, or all of it where matches span lines.
pub(crate) const MAX_WHOLE_BYTES: usize = 32 << 20;
/// ripgrep looks for a NUL in the first buffer of a file; within this many bytes a NUL makes the file binary.
pub(crate) const NUL_WINDOW: usize = 1 << 16;
/// A buffer that has grown larger is released after the file.
const MAX_RETAINED_BUFFER: usize = 1 << 20;

/// Serializes files that are wholly in memory: two would exceed the bound.
static LARGE_FILE: Mutex<()> = Mutex::new(());
/// The interval at which a thread that waits for the lock checks [`Stop`].
const CHECK_STOP_EVERY: Duration = Duration::from_millis(2);

/// Reads files for one thread and reuses its buffers.
pub(crate) struct SearchReader<'s> {
    stop: &'s dyn Stop,
    spans_lines: bool,
    nul: NulByte,
    builder: SearcherBuilder,
    /// The searcher for files that are read piece by piece or decoded, created when there is one: its buffers are 72
    /// KiB that are cleared. In a Grep for an absent word four of them were 38 % of all instructions.
    plain: Option<Searcher>,
    /// The searcher for texts in memory without a NUL. It has no buffer, and does not search for a NUL, which took as
    /// long as searching for the pattern.
    of_texts: Option<Searcher>,
    buffer: Vec<u8>,
}

impl<'s> SearchReader<'s> {
    pub(crate) fn new(pattern: &Pattern, stop: &'s dyn Stop) -> Self {
        let mut builder = SearcherBuilder::new();
        builder
            .line_number(false)
            .multi_line(pattern.span == MatchSpan::MultiLine)
            .line_terminator(pattern.line_end())
            .heap_limit(Some(MAX_WHOLE_BYTES))
            .binary_detection(BinaryDetection::quit(0));
        SearchReader {
            stop,
            spans_lines: pattern.spans_lines(),
            nul: NulByte::Ends,
            plain: None,
            of_texts: None,
            builder,
            buffer: Vec::new(),
        }
    }

    /// Returns a reader that also reports line numbers and context lines.
    pub(crate) fn with_context(&self, before: usize, after: usize) -> Self {
        self.with_options(|builder| {
            builder.before_context(before).after_context(after);
        })
    }

    /// Returns a reader that reports line numbers, with other options of the searcher.
    pub(crate) fn with_options(&self, set: impl FnOnce(&mut SearcherBuilder)) -> Self {
        let mut builder = self.builder.clone();
        builder.line_number(true);
        set(&mut builder);
        SearchReader {
            stop: self.stop,
            spans_lines: self.spans_lines,
            nul: self.nul,
            plain: None,
            of_texts: None,
            builder,
            buffer: Vec::new(),
        }
    }

    /// Searches the whole content of a file, which the caller has in memory, as [`SearchReader::search`] does.
    pub(crate) fn search_bytes<S: Sink<Error = io::Error>>(
        &mut self,
        matcher: &StoppableMatcher<'_>,
        bytes: &[u8],
        encoding: Option<&'static str>,
        sink: S,
    ) -> Result<bool, FileOutcome> {
        let nul = self.nul;
        let (text, cut) = match find_nul(bytes, encoding) {
            _ if nul == NulByte::EndsLine => (bytes, false),
            Some(at) if at < NUL_WINDOW => return Err(FileOutcome::Binary),
            Some(at) => (&bytes[..at], true),
            None => (bytes, false),
        };
        if nul == NulByte::Ends && encoding.is_none() && !has_byte_order_mark(text) {
            return Ok(self.search_text(matcher, text, sink)? || cut);
        }
        let mut seen = BinarySink {
            sink,
            nul,
            binary: None,
        };
        let mut other = None;
        let searcher = searcher_for(&self.builder, &mut self.plain, &mut other, encoding);
        // With an encoding, the text that is searched differs from these bytes.
        if encoding.is_none() {
            matcher.detect_alphabet(text);
        }
        let done = searcher.search_slice(matcher, text, &mut seen);
        matcher.set_alphabet(TextAlphabet::Any);
        finish_search(matcher, done, seen.binary, cut)
    }

    /// Searches a text in memory that has no NUL byte and no byte order mark of UTF-16. Returns false, since nothing
    /// ends its search.
    pub(crate) fn search_text<S: Sink<Error = io::Error>>(
        &mut self,
        matcher: &StoppableMatcher<'_>,
        text: &[u8],
        sink: S,
    ) -> Result<bool, FileOutcome> {
        let builder = &self.builder;
        let searcher = match has_byte_order_mark(text) {
            // The byte order mark is removed through the buffer.
            true => self.plain.get_or_insert_with(|| builder.build()),
            false => self.of_texts.get_or_insert_with(|| {
                let mut builder = builder.clone();
                builder.binary_detection(BinaryDetection::none());
                builder.heap_limit(Some(1)).build()
            }),
        };
        matcher.detect_alphabet(text);
        let done = searcher.search_slice(matcher, text, sink);
        matcher.set_alphabet(TextAlphabet::Any);
        finish_search(matcher, done, None, false)
    }

    /// Searches a file. Returns whether a NUL beyond the first window ended the search, or why the file was not
    /// searched.
    pub(crate) fn search<S: Sink<Error = io::Error>>(
        &mut self,
        matcher: &StoppableMatcher<'_>,
        leaf: Result<FileReader, ReadError>,
        encoding: Option<&'static str>,
        sink: S,
    ) -> Result<bool, FileOutcome> {
        let mut leaf = leaf.map_err(|error| FileOutcome::from(&error))?;
        let mut buffer = std::mem::take(&mut self.buffer);
        let whole = leaf
            .read_whole(&mut buffer, MAX_SINGLE_PIECE)
            .map_err(|_| FileOutcome::Unreadable);
        if whole != Ok(false) {
            let searched = whole.and_then(|_| self.search_bytes(matcher, &buffer, encoding, sink));
            self.buffer = buffer;
            return searched;
        }
        let nul = self.nul;
        let mut seen = BinarySink {
            sink,
            nul,
            binary: None,
        };
        let mut other = None;
        let searcher = searcher_for(&self.builder, &mut self.plain, &mut other, encoding);
        // A sink that prints must not get lines of a file that turns out to be binary.
        let first_nul = find_nul(&buffer, encoding).filter(|_| nul == NulByte::Ends);
        drop(buffer);
        if first_nul.is_some_and(|at| at < NUL_WINDOW) {
            return Err(FileOutcome::Binary);
        }
        let _one_at_a_time = if self.spans_lines {
            Some(wait_for_memory(self.stop)?)
        } else {
            None
        };
        let size = leaf.stat().map_err(|_| FileOutcome::Unreadable)?.size;
        let mut text = ReadUntilNul {
            leaf,
            stop: self.stop,
            nul_is_text: encoding.is_some() || nul == NulByte::EndsLine,
            offset: 0,
            longest: 0,
            line: 0,
            cut: None,
        };
        let done = if self.spans_lines {
            // Read into memory of the exact size; the searcher would allocate the next power of two.
            let whole = text.read_all(size)?;
            searcher.search_slice(matcher, whole.text(), &mut seen)
        } else {
            searcher.search_reader(matcher, &mut text, &mut seen)
        };
        let (cut, longest) = (text.cut, text.longest.max(text.line));
        if self.spans_lines || longest > MAX_RETAINED_BUFFER {
            // Release the buffers that grew for a large file.
            self.plain = None;
        }
        match cut {
            Some(at) if at < NUL_WINDOW as u64 => Err(FileOutcome::Binary),
            cut => finish_search(matcher, done, seen.binary, cut.is_some()),
        }
    }
}

/// Returns the searcher for an encoding that the settings name; it is created in `other`.
fn searcher_for<'a>(
    builder: &SearcherBuilder,
    plain: &'a mut Option<Searcher>,
    other: &'a mut Option<Searcher>,
    encoding: Option<&'static str>,
) -> &'a mut Searcher {
    match encoding.and_then(|label| Encoding::new(label).ok()) {
        None => plain.get_or_insert_with(|| builder.build()),
        Some(encoding) => other.insert(builder.clone().encoding(Some(encoding)).build()),
    }
}

/// Waits until no other large file is in memory, or the search is stopped.
fn wait_for_memory(stop: &dyn Stop) -> Result<MutexGuard<'static, ()>, FileOutcome> {
    loop {
        match LARGE_FILE.try_lock() {
            Ok(turn) => return Ok(turn),
            Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if stop.should_stop() => {
                return Err(FileOutcome::Stopped);
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(CHECK_STOP_EVERY),
        }
    }
}

/// Finds the first NUL, unless the encoding is one whose characters contain NULs.
fn find_nul(bytes: &[u8], encoding: Option<&'static str>) -> Option<usize> {
    if encoding.is_some() || has_wide_mark(bytes) {
        return None;
    }
    memchr::memchr(0, bytes)
}

/// Returns whether the text begins with a byte order mark.
fn has_byte_order_mark(text: &[u8]) -> bool {
    text.starts_with(&[0xEF, 0xBB, 0xBF]) || has_wide_mark(text)
}

fn finish_search(
    matcher: &StoppableMatcher<'_>,
    done: io::Result<()>,
    binary: Option<u64>,
    cut: bool,
) -> Result<bool, FileOutcome> {
    if matcher.take_stopped() {
        return Err(FileOutcome::Stopped);
    }
    match (done, binary) {
        (Ok(()), None) => Ok(cut),
        (Ok(()), Some(at)) if at < NUL_WINDOW as u64 => Err(FileOutcome::Binary),
        (Ok(()), Some(_)) => Ok(true),
        (Err(error), _) => Err(match error.kind() {
            // `ReadUntilNul` reports a stop with this kind.
            io::ErrorKind::TimedOut => FileOutcome::Stopped,
            // The searcher reports "over the memory limit" without an error kind.
            io::ErrorKind::Other => FileOutcome::TooLarge,
            _ => FileOutcome::Unreadable,
        }),
    }
}

/// Reads a large file up to its first NUL, or until the search is stopped.
struct ReadUntilNul<'s> {
    leaf: FileReader,
    stop: &'s dyn Stop,
    nul_is_text: bool,
    offset: u64,
    /// The longest line so far, and the length of the current one.
    longest: usize,
    line: usize,
    cut: Option<u64>,
}

impl ReadUntilNul<'_> {
    /// Reads the whole file into memory, if it is within the bound.
    fn read_all(&mut self, size: u64) -> Result<MappedText, FileOutcome> {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size > MAX_WHOLE_BYTES {
            return Err(FileOutcome::TooLarge);
        }
        // One byte more, so that the end of the file is noticed.
        let mut text = MappedText::with_capacity(size + 1)?;
        loop {
            if text.length > MAX_WHOLE_BYTES {
                return Err(FileOutcome::TooLarge);
            }
            if text.length == text.memory.len() {
                // The file has grown since its size was read.
                text = text.into_larger()?;
            }
            let read = match self.read(&mut text.memory[text.length..]) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    return Err(FileOutcome::Stopped);
                }
                Err(_) => return Err(FileOutcome::Unreadable),
            };
            text.length += read;
            if read == 0 {
                return Ok(text);
            }
        }
    }
}

impl Read for ReadUntilNul<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.cut.is_some() {
            return Ok(0);
        }
        if self.stop.should_stop() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        // Bounds one read, however large the buffer has grown, so that a stop is noticed.
        let most = into.len().min(MAX_SINGLE_PIECE);
        let read = self.leaf.read(&mut into[..most])?;
        let piece = &into[..read];
        if self.offset == 0 && has_wide_mark(piece) {
            self.nul_is_text = true;
        }
        if !self.nul_is_text
            && let Some(at) = memchr::memchr(0, piece)
        {
            self.cut = Some(self.offset + at as u64);
            return Ok(at);
        }
        self.offset += read as u64;
        match memchr::memrchr(b'\n', piece) {
            // Lines within a piece are not longer than the largest buffer that is not released.
            Some(at) => {
                self.longest = self.longest.max(self.line + read);
                self.line = read - at;
            }
            None => self.line += read,
        }
        Ok(read)
    }
}
