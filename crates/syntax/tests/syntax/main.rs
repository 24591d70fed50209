//! What trees say of source code: outlines, and texts that a change broke; of made texts, of hostile ones and of real files.

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

/// A reader whose time is not over on a busy machine.
fn reader() -> TreeReader {
    TreeReader::with_time_limit(Duration::from_secs(60))
}

/// What the reader says of a change of a file with this name.
fn newly_broken(name: &str, before: &str, after: &str) -> Option<SyntaxError> {
    reader().newly_broken(Path::new(name), before, after)
}
