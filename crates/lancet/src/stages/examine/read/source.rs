//! The source of a page's lines: a document in memory, or a large file that is read by offset.

use std::borrow::Cow;
use std::ops::Range;

use lancet_text::Document;

use crate::ledger::raw_range;
use crate::refusal::Refusal;

/// A line, or the part of it that was read. Positions are offsets in the source.
pub(crate) struct PageLine<'t> {
    /// The text without its line end.
    pub(crate) text: Cow<'t, str>,
    /// The offset of the text.
    pub(crate) start: u64,
    /// The offset of the end of the line, its line end included.
    pub(crate) end: u64,
    pub(crate) extent: ReadExtent,
}

/// How much of a line was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadExtent {
    ToEnd,
    /// Only the beginning, which is longer than the part of a line that a page shows.
    Beginning,
}

impl PageLine<'_> {
    /// Returns the part of the source that counts as seen where this many bytes of the text are shown.
    pub(super) fn seen_range(&self, bytes: usize) -> Range<u64> {
        match self.is_whole(bytes) {
            true => self.start..self.end,
            false => self.start..self.start + bytes as u64,
        }
    }

    /// Returns whether this many bytes are the whole text of the line.
    pub(super) fn is_whole(&self, bytes: usize) -> bool {
        self.extent == ReadExtent::ToEnd && bytes == self.text.len()
    }
}

/// A text whose lines, counted from 0, are read one after the other.
pub(crate) trait PageSource {
    fn count_lines(&self) -> usize;
    /// Reads the lines from `first` on.
    fn read_lines(&self, first: usize) -> impl Iterator<Item = Result<PageLine<'_>, Refusal>>;
    /// Reads a line from a character on; at most about `most` bytes of it are needed.
    fn read_from(&self, line: usize, column: usize, most: usize) -> Result<PageLine<'_>, Refusal>;
    /// Returns the bytes of the file that a range of the source represents. A range from the start includes the byte
    /// order mark.
    fn file_range(&self, range: Range<u64>) -> Range<u64>;
}

impl PageSource for Document<'_> {
    fn count_lines(&self) -> usize {
        self.line_count()
    }

    fn read_lines(&self, first: usize) -> impl Iterator<Item = Result<PageLine<'_>, Refusal>> {
        let view = self.view();
        // The lines are read in sequence: looking up each one separately took two thirds of the instructions of a 1 MB
        // Read.
        self.lines_from(first).map(move |range| {
            Ok(PageLine {
                start: range.start as u64,
                end: view.len().min(range.end + 1) as u64,
                text: Cow::Borrowed(&view[range]),
                extent: ReadExtent::ToEnd,
            })
        })
    }

    fn read_from(&self, line: usize, column: usize, _most: usize) -> Result<PageLine<'_>, Refusal> {
        let range = self.line_range(line);
        let text = &self.view()[range.clone()];
        let skipped = text.char_indices().nth(column);
        let skipped = skipped.map_or(text.len(), |(at, _)| at);
        Ok(PageLine {
            text: Cow::Borrowed(&text[skipped..]),
            start: (range.start + skipped) as u64,
            end: self.line_range_with_end(line).end as u64,
            extent: ReadExtent::ToEnd,
        })
    }

    fn file_range(&self, range: Range<u64>) -> Range<u64> {
        raw_range(self, range.start as usize..range.end as usize)
    }
}
