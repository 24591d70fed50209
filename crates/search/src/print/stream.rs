//! Prints the matches in a stream, such as standard input.

use std::io::Read;
use std::path::Path;

use super::sink::FirstMatchSink;
use super::{BinaryFiles, PrintSearch, PrinterLayout, Printout, lines};
use crate::file_search::FileOutcome;
use crate::stoppable::StoppableMatcher;

impl PrintSearch<'_> {
    /// Searches a stream under a name. What is not text is searched as in a file that was named.
    pub fn run_on_stream(&self, name: &Path, stream: impl Read) -> Printout {
        let stop = || self.output.is_closed();
        let matcher = StoppableMatcher::new(self.pattern, &stop);
        let reader = self.new_reader(&stop);
        let mut reader = match self.options.binary {
            BinaryFiles::AsText => reader.for_any_files_as_text(),
            BinaryFiles::Skip | BinaryFiles::Search => reader.for_named_files(),
        };
        let mut layout = self.new_layout();
        let mut printout = Printout::default();
        let searched = match &mut layout {
            PrinterLayout::Lines(printer) => {
                let mut sink = printer.sink_with_path(&matcher, name);
                let searched = reader.search_stream(&matcher, stream, &mut sink);
                printout.stats.add_file(sink.stats());
                searched.map(|()| (sink.match_count() > 0, sink.match_count()))
            }
            PrinterLayout::Summary(printer) => {
                let mut sink = printer.sink_with_path(&matcher, name);
                let searched = reader.search_stream(&matcher, stream, &mut sink);
                printout.stats.add_file(sink.stats());
                searched.map(|()| (sink.has_match(), u64::from(sink.has_match())))
            }
            PrinterLayout::Nothing(_) => {
                let mut sink = FirstMatchSink::default();
                let searched = reader.search_stream(&matcher, stream, &mut sink);
                searched.map(|()| (sink.found, u64::from(sink.found)))
            }
            PrinterLayout::Rows(output) => {
                let mut sink = lines::RowSink::new(self, &matcher, name, output);
                let searched = reader.search_stream(&matcher, stream, &mut sink);
                searched.map(|()| sink.result())
            }
        };
        // A failure to print is the output's, and is reported when it ends.
        let _ = layout.output().end_file();
        match searched {
            Ok((selected, matches)) => {
                printout.tally.searched = 1;
                printout.files = u64::from(selected);
                printout.matches = matches;
            }
            Err(FileOutcome::TooLarge) => printout.tally.too_large = 1,
            Err(FileOutcome::Unreadable) => {
                printout.tally.unreadable = 1;
                printout.left_out.add_unreadable(name);
            }
            Err(_) => {}
        }
        printout
    }
}
