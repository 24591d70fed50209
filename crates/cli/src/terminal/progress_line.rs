//! The progress line on standard error: what is done and for how long. It is shown only on a terminal, by a separate
//! thread, and removed when the work is done.

use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::print_error;

/// Shorter work shows no progress line.
const SHOW_DELAY: Duration = Duration::from_millis(500);
/// How often the line is renewed.
const RENEWAL_INTERVAL: Duration = Duration::from_millis(250);

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

/// The progress line of one piece of work.
pub(crate) struct ElapsedTimeLine(Option<Renewal>);

/// The thread that renews the line, and what it shows.
struct Renewal {
    words: Arc<Mutex<String>>,
    end: Sender<()>,
    thread: JoinHandle<()>,
}

impl ElapsedTimeLine {
    /// Begins the work. `words` says what is done: "undoing".
    pub(crate) fn begin(words: &'static str) -> Self {
        if !io::stderr().is_terminal() {
            return Self(None);
        }
        let (end, ended) = channel::<()>();
        let began = Instant::now();
        let words = Arc::new(Mutex::new(words.to_owned()));
        let shown = Arc::clone(&words);
        let renew = move || {
            let mut wait = SHOW_DELAY;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(wait) {
                wait = RENEWAL_INTERVAL;
                let words = shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let mut line = lock_line();
                if !line.asking {
                    print_error(&format!("\r\x1b[K{words}, {} s", began.elapsed().as_secs()));
                    line.shown = true;
                }
            }
            lock_line().clear();
        };
        let thread = std::thread::Builder::new().name("lancet-progress".to_owned());
        // Without a thread the work continues without a line.
        let renewal = thread.spawn(renew).ok();
        Self(renewal.map(|thread| Renewal { words, end, thread }))
    }

    /// Says how far the work has come.
    pub(crate) fn show(&self, words: &str) {
        if let Some(renewal) = self.0.as_ref().filter(|_| !words.is_empty()) {
            let mut shown = renewal.words.lock().unwrap_or_else(PoisonError::into_inner);
            words.clone_into(&mut shown);
        }
    }
}

impl Drop for ElapsedTimeLine {
    fn drop(&mut self) {
        if let Some(Renewal { end, thread, .. }) = self.0.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

/// The progress line of work that reports how far it has come.
pub(crate) struct ProgressLine(ElapsedTimeLine);

impl ProgressLine {
    /// Starts a progress line for work that begins now.
    pub(crate) fn new() -> Self {
        Self(ElapsedTimeLine::begin("working"))
    }

    /// Shows the present state of the work.
    pub(crate) fn show(&mut self, words: &str) {
        self.0.show(words);
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
