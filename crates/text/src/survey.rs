//! A survey of a file that is too large to load, by one pass over it in buffers of any size: its line ends, where its
//! lines are, and whether it is UTF-8. A survey stores two counts, of 16 bytes together, for each 64 KiB of the file.

use crate::byte_lanes::count_newlines;
use crate::encoding::{Encoding, NotText, PDF_TAIL_LENGTH, binary_kind, binary_kind_without_nul};
use crate::lines::{Endings, LineEndCounts, count_trailing_carriage_returns};

/// The distance between two entries of the index.
const INDEX_BLOCK: usize = 64 << 10;

/// The number of first bytes that are stored, to name binary data by.
const HEAD_LENGTH: usize = 300;

/// A pass over a file: feed it the bytes in order, then call [`Survey::finish`].
///
/// ```
/// use lancet_text::Survey;
///
/// let mut survey = Survey::new();
/// survey.feed(b"one\r\ntw");
/// survey.feed(b"o\r\n");
/// let facts = survey.finish();
/// assert_eq!((facts.line_count(), facts.endings().name()), (2, "crlf"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Survey {
    length: u64,
    /// The first bytes, at most [`HEAD_LENGTH`].
    head: Vec<u8>,
    /// The last bytes, at least as many as are searched for the end marker of a PDF.
    tail: Vec<u8>,
    last: Option<u8>,
    line_feeds: BlockCounts,
    returns: BlockCounts,
    line_ends: LineEndCounts,
    /// The number of CRs that the bytes so far end in, at most two.
    pending_crs: usize,
    utf8: Utf8Check,
    seen: SeenBytes,
}

/// The number of occurrences of one byte in the file, and before each block.
#[derive(Clone, Debug, Default)]
struct BlockCounts {
    count: u64,
    before: Vec<u64>,
}

/// Whether the bytes so far are UTF-8, apart from a sequence that is not complete yet.
#[derive(Clone, Debug, Default)]
struct Utf8Check {
    incomplete: Vec<u8>,
    broken: bool,
}

/// Whether the bytes so far contain a NUL, and whether they contain a byte beyond ASCII.
#[derive(Clone, Copy, Debug, Default)]
struct SeenBytes {
    nul: bool,
    high: bool,
}

/// The result of a survey.
#[derive(Clone, Debug)]
pub struct SurveyFacts {
    length: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
    endings: Endings,
    line_count: u64,
    lines: BlockCounts,
    utf8: bool,
    seen: SeenBytes,
}

/// A place of a file from which a line can be found by counting line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexedBlock {
    /// The offset of its first byte.
    pub offset: u64,
    /// The number of line ends before it.
    pub lines_before: u64,
}

impl Survey {
    /// Returns a survey of no bytes yet.
    pub fn new() -> Survey {
        Survey::default()
    }

    /// Processes the next bytes of the file.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        let wanted = HEAD_LENGTH.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..wanted]);
        while !bytes.is_empty() {
            let within = (self.length % INDEX_BLOCK as u64) as usize;
            if within == 0 {
                self.line_feeds.open_block();
                self.returns.open_block();
            }
            let (piece, rest) = bytes.split_at(bytes.len().min(INDEX_BLOCK - within));
            self.process_piece(piece);
            bytes = rest;
        }
    }

    /// Processes a part of one block. The part is scanned several times while it is in the cache.
    fn process_piece(&mut self, piece: &[u8]) {
        self.length += piece.len() as u64;
        let kept = self
            .tail
            .len()
            .min(PDF_TAIL_LENGTH.saturating_sub(piece.len()));
        self.tail.drain(..self.tail.len() - kept);
        self.tail
            .extend_from_slice(&piece[piece.len().saturating_sub(PDF_TAIL_LENGTH)..]);
        self.last = piece.last().copied();
        self.seen.nul = self.seen.nul || memchr::memchr(0, piece).is_some();
        self.seen.high = self.seen.high || !piece.is_ascii();
        self.utf8.process_piece(piece);
        let line_feeds = count_newlines(piece) as u64;
        self.line_feeds.count += line_feeds;
        if self.pending_crs == 0 && memchr::memchr(b'\r', piece).is_none() {
            self.line_ends.lf += line_feeds;
            return;
        }
        self.returns.count += memchr::memchr_iter(b'\r', piece).count() as u64;
        let mut from = 0;
        for at in memchr::memchr_iter(b'\n', piece) {
            match self.carriage_returns_before(&piece[from..at]) {
                0 => self.line_ends.lf += 1,
                1 => self.line_ends.crlf += 1,
                _ => self.line_ends.cr_cr_lf += 1,
            }
            self.pending_crs = 0;
            from = at + 1;
        }
        self.pending_crs = self.carriage_returns_before(&piece[from..]);
    }

    /// Returns how many CRs the bytes so far and `text` end in, at most two.
    fn carriage_returns_before(&self, text: &[u8]) -> usize {
        let returns = count_trailing_carriage_returns(text);
        if returns == text.len() {
            return (returns + self.pending_crs).min(2);
        }
        returns
    }

    /// Returns whether a NUL was among the bytes so far. A file with NULs that is too large to be loaded is not read as
    /// text.
    pub fn contains_nul(&self) -> bool {
        self.seen.nul
    }

    /// Returns the facts, once all bytes were fed.
    pub fn finish(mut self) -> SurveyFacts {
        self.line_ends.lone_cr =
            self.returns.count - self.line_ends.crlf - 2 * self.line_ends.cr_cr_lf;
        let endings = self.line_ends.endings();
        let (lines, end) = match endings {
            Endings::Cr => (self.returns, b'\r'),
            _ => (self.line_feeds, b'\n'),
        };
        let open = self.last.is_some_and(|last| last != end);
        SurveyFacts {
            length: self.length,
            head: self.head,
            tail: self.tail,
            endings,
            line_count: lines.count + u64::from(open),
            lines,
            utf8: !self.utf8.broken && self.utf8.incomplete.is_empty(),
            seen: self.seen,
        }
    }
}

