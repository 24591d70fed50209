//! The lines of a large file for a page of Read: only the bytes of these lines are read.

use std::borrow::Cow;
use std::ops::Range;

use lancet_text::Endings;

use super::{LargeFile, READ_SIZE, starts_character};
use crate::refusal::Refusal;
use crate::stages::examine::read::source::{PageLine, PageSource, ReadExtent};

impl PageSource for LargeFile<'_> {
    fn count_lines(&self) -> usize {
        usize::try_from(self.facts().line_count()).unwrap_or(usize::MAX)
    }

    fn read_lines(&self, first: usize) -> impl Iterator<Item = Result<PageLine<'_>, Refusal>> {
        // A longer line is cut in the answer, so no more of it is read; a character has at most four bytes.
        let most = self.context.engine().settings.read.max_line_chars;
        let most = most.saturating_mul(4).saturating_add(4);
        let mut next = None;
        std::iter::from_fn(move || {
            let start = match next {
                Some(start) => Ok(start),
                None => self.line_offset(first as u64),
            };
            let line = start
                .and_then(|start| self.rest_of_line(start))
                .and_then(|line| self.read_part(line, most));
            next = line.as_ref().ok().map(|line| line.end);
            Some(line)
        })
    }

    fn read_from(&self, line: usize, column: usize, most: usize) -> Result<PageLine<'_>, Refusal> {
        let start = self.line_offset(line as u64)?;
        let mut at = start.max(self.facts().text_start());
        let whole = self.rest_of_line(start)?;
        let end = self.text_end(&whole)?;
        let mut left = column;
        while left > 0 && at < end {
            self.context.check_time()?;
            let length = usize::try_from(end - at)
                .unwrap_or(READ_SIZE)
                .min(READ_SIZE);
            let bytes = self.read(at, length)?.bytes;
            let characters = bytes
                .iter()
                .enumerate()
                .filter(|(_, byte)| starts_character(byte));
            match characters.clone().nth(left) {
                Some((found, _)) => {
                    at += found as u64;
                    left = 0;
                }
                None => {
                    left -= characters.count();
                    at += bytes.len() as u64;
                }
            }
        }
        self.read_part(at..whole.end, most)
    }

    fn file_range(&self, range: Range<u64>) -> Range<u64> {
        match range.start <= self.facts().text_start() {
            true => 0..range.end,
            false => range,
        }
    }
}

impl LargeFile<'_> {
    /// Reads the rest of a line, given as its bytes from the first wanted one to the end; at most `most` of them.
    fn read_part(&self, rest: Range<u64>, most: usize) -> Result<PageLine<'_>, Refusal> {
        self.context.check_time()?;
        let start = rest.start.max(self.facts().text_start());
        let left = usize::try_from(rest.end.saturating_sub(start)).unwrap_or(usize::MAX);
        let stretch = self.read(start, left.min(most))?;
        let document = stretch.document(self.facts().endings());
        let extent = match document.is_some() && left <= most {
            true => ReadExtent::ToEnd,
            false => ReadExtent::Beginning,
        };
        let mut text = document.map_or_else(String::new, |document| document.view().to_owned());
        if text.ends_with('\n') {
            text.pop();
        }
        Ok(PageLine {
            text: Cow::Owned(text),
            start,
            end: rest.end,
            extent,
        })
    }

    /// Returns the offset where a line's text ends and its line end begins.
    pub(super) fn text_end(&self, whole: &Range<u64>) -> Result<u64, Refusal> {
        let from = whole.end.saturating_sub(2).max(whole.start);
        let length = usize::try_from(whole.end - from).unwrap_or(2);
        let ending = match (
            self.read(from, length)?.bytes.as_slice(),
            self.facts().endings(),
        ) {
            ([.., b'\r', b'\n'], Endings::Crlf) => 2,
            ([.., b'\n'], _) => 1,
            _ => 0,
        };
        Ok(whole.end - ending)
    }
}
