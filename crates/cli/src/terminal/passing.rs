//! A line that says how long work goes on: on a terminal only, on standard error, and gone when the work is done.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use super::print_error;

/// Work that is done sooner needs no such line.
const UNNOTICED: Duration = Duration::from_millis(500);

/// The line.
pub(crate) struct Passing {
    began: Instant,
    is_terminal: bool,
    shown: bool,
}

impl Passing {
    /// For work that begins now.
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            is_terminal: io::stderr().is_terminal(),
            shown: false,
        }
    }

    /// Says how it stands.
    pub(crate) fn show(&mut self, words: &str) {
        if self.is_terminal && self.began.elapsed() >= UNNOTICED {
            print_error(&format!("\r\x1b[K{words}"));
            self.shown = true;
        }
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        if self.shown {
            print_error("\r\x1b[K");
        }
    }
}
