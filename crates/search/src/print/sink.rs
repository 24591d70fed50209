//! Sinks between the searcher and the printer.

use std::io;

use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

/// Passes events on once the file may be shown. This is checked at the first line, because most files show nothing.
pub(super) struct GuardedSink<'g, S> {
    sink: S,
    may_show: &'g dyn Fn() -> bool,
    shown: Option<bool>,
    /// Whether a file without a match is shown.
    without_match: bool,
}

impl<'g, S> GuardedSink<'g, S> {
    pub(super) fn new(sink: S, may_show: &'g dyn Fn() -> bool, without_match: bool) -> Self {
        GuardedSink {
            sink,
            may_show,
            shown: None,
            without_match,
        }
    }

    pub(super) fn inner(&self) -> &S {
        &self.sink
    }

    /// Returns whether the file was shown, or could have been.
    pub(super) fn may_be_shown(&self) -> bool {
        self.shown != Some(false)
    }

    fn check_may_show(&mut self) -> bool {
        *self.shown.get_or_insert_with(|| (self.may_show)())
    }
}

impl<S: Sink<Error = io::Error>> Sink for GuardedSink<'_, S> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        Ok(self.check_may_show() && self.sink.matched(searcher, found)?)
    }

    fn context(&mut self, searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.check_may_show() && self.sink.context(searcher, context)?)
    }

    fn context_break(&mut self, searcher: &Searcher) -> io::Result<bool> {
        self.sink.context_break(searcher)
    }

    fn binary_data(&mut self, searcher: &Searcher, offset: u64) -> io::Result<bool> {
        self.sink.binary_data(searcher, offset)
    }

    fn begin(&mut self, searcher: &Searcher) -> io::Result<bool> {
        self.sink.begin(searcher)
    }

    fn finish(&mut self, searcher: &Searcher, end: &SinkFinish) -> io::Result<()> {
        if self.shown == Some(false) || (self.without_match && !self.check_may_show()) {
            return Ok(());
        }
        self.sink.finish(searcher, end)
    }
}

/// Ends the search with the first match.
#[derive(Default)]
pub(super) struct FirstMatchSink {
    pub(super) found: bool,
}

impl Sink for FirstMatchSink {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> io::Result<bool> {
        self.found = true;
        Ok(false)
    }
}
