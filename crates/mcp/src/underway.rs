//! Calls that are being carried out, and those that wait for their client to repeat them with a person's answer.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lancet::{Cancel, Reply};
use lancet_serving::pool::{JobError, Progress};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::elicit::PendingQuestion;
use crate::seal::Bound;

/// The beginning of the names of questions.
const QUESTION: &str = "question-";

/// A call that is being carried out.
pub(crate) struct Underway {
    pub(crate) tool: String,
    pub(crate) cancel: Cancel,
    pub(crate) progress: Progress,
    pub(crate) questions: UnboundedReceiver<PendingQuestion>,
    /// The question that the client has received, under its name.
    pub(crate) open: Option<(String, PendingQuestion)>,
    /// The call that a state is bound to; none in the first generation, which has no states.
    pub(crate) bound: Option<Bound>,
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
    /// Makes the name of a question, which a state for the client is made from.
    pub(crate) fn new_name(&self) -> String {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        format!("{QUESTION}{number}")
    }

    /// Keeps a call until its client repeats it, and removes those that have ended.
    pub(crate) fn keep(&self, call: Underway) {
        let mut calls = self.lock();
        calls.retain(|_, call| !call.work.is_finished());
        if let Some((name, _)) = &call.open {
            calls.insert(name.clone(), call);
        }
    }

    /// Finds the call whose question has this name; none where it is unknown here and has to be started again.
    pub(crate) fn take(&self, name: &str) -> Option<Underway> {
        self.lock().remove(name)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Underway>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
