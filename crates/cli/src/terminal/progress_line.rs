//! Progress lines on standard error, shown only on a terminal and removed when the work is done.

use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::print_error;

/// Shorter work shows no progress line.
const SHOW_DELAY: Duration = Duration::from_millis(500);
/// How often the line of work of unknown length is renewed.
const RENEWAL_INTERVAL: Duration = Duration::from_millis(250);

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
        if self.is_terminal && self.began.elapsed() >= SHOW_DELAY {
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

fn lock_line() -> MutexGuard<'static, LineState> {
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
pub(crate) struct ElapsedTimeLine(Option<(Sender<()>, JoinHandle<()>)>);

impl ElapsedTimeLine {
    /// Begins the work. `words` says what is done: "undoing".
    pub(crate) fn begin(words: &'static str) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let (end, ended) = channel::<()>();
        let began = Instant::now();
        let thread = std::thread::Builder::new().name("lancet-progress".to_owned());
        let renew = move || {
            let mut wait = SHOW_DELAY;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(wait) {
                wait = RENEWAL_INTERVAL;
                let mut line = lock_line();
                if !line.asking {
                    print_error(&format!("\r\x1b[K{words}, {} s", began.elapsed().as_secs()));
                    line.shown = true;
                }
            }
            lock_line().clear();
        };
        // Without a thread the work continues without a line.
        Self(thread.spawn(renew).ok().map(|thread| (end, thread)))
    }
}

impl Drop for ElapsedTimeLine {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

/// Keeps the line free while a person is prompted.
pub(super) struct ProgressPause(());

impl ProgressPause {
    pub(super) fn begin() -> Self {
        let mut line = lock_line();
        line.clear();
        line.asking = true;
        Self(())
    }
}

impl Drop for ProgressPause {
    fn drop(&mut self) {
        lock_line().asking = false;
    }
}
