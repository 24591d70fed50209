//! A progress line on standard error, shown only on a terminal and removed when the work is done.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use super::print_error;

/// Shorter work shows no progress line.
const UNNOTICED: Duration = Duration::from_millis(500);

/// The progress line of one piece of work.
pub(crate) struct ProgressLine {
    began: Instant,
    is_terminal: bool,
    shown: bool,
}

impl ProgressLine {
    /// Starts a progress line for work that begins now.
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            is_terminal: io::stderr().is_terminal(),
            shown: false,
        }
    }

    /// Shows the present state of the work.
    pub(crate) fn show(&mut self, words: &str) {
        if self.is_terminal && self.began.elapsed() >= UNNOTICED {
            print_error(&format!("\r\x1b[K{words}"));
            self.shown = true;
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown {
            print_error("\r\x1b[K");
        }
    }
}
