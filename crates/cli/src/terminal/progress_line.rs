//! Progress lines on standard error, shown only on a terminal and removed when the work is done.

use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::print_error;

/// Shorter work shows no progress line.
const UNNOTICED: Duration = Duration::from_millis(500);
/// How often the line of work of unknown length is renewed.
const RENEWED: Duration = Duration::from_millis(250);

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

/// The content of the progress line on standard error.
struct LineState {
    shown: bool,
    /// Whether a person is being prompted at the moment: the line must then stay free.
    asking: bool,
}

static LINE: Mutex<LineState> = Mutex::new(LineState {
    shown: false,
    asking: false,
});

fn line() -> MutexGuard<'static, LineState> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LineState {
    fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            print_error("\r\x1b[K");
        }
    }
}

/// Work of unknown length: a line says what is done and for how long. A separate thread renews it.
pub(crate) struct WorkLine(Option<(Sender<()>, JoinHandle<()>)>);

impl WorkLine {
    /// Begins the work. `words` says what is done: "undoing".
    pub(crate) fn begin(words: &'static str) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let (end, ended) = channel::<()>();
        let began = Instant::now();
        let thread = std::thread::Builder::new().name("lancet-progress".to_owned());
        let renew = move || {
            let mut wait = UNNOTICED;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(wait) {
                wait = RENEWED;
                let mut line = line();
                if !line.asking {
                    print_error(&format!("\r\x1b[K{words}, {} s", began.elapsed().as_secs()));
                    line.shown = true;
                }
            }
            line().clear();
        };
        // Without a thread the work continues without a line.
        Self(thread.spawn(renew).ok().map(|thread| (end, thread)))
    }
}

impl Drop for WorkLine {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

/// Keeps the line free while a person is prompted.
pub(super) struct FreeLine(());

impl FreeLine {
    pub(super) fn begin() -> Self {
        let mut line = line();
        line.clear();
        line.asking = true;
        Self(())
    }
}

impl Drop for FreeLine {
    fn drop(&mut self) {
        line().asking = false;
    }
}
