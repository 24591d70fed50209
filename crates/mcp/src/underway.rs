//! Calls that are being carried out, and those that wait for their client to repeat them with a person's answer.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lancet::{Cancel, Reply};
use lancet_serving::pool::{JobError, Progress};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::elicit::PendingQuestion;

/// A call that is being carried out.
pub(crate) struct Underway {
    pub(crate) tool: String,
    pub(crate) cancel: Cancel,
    pub(crate) progress: Progress,
    pub(crate) questions: UnboundedReceiver<PendingQuestion>,
    /// The question that the client has received, with the state under which it will answer.
    pub(crate) open: Option<(String, PendingQuestion)>,
    pub(crate) began: Instant,
    pub(crate) work: JoinHandle<Result<Reply, JobError>>,
}

impl Underway {
    /// Takes the answer that the client repeated the call with. An answer to a question that is no longer open is
    /// ignored.
    pub(crate) fn answered(mut self, responses: Option<&BTreeMap<String, Value>>) -> Self {
        if let Some((_, asked)) = self.open.take()
            && !asked.is_over()
        {
            asked.answered(responses);
        }
        self
    }
}

/// Calls that wait for their client to repeat them.
#[derive(Default)]
pub(crate) struct Waiting {
    calls: Mutex<HashMap<String, Underway>>,
    number: AtomicU64,
}

impl Waiting {
    /// Makes a state for the client to send back.
    pub(crate) fn new_state(&self) -> String {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        // The state is not secret, but a state from before a restart must not match by chance.
        let chance = RandomState::new().hash_one(number);
        format!("{number}-{chance:016x}")
    }

    /// Keeps a call until its client repeats it, and removes those that have ended.
    pub(crate) fn keep(&self, call: Underway) {
        let mut calls = self.lock();
        calls.retain(|_, call| !call.work.is_finished());
        if let Some((state, _)) = &call.open {
            calls.insert(state.clone(), call);
        }
    }

    /// Finds the call that a client repeats; none where it is unknown here and has to be started again.
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
