//! Line ends: which kinds a file has, how the text of a model is normalized before it is compared, and where lines
//! start in a decoded text, in which every line end is one LF.

use crate::byte_lanes::count_newlines;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The line ends of a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endings {
    /// The file has no line end.
    None,
    /// LF only.
    Lf,
    /// CR LF only.
    Crlf,
    /// Lone CRs only. In a file with any LF a lone CR is a character of its line.
    Cr,
    /// More than one kind, or CR CR LF.
    Mixed,
}

/// The line end that a new text gets throughout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineEnd {
    /// Each line end stays as it was sent.
    AsSent,
    /// Every line end is LF.
    Lf,
    /// Every line end is CR LF.
    Crlf,
    /// Every line end is a lone CR.
    Cr,
}

/// One line end of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Terminator {
    Lf,
    Crlf,
    Cr,
    CrCrLf,
}

impl Endings {
    /// Returns the name that results use: `none`, `lf`, `crlf`, `cr` or `mixed`.
    pub fn name(self) -> &'static str {
        match self {
            Endings::None => "none",
            Endings::Lf => "lf",
            Endings::Crlf => "crlf",
            Endings::Cr => "cr",
            Endings::Mixed => "mixed",
        }
    }

    /// Returns the line end for a text that replaces a whole file with these line ends: that of the file, if it has one
    /// kind.
    pub fn line_end(self) -> LineEnd {
        match self {
            Endings::None | Endings::Mixed => LineEnd::AsSent,
            Endings::Lf => LineEnd::Lf,
            Endings::Crlf => LineEnd::Crlf,
            Endings::Cr => LineEnd::Cr,
        }
    }
}

impl std::fmt::Display for Endings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Terminator {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Terminator::Lf => "\n",
            Terminator::Crlf => "\r\n",
            Terminator::Cr => "\r",
            Terminator::CrCrLf => "\r\r\n",
        }
    }
}

/// The number of line ends of each kind in a text that is read in parts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LineEndCounts {
    pub(crate) lf: u64,
    pub(crate) crlf: u64,
    pub(crate) cr_cr_lf: u64,
    /// CRs without a following LF; they end lines only where all other counts are zero.
    pub(crate) lone_cr: u64,
}

impl LineEndCounts {
    pub(crate) fn endings(&self) -> Endings {
        match (self.lf, self.crlf, self.cr_cr_lf, self.lone_cr) {
            (0, 0, 0, 0) => Endings::None,
            (0, 0, 0, _) => Endings::Cr,
            (_, 0, 0, _) => Endings::Lf,
            (0, _, 0, _) => Endings::Crlf,
            _ => Endings::Mixed,
        }
    }
}

/// Returns the text of a model in the form in which it is compared with a decoded file: CR LF and CR CR LF become LF; a
/// lone CR does so only where lone CRs end the lines of the file.
pub fn normalize_newlines(text: &str, document_endings: Endings) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let joined = without_carriage_returns(text);
    if document_endings == Endings::Cr && joined.contains('\r') {
        return Cow::Owned(joined.replace('\r', "\n"));
    }
    joined
}

/// Returns the text with LF for CR LF and CR CR LF; other CRs stay.
pub(crate) fn without_carriage_returns(text: &str) -> Cow<'_, str> {
    if memchr::memmem::find(text.as_bytes(), b"\r\n").is_none() {
        return Cow::Borrowed(text);
    }
    let mut joined = String::with_capacity(text.len());
    let mut from = 0;
    for at in memchr::memchr_iter(b'\n', text.as_bytes()) {
        let line = &text[from..at];
        joined.push_str(&line[..line.len() - count_trailing_carriage_returns(line.as_bytes())]);
        joined.push('\n');
        from = at + 1;
    }
    joined.push_str(&text[from..]);
    Cow::Owned(joined)
}

/// Returns how many CRs at the end of `line` belong to the LF after it, at most two.
pub(crate) fn count_trailing_carriage_returns(line: &[u8]) -> usize {
    match line {
        [.., b'\r', b'\r'] => 2,
        [.., b'\r'] => 1,
        _ => 0,
    }
}

/// The distance between two entries of a line index: finding a line in a block takes less than a microsecond, and the
/// index is a five-hundredth of the text.
const INDEX_BLOCK: usize = 4 << 10;

/// The length of the parts in which the newlines of a block are counted, which is fast. Only in the part with the
/// wanted newline are they visited one by one.
const COUNTED_PIECE: usize = 256;

/// The maximal distance of a line or an offset from the place that was found last for a search to start there. The
/// lines around a change are requested one after another; from the beginning of their block that took 22,000 of the
/// 549,521 instructions of an Edit of 10 KB.
const NEARBY_DISTANCE: usize = 1 << 10;

