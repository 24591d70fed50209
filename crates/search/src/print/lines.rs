//! Rows for programs: one for each line, or one for each file.

use std::io;
use std::path::Path;

use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::output::FileOutput;
use super::{FileRow, PrintSearch, Printed, RowFormat};
use crate::excerpt::{LineRole, MatchedLines, line};
use crate::file_search::Matches;
use crate::stoppable::StoppableMatcher;

/// Formats the lines of one file as they are found, or the file at its end.
pub(super) struct RowSink<'r, 'o, 's> {
    printed: Printed,
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
    pub(super) fn end(&self) -> (bool, u64) {
        match self.printed {
            Printed::NamesWithoutMatch => (self.matches == 0, 0),
            _ => (self.matches > 0, self.matches),
        }
    }

    fn row(&mut self, row: FileRow<'_>) -> io::Result<()> {
        if let Some(format) = self.format {
            let path = self.path;
            self.output.row(|bytes| format(path, row, bytes));
        }
        self.output.end_line()
    }

    fn is_of_lines(&self) -> bool {
        matches!(self.printed, Printed::Lines | Printed::Matches)
    }
}

impl Sink for RowSink<'_, '_, '_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if !self.is_of_lines() {
            let by_match = self.printed == Printed::MatchCounts || self.matcher.spans_lines();
            self.matches += if by_match && !searcher.invert_match() {
                let mut matches = Matches::new(self.matcher, found);
                let mut number = 0;
                while matches.next()?.is_some() {
                    number += 1;
                }
                number.max(1)
            } else {
                1
            };
            let names = [Printed::Names, Printed::NamesWithoutMatch, Printed::Nothing];
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
            let (_, spans) = block.touching(&range)?;
            let offset = first.1 + (range.start - first.0) as u64;
            let line = line(number, offset, bytes, LineRole::Match, &spans);
            self.row(FileRow::Line(&line))?;
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if self.is_of_lines() {
            let number = context.line_number().unwrap_or(1);
            let offset = context.absolute_byte_offset();
            let line = line(number, offset, context.bytes(), LineRole::Context, &[]);
            self.row(FileRow::Line(&line))?;
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, _: &SinkFinish) -> io::Result<()> {
        let counted = match self.printed {
            Printed::LineCounts | Printed::MatchCounts => Some(self.matches),
            _ => None,
        };
        if !self.is_of_lines() && self.printed != Printed::Nothing && self.end().0 {
            self.row(FileRow::File(counted))?;
        }
        Ok(())
    }
}
