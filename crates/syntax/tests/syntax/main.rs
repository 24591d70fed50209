//! Outlines and broken-text reports for constructed texts, hostile ones and real files.

mod breaks;
mod hostile;
mod outlines;
mod real_files;
mod real_files_found;
mod versions;

use std::path::Path;
use std::time::Duration;

use lancet_formats::syntax::{SyntaxError, SyntaxReader as _};
use lancet_syntax::TreeReader;

/// Returns a reader with a time limit that is sufficient on a busy machine.
fn reader() -> TreeReader {
    TreeReader::with_time_limit(Duration::from_secs(60))
}

/// Returns the reader's report on a change of a file with this name.
fn newly_broken(name: &str, before: &str, after: &str) -> Option<SyntaxError> {
    reader().newly_broken(Path::new(name), before, after)
}