/// A sparse index of the lines of a text: for each block, the number of newlines before it.
#[derive(Debug)]
pub(crate) struct LineIndex {
    before: Vec<usize>,
    newlines: usize,
    /// The line that was found last.
    last: Mutex<LineBegin>,
}

/// A line, counted from 0, and where it starts.
#[derive(Clone, Copy, Debug, Default)]
struct LineBegin {
    line: usize,
    start: usize,
}

impl LineIndex {
    pub(crate) fn new(text: &str) -> LineIndex {
        let mut before = Vec::with_capacity(text.len() / INDEX_BLOCK + 1);
        let mut newlines = 0;
        for block in text.as_bytes().chunks(INDEX_BLOCK) {
            before.push(newlines);
            newlines += count_newlines(block);
        }
        LineIndex {
            before,
            newlines,
            last: Mutex::default(),
        }
    }

    pub(crate) fn line_count(&self, text: &str) -> usize {
        let open = !text.is_empty() && !text.ends_with('\n');
        self.newlines + usize::from(open)
    }

    /// Returns how many newlines are before the offset `at`.
    pub(crate) fn newlines_before(&self, text: &str, at: usize) -> usize {
        let at = at.min(text.len());
        let last = self.last_found();
        if at.abs_diff(last.start) <= NEARBY_DISTANCE {
            let newlines = |between: Range<usize>| count_newlines(&text.as_bytes()[between]);
            return match at.checked_sub(last.start) {
                Some(_) => last.line + newlines(last.start..at),
                None => last.line - newlines(at..last.start),
            };
        }
        let block = at / INDEX_BLOCK;
        // After a text that consists of whole blocks there is no further block.
        let Some(before) = self.before.get(block) else {
            return self.newlines;
        };
        before + count_newlines(&text.as_bytes()[block * INDEX_BLOCK..at])
    }

    /// Returns where line `line` starts, counted from 0; the end of the text for a line that does not exist.
    pub(crate) fn line_start(&self, text: &str, line: usize) -> usize {
        if line == 0 {
            return 0;
        }
        if line > self.newlines {
            return text.len();
        }
        let near = self.line_start_nearby(text, line);
        let start = near.unwrap_or_else(|| self.line_start_by_block(text, line));
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = LineBegin { line, start };
        start
    }

    /// Returns where a line starts that is close to the one that was found last; it must not be the first line.
    fn line_start_nearby(&self, text: &str, line: usize) -> Option<usize> {
        let (last, bytes) = (self.last_found(), text.as_bytes());
        let newline = match line.checked_sub(last.line) {
            Some(0) => return Some(last.start),
            Some(below) => {
                let near = &bytes[last.start..text.len().min(last.start + NEARBY_DISTANCE)];
                last.start + memchr::memchr_iter(b'\n', near).nth(below - 1)?
            }
            None => {
                let from = last.start.saturating_sub(NEARBY_DISTANCE);
                let near = &bytes[from..last.start];
                from + memchr::memrchr_iter(b'\n', near).nth(last.line - line)?
            }
        };
        Some(newline + 1)
    }

    fn last_found(&self) -> LineBegin {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns where a line starts; it must be neither the first line nor after the last one.
    fn line_start_by_block(&self, text: &str, line: usize) -> usize {
        // The line starts after newline number `line`, counted from 1, which is in the last block with fewer newlines
        // before it.
        let block = self.before.partition_point(|before| *before < line) - 1;
        let mut from = block * INDEX_BLOCK;
        let mut wanted = line - self.before[block];
        for piece in text.as_bytes()[from..].chunks(COUNTED_PIECE) {
            let newlines = count_newlines(piece);
            if newlines >= wanted {
                break;
            }
            wanted -= newlines;
            from += piece.len();
        }
        memchr::memchr_iter(b'\n', &text.as_bytes()[from..])
            .nth(wanted - 1)
            .map_or(text.len(), |at| from + at + 1)
    }
}

/// The ranges of the lines of a text from one offset on, without newlines; returned by
/// [`Document::lines_from`](crate::Document::lines_from).
#[derive(Clone, Debug)]
pub struct Lines<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str, at: usize) -> Lines<'t> {
        Lines { text, at }
    }
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.at >= self.text.len() {
            return None;
        }
        let start = self.at;
        let end = line_end(self.text, start);
        self.at = end + 1;
        Some(start..end)
    }
}

/// Returns where the line that holds `at` ends: at its newline or at the end of the text.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |newline| at + newline)
}

#[cfg(test)]
mod tests;
