//! Calls that are being carried out, and those that wait for their client to come back with a person's answer.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lancet::{Cancel, Reply};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use crate::elicit::PendingQuestion;
use crate::pool::{JobError, Progress};

/// How often a call that waits for a person is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// A call that is being carried out.
pub(crate) struct Underway {
    pub(crate) tool: String,
    pub(crate) cancel: Cancel,
    pub(crate) progress: Progress,
    pub(crate) questions: UnboundedReceiver<PendingQuestion>,
    /// The question that the client has taken along, under its state.
    pub(crate) open: Option<(String, PendingQuestion)>,
    pub(crate) began: Instant,
    pub(crate) work: JoinHandle<Result<Reply, JobError>>,
}

impl Underway {
    /// Takes the answer that the client came back with. To a question that is no longer open it is none.
    pub(crate) fn answered(mut self, responses: Option<&BTreeMap<String, Value>>) -> Self {
        if let Some((_, asked)) = self.open.take()
            && !asked.is_over()
        {
            asked.answered(responses);
        }
        self
    }
}

/// Ends when a call has overrun its time by the grace; what it waits for a person does not count.
pub(crate) async fn overdue(call: &Cancel, grace: Duration) {
    loop {
        let Some(end) = call.end().and_then(|end| end.checked_add(grace)) else {
            return std::future::pending().await;
        };
        sleep_until(end.into()).await;
        let moved = call.end().and_then(|end| end.checked_add(grace)) != Some(end);
        if call.is_waiting() {
            sleep(LOOK_EVERY).await;
        } else if !moved {
            return;
        }
    }
}

/// Calls whose clients are to come back.
#[derive(Default)]
pub(crate) struct Waiting {
    calls: Mutex<HashMap<String, Underway>>,
    number: AtomicU64,
}

impl Waiting {
    /// A state for a client to take along.
    pub(crate) fn new_state(&self) -> String {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        // Not a secret, but not to be met by chance after a restart either.
        let chance = RandomState::new().hash_one(number);
        format!("{number}-{chance:016x}")
    }

    /// Keeps a call until its client comes back. Those that ended meanwhile go.
    pub(crate) fn keep(&self, call: Underway) {
        let mut calls = self.lock();
        calls.retain(|_, call| !call.work.is_finished());
        if let Some((state, _)) = &call.open {
            calls.insert(state.clone(), call);
        }
    }

    /// The call that a client comes back to; none where it is not known here, and is to be begun again.
    pub(crate) fn take(&self, state: &str, tool: &str) -> Option<Underway> {
        let mut calls = self.lock();
        if calls.get(state)?.tool != tool {
            return None;
        }
        calls.remove(state)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Underway>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
