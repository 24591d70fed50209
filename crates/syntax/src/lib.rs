//! Parses source code with tree-sitter: detects that a text no longer parses after a change, and returns the outline of
//! a text.
//!
//! The crate does not access the disk. A text is parsed within limits of size and time; nothing is reported about one
//! that exceeds them. The parsers are C code of the grammar crates; `lancet` uses them only through the trait
//! [`SyntaxReader`].

mod brackets;
mod broken;
mod language;
mod outline;
mod parse;
mod recent;

use std::path::Path;
use std::time::{Duration, Instant};

use lancet_formats::syntax::{SyntaxError, SyntaxOutline, SyntaxReader};

pub use broken::first_error;
pub use language::Language;
pub use outline::outline;
pub use parse::MAX_BYTES;
use recent::RecentTrees;

/// The time limit for one text.
const TIME_LIMIT: Duration = Duration::from_millis(200);

/// Parses source code, and caches the trees of recently parsed texts.
#[derive(Debug)]
pub struct TreeReader {
    time_limit: Duration,
    recent: RecentTrees,
}

impl Default for TreeReader {
    fn default() -> Self {
        Self::with_time_limit(TIME_LIMIT)
    }
}

impl TreeReader {
    /// Sets the time limit for one text; the default is 200 ms.
    #[must_use]
    pub fn with_time_limit(time_limit: Duration) -> Self {
        Self {
            time_limit,
            recent: RecentTrees::default(),
        }
    }
}

impl SyntaxReader for TreeReader {
    fn language(&self, path: &Path) -> Option<&'static str> {
        Language::from_path(path).map(Language::name)
    }

    fn most_bytes(&self) -> usize {
        MAX_BYTES
    }

    fn newly_broken(&self, path: &Path, before: &str, after: &str) -> Option<SyntaxError> {
        let until = Instant::now() + self.time_limit;
        broken::newly_broken(path, (before, after), &self.recent, until)
    }

    fn outline(&self, path: &Path, text: &str) -> Option<SyntaxOutline> {
        let until = Instant::now() + self.time_limit;
        outline(Language::from_path(path)?, text, until)
    }
}
