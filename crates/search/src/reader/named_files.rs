//! Readers of files that were named and of streams: what is not text is searched, too.

use std::io::{self, Read};

use grep_searcher::{BinaryDetection, Sink};

use super::binary_sink::{BinarySink, NulByte};
use super::{SearchReader, finish_search};
use crate::file_search::FileOutcome;
use crate::stoppable::StoppableMatcher;

impl SearchReader<'_> {
    /// Returns the same reader for files that were named: binary ones are searched, too.
    pub(crate) fn for_named_files(&self) -> Self {
        let mut builder = self.builder.clone();
        builder.binary_detection(BinaryDetection::convert(0));
        SearchReader {
            stop: self.stop,
            spans_lines: self.spans_lines,
            nul: NulByte::EndsLine,
            plain: None,
            of_texts: None,
            builder,
            buffer: Vec::new(),
        }
    }

    /// Returns the same reader for files whose NUL bytes are taken as text.
    pub(crate) fn for_any_files_as_text(&self) -> Self {
        let mut reader = self.for_named_files();
        reader.builder.binary_detection(BinaryDetection::none());
        reader
    }

    /// Searches a stream.
    pub(crate) fn search_stream<S: Sink<Error = io::Error>>(
        &mut self,
        matcher: &StoppableMatcher<'_>,
        stream: impl Read,
        sink: S,
    ) -> Result<(), FileOutcome> {
        let mut seen = BinarySink {
            sink,
            nul: self.nul,
            binary: None,
        };
        let done = self
            .builder
            .build()
            .search_reader(matcher, stream, &mut seen);
        finish_search(matcher, done, seen.binary, false).map(drop)
    }
}