impl BlockCounts {
    fn open_block(&mut self) {
        self.before.push(self.count);
    }
}

impl Utf8Check {
    fn process_piece(&mut self, mut piece: &[u8]) {
        while !self.broken && !self.incomplete.is_empty() && !piece.is_empty() {
            self.incomplete.push(piece[0]);
            piece = &piece[1..];
            match std::str::from_utf8(&self.incomplete) {
                Ok(_) => self.incomplete.clear(),
                Err(error) => self.broken = error.error_len().is_some(),
            }
        }
        if self.broken {
            return;
        }
        if let Err(error) = simdutf8::compat::from_utf8(piece) {
            self.broken = error.error_len().is_some();
            self.incomplete = piece[error.valid_up_to()..].to_vec();
        }
    }
}

impl SurveyFacts {
    /// Returns the length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns the line ends of the file. They are meaningful only where [`SurveyFacts::encoding`] is known.
    pub fn endings(&self) -> Endings {
        self.endings
    }

    /// Returns how many lines the file has.
    pub fn line_count(&self) -> u64 {
        self.line_count
    }

    /// Returns the encoding, where the bytes are UTF-8, or ASCII in the encoding that the settings name. A file in any
    /// other encoding has to be loaded as a whole.
    pub fn encoding(&self, configured: Option<Encoding>) -> Option<Encoding> {
        if !self.utf8 || self.seen.nul {
            return None;
        }
        if self.head.starts_with(Encoding::UTF8_BOM.mark_bytes()) {
            return Some(Encoding::UTF8_BOM);
        }
        let holds = |encoding: &Encoding| !self.seen.high && encoding.extends_ascii();
        Some(configured.filter(holds).unwrap_or(Encoding::UTF8))
    }

    /// Returns the offset where the text starts: after the byte order mark, if there is one.
    pub fn text_start(&self) -> u64 {
        let mark = Encoding::UTF8_BOM.mark_bytes();
        if self.head.starts_with(mark) {
            mark.len() as u64
        } else {
            0
        }
    }

    /// Returns the reason to report where the file is not text.
    pub fn not_text(&self) -> NotText {
        let kind = binary_kind(&self.head);
        NotText::Binary { kind }
    }

    /// Returns why the file is not text although it looks like it (a PDF without NUL bytes); `None` where it may be
    /// text.
    pub fn not_text_reason(&self) -> Option<NotText> {
        binary_kind_without_nul(&self.head, &self.tail).map(|kind| NotText::Binary { kind })
    }

    /// Returns the byte that ends a line, alone or as the last of several.
    pub fn line_end_byte(&self) -> u8 {
        match self.endings {
            Endings::Cr => b'\r',
            _ => b'\n',
        }
    }

    /// Returns the block that contains an offset, to find out which line is there.
    pub fn block_at(&self, offset: u64) -> IndexedBlock {
        let block = usize::try_from(offset / INDEX_BLOCK as u64).unwrap_or(usize::MAX);
        let block = block.min(self.lines.before.len().saturating_sub(1));
        IndexedBlock {
            offset: block as u64 * INDEX_BLOCK as u64,
            lines_before: self.lines.before.get(block).copied().unwrap_or(0),
        }
    }

    /// Returns where to start searching for a line, counted from 0. The line starts after `line - lines_before` further
    /// line ends; line 0 starts at the start of the file. For a line that does not exist it is the last block.
    pub fn block_of_line(&self, line: u64) -> IndexedBlock {
        let after = self.lines.before.partition_point(|before| *before < line);
        let block = after.saturating_sub(1);
        IndexedBlock {
            offset: block as u64 * INDEX_BLOCK as u64,
            lines_before: self.lines.before.get(block).copied().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests;
