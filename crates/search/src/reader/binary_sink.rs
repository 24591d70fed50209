//! The meaning of a NUL byte for a search, and a sink that records where the searcher met one.

use std::io;

use grep_searcher::{Searcher, Sink, SinkFinish, SinkMatch};

/// The meaning of a NUL byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NulByte {
    /// It ends the text; within the first window the file is binary and not searched.
    Ends,
    /// It ends a line, as in ripgrep's search of a file that was named: the whole file is searched, and the sink learns
    /// that it is binary.
    EndsLine,
}

/// Forwards every event and records where the searcher itself met a NUL.
pub(super) struct BinarySink<S> {
    pub(super) sink: S,
    pub(super) nul: NulByte,
    pub(super) binary: Option<u64>,
}

impl<S: Sink<Error = io::Error>> Sink for &mut BinarySink<S> {
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

    fn binary_data(&mut self, searcher: &Searcher, offset: u64) -> io::Result<bool> {
        match self.nul {
            NulByte::Ends => {
                self.binary.get_or_insert(offset);
                Ok(true)
            }
            NulByte::EndsLine => self.sink.binary_data(searcher, offset),
        }
    }

    fn context_break(&mut self, searcher: &Searcher) -> io::Result<bool> {
        self.sink.context_break(searcher)
    }

    fn begin(&mut self, searcher: &Searcher) -> io::Result<bool> {
        self.sink.begin(searcher)
    }

    fn finish(&mut self, searcher: &Searcher, end: &SinkFinish) -> io::Result<()> {
        self.sink.finish(searcher, end)
    }
}
