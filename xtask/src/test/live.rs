//! Shows that the test command is alive: what runs now and for how long. On a terminal this is one line at the bottom
//! that is rewritten every second; elsewhere it is a line of text every half minute.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a line is written if there is no terminal.
const EVERY: Duration = Duration::from_secs(30);

/// The widest line on a terminal, in characters. A longer one would wrap, and could not be rewritten.
const WIDTH: usize = 78;

/// The list of what runs now. Clones share it.
#[derive(Clone)]
pub(crate) struct Live(Arc<Mutex<Shown>>);

struct Shown {
    running: Vec<(u64, String, Instant)>,
    next: u64,
    is_terminal: bool,
    /// Whether a program writes to the terminal itself, so that no line is drawn.
    is_lent: bool,
    last_line: Instant,
}

/// One entry of the list. It is removed when this is dropped.
pub(crate) struct Running {
    live: Live,
    id: u64,
}

impl Live {
    /// Creates an empty list. A thread shows it until the process ends.
    pub(crate) fn new() -> Live {
        let live = Live(Arc::new(Mutex::new(Shown {
            running: Vec::new(),
            next: 0,
            is_terminal: std::io::stdout().is_terminal(),
            is_lent: false,
            last_line: Instant::now(),
        })));
        let shown = live.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_secs(1));
                shown.lock().draw();
            }
        });
        live
    }

    fn lock(&self) -> MutexGuard<'_, Shown> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an entry.
    pub(crate) fn begin(&self, name: &str) -> Running {
        let mut shown = self.lock();
        let id = shown.next;
        shown.next += 1;
        shown.running.push((id, name.to_owned(), Instant::now()));
        Running {
            live: self.clone(),
            id,
        }
    }

    /// Prints text above the line at the bottom.
    pub(crate) fn print(&self, text: &str) {
        let shown = self.lock();
        shown.erase();
        println!("{text}");
    }

    /// Runs something that writes to the terminal itself; no line is drawn meanwhile.
    pub(crate) fn lend<T>(&self, work: impl FnOnce() -> T) -> T {
        let set = |is_lent| {
            let mut shown = self.lock();
            shown.erase();
            shown.is_lent = is_lent;
        };
        set(true);
        let done = work();
        set(false);
        done
    }
}

impl Shown {
    fn erase(&self) {
        if self.is_terminal && !self.is_lent {
            print!("\r\x1b[K");
            let _ = std::io::stdout().flush();
        }
    }

    fn draw(&mut self) {
        if self.running.is_empty() {
            return;
        }
        if !self.is_terminal {
            if self.last_line.elapsed() >= EVERY {
                self.last_line = Instant::now();
                println!("   running: {}", self.list());
            }
        } else if !self.is_lent {
            let line: String = self.list().chars().take(WIDTH).collect();
            print!("\r\x1b[K{line}");
            let _ = std::io::stdout().flush();
        }
    }

    fn list(&self) -> String {
        let entries = self.running.iter();
        entries
            .map(|(_, name, began)| format!("{name} ({} s)", began.elapsed().as_secs()))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut shown = self.live.lock();
        shown.running.retain(|(id, ..)| *id != self.id);
        if shown.running.is_empty() {
            shown.erase();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_what_runs_and_nothing_that_ended() {
        let live = Live::new();
        let first = live.begin("build");
        let _second = live.begin("installing cargo-deny");
        assert_eq!(
            live.lock().list(),
            "build (0 s), installing cargo-deny (0 s)"
        );
        drop(first);
        assert_eq!(live.lock().list(), "installing cargo-deny (0 s)");
    }
}
