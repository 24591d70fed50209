//! The lines that a page shows: of a document that is held in memory, or of a large file that is read in stretches.

use std::borrow::Cow;
use std::ops::Range;

use lancet_text::Document;

use crate::ledger::raw;
use crate::refusal::Refusal;

/// A line, or the part of it that was read. Positions are those of the source.
pub(crate) struct PageLine<'t> {
    /// The text without its line end.
    pub(crate) text: Cow<'t, str>,
    /// Where the text begins.
    pub(crate) start: u64,
    /// Where the line ends, its line end included.
    pub(crate) end: u64,
    pub(crate) extent: Extent,
}

/// How far a line was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    ToEnd,
    /// Only the beginning, which is more than a page shows of a line.
    Beginning,
}

impl PageLine<'_> {
    /// The part of the source that is seen where so many bytes of the text are shown.
    pub(super) fn shown(&self, bytes: usize) -> Range<u64> {
        match self.is_whole(bytes) {
            true => self.start..self.end,
            false => self.start..self.start + bytes as u64,
        }
    }

    /// Whether so many bytes are all of the line's text.
    pub(super) fn is_whole(&self, bytes: usize) -> bool {
        self.extent == Extent::ToEnd && bytes == self.text.len()
    }
}

/// A text whose lines, counted from 0, are read one after the other.
pub(crate) trait PageSource {
    fn count_lines(&self) -> usize;
    /// The lines from one on.
    fn read_lines(&self, first: usize) -> impl Iterator<Item = Result<PageLine<'_>, Refusal>>;
    /// A line from a character on; at most about `most` bytes of it need to be read.
    fn read_from(&self, line: usize, column: usize, most: usize) -> Result<PageLine<'_>, Refusal>;
    /// The bytes of the file that a range of the source stands for. From the start of the text on they include the BOM.
    fn file_range(&self, range: Range<u64>) -> Range<u64>;
}

impl PageSource for Document<'_> {
    fn count_lines(&self) -> usize {
        self.line_count()
    }

    fn read_lines(&self, first: usize) -> impl Iterator<Item = Result<PageLine<'_>, Refusal>> {
        let view = self.view();
        // One after the other: looking each line up by itself was two thirds of the instructions of a Read of 1 MB.
        self.lines_from(first).map(move |range| {
            Ok(PageLine {
                start: range.start as u64,
                end: view.len().min(range.end + 1) as u64,
                text: Cow::Borrowed(&view[range]),
                extent: Extent::ToEnd,
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
            end: self.line_range_whole(line).end as u64,
            extent: Extent::ToEnd,
        })
    }

    fn file_range(&self, range: Range<u64>) -> Range<u64> {
        raw(self, range.start as usize..range.end as usize)
    }
}
