//! Rows for programs: one for each line, or one for each file.

use std::io;
use std::path::Path;

use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::output::FileOutput;
use super::{FileRow, PrintMode, PrintSearch, RowFormat};
use crate::excerpt::{LineRole, MatchedLines, build_line};
use crate::file_search::MatchIterator;
use crate::stoppable::StoppableMatcher;

/// Formats the lines of one file as they are found, or the file at its end.
pub(super) struct RowSink<'r, 'o, 's> {
    printed: PrintMode,
    format: Option<RowFormat<'r>>,
    matcher: &'r StoppableMatcher<'s>,
    path: &'r Path,
    output: &'r mut FileOutput<'o>,
    matches: u64,
}

impl<'r, 'o, 's> RowSink<'r, 'o, 's> {
    pub(super) fn new(
        search: &'r PrintSearch<'r>,
        matcher: &'r StoppableMatcher<'s>,
        path: &'r Path,
        output: &'r mut FileOutput<'o>,
    ) -> Self {
        RowSink {
            printed: search.options.printed,
            format: search.rows,
            matcher,
            path,
            output,
            matches: 0,
        }
    }

    /// Returns whether the file is part of the result, and the number of its matches.
    pub(super) fn result(&self) -> (bool, u64) {
        match self.printed {
            PrintMode::NamesWithoutMatch => (self.matches == 0, 0),
            _ => (self.matches > 0, self.matches),
        }
    }

    fn write_row(&mut self, row: FileRow<'_>) -> io::Result<()> {
        if let Some(format) = self.format {
            let path = self.path;
            self.output.add_row(|bytes| format(path, row, bytes));
        }
        self.output.end_line()
    }

    fn prints_lines(&self) -> bool {
        matches!(self.printed, PrintMode::Lines | PrintMode::Matches)
    }
}

impl Sink for RowSink<'_, '_, '_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if !self.prints_lines() {
            let by_match = self.printed == PrintMode::MatchCounts || self.matcher.spans_lines();
            self.matches += if by_match && !searcher.invert_match() {
                let mut matches = MatchIterator::new(self.matcher, found);
                let mut number = 0;
                while matches.next()?.is_some() {
                    number += 1;
                }
                number.max(1)
            } else {
                1
            };
            let names = [
                PrintMode::Names,
                PrintMode::NamesWithoutMatch,
                PrintMode::Nothing,
            ];
            return Ok(!names.contains(&self.printed));
        }
        self.matches += 1;
        let mut block = MatchedLines::new(self.matcher, found, 0)?;
        let mut start = found.bytes_range_in_buffer().start;
        let first = (start, found.absolute_byte_offset());
        let numbers = found.line_number().unwrap_or(1)..;
        for (number, bytes) in numbers.zip(found.lines()) {
            let range = start..start + bytes.len();
            start = range.end;
            let (_, spans) = block.matches_touching(&range)?;
            let offset = first.1 + (range.start - first.0) as u64;
            let line = build_line(number, offset, bytes, LineRole::Match, &spans);
            self.write_row(FileRow::Line(&line))?;
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if self.prints_lines() {
            let number = context.line_number().unwrap_or(1);
            let offset = context.absolute_byte_offset();
            let line = build_line(number, offset, context.bytes(), LineRole::Context, &[]);
            self.write_row(FileRow::Line(&line))?;
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, _: &SinkFinish) -> io::Result<()> {
        let counted = match self.printed {
            PrintMode::LineCounts | PrintMode::MatchCounts => Some(self.matches),
            _ => None,
        };
        if !self.prints_lines() && self.printed != PrintMode::Nothing && self.result().0 {
            self.write_row(FileRow::File(counted))?;
        }
        Ok(())
    }
}
