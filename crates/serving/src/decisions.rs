//! Calls that wait for the user's decision. One thread polls for all of them, so that three hundred waiting calls
//! cost no more threads than one; it ends when no call waits.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lancet::questions::{Questions, WaitingCall};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// The interval at which decisions are queried, which takes a millisecond for three hundred questions.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// The interval at which the files of the questions are checked.
const FILE_CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// The waiting calls of a process. Clones share them.
#[derive(Clone, Default)]
pub struct DecisionWatcher {
    shared: Arc<WaitingCalls>,
}

#[derive(Default)]
struct WaitingCalls {
    waiting: Mutex<WaitingList>,
    /// Wakes the thread before its interval is over.
    news: Condvar,
}

#[derive(Default)]
struct WaitingList {
    calls: Vec<WaitingEntry>,
    has_thread: bool,
}

struct WaitingEntry {
    call: WaitingCall,
    questions: Questions,
    done: Sender<()>,
}

impl std::fmt::Debug for DecisionWatcher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let waiting = self.shared.lock().calls.len();
        let mut shown = formatter.debug_struct("Decisions");
        shown.field("waiting", &waiting).finish()
    }
}

impl DecisionWatcher {
    /// Returns a receiver that completes when the question of a call is no longer open, or a file of it has changed;
    /// the call is then to be carried out again. Dropping the receiver ends the wait.
    #[must_use]
    pub fn watch_call(&self, call: WaitingCall, questions: Questions) -> Receiver<()> {
        let (done, ended) = channel();
        let mut waiting = self.shared.lock();
        waiting.calls.push(WaitingEntry {
            call,
            questions,
            done,
        });
        if !waiting.has_thread {
            let shared = Arc::clone(&self.shared);
            let thread = std::thread::Builder::new().name("lancet-decisions".to_owned());
            waiting.has_thread = thread.spawn(move || shared.check_until_idle()).is_ok();
            if !waiting.has_thread {
                // Without a thread no decision would be noticed. Dropping the senders notifies the receivers that
                // waiting is useless.
                waiting.calls.clear();
            }
        }
        ended
    }

    /// Queries the decisions immediately, because one was recorded.
    pub fn check_now(&self) {
        self.shared.news.notify_all();
    }
}

impl WaitingCalls {
    fn lock(&self) -> MutexGuard<'_, WaitingList> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_until_idle(&self) {
        // If the query panics, the waiting calls are notified, and the next one starts another thread.
        let _ending = ReleaseOnPanic(self);
        let mut looked_at_files = Instant::now();
        loop {
            let mut waiting = self.lock();
            waiting.calls.retain(|entry| !entry.done.is_closed());
            if waiting.calls.is_empty() {
                waiting.has_thread = false;
                drop(waiting);
                return;
            }
            let waited = self.news.wait_timeout(waiting, CHECK_INTERVAL);
            let (mut waiting, _) = waited.unwrap_or_else(PoisonError::into_inner);
            let calls = std::mem::take(&mut waiting.calls);
            drop(waiting);
            let looks_at_files = looked_at_files.elapsed() > FILE_CHECK_INTERVAL;
            if looks_at_files {
                looked_at_files = Instant::now();
            }
            let left = release_finished(calls, looks_at_files);
            self.lock().calls.extend(left);
        }
    }
}

/// Releases all waiting calls if their thread ends by a panic.
struct ReleaseOnPanic<'w>(&'w WaitingCalls);

impl Drop for ReleaseOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut waiting = self.0.lock();
            waiting.has_thread = false;
            waiting.calls.clear();
        }
    }
}

/// Completes the calls whose wait is over, and returns the others.
fn release_finished(calls: Vec<WaitingEntry>, looks_at_files: bool) -> Vec<WaitingEntry> {
    let ids: Vec<String> = calls
        .iter()
        .map(|entry| entry.call.question().to_owned())
        .collect();
    let closed = match calls.first() {
        // All calls of a process share one state folder. If it cannot be read now, it is read again shortly.
        Some(entry) => entry.questions.closed_ids(&ids).unwrap_or_default(),
        None => Vec::new(),
    };
    let (over, left): (Vec<WaitingEntry>, Vec<WaitingEntry>) =
        calls.into_iter().partition(|entry| {
            let id = entry.call.question();
            closed.iter().any(|closed| closed == id) || (looks_at_files && entry.call.has_changed())
        });
    for entry in over {
        // A caller that no longer waits has dropped the receiver.
        let _ = entry.done.send(());
    }
    left
}
