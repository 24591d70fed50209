//! An in-memory store of records, for the tests that every store must pass. It persists nothing and locks no file.
//! Two values of one [`MemoryHistory::as_other_process`] represent two processes, of which one can end.
//!
//! Queries that the tests of all stores do not use (`statistics`, `rival_states` and the like) are errors here.

mod activity;
mod checkpoints;
mod contents;
mod events;
mod marks;
mod operations;
mod questions;
mod records;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::activity::{OpenSession, SessionStop};
use crate::entry::Revision;
use crate::error::{HistoryError, StorePlace};
use crate::mark::PromptMark;
use crate::operation::{Operation, ReversedChange};
use crate::question::{Digest, QuestionRecord};

/// The history of one process, in memory.
#[derive(Debug)]
pub struct MemoryHistory {
    shared: Arc<Mutex<SharedState>>,
    process: u64,
}

/// The state that all processes of a history share.
#[derive(Debug, Default)]
struct SharedState {
    /// The processes that have not ended.
    alive: BTreeSet<u64>,
    processes: u64,
    /// In the order of recording.
    operations: Vec<OperationRow>,
    /// The highest number assigned to an operation.
    sequence: i64,
    /// The bytes by their hash; none if they are announced and not adopted yet.
    contents: HashMap<Revision, Option<Arc<Vec<u8>>>>,
    questions: Vec<QuestionRow>,
    checkpoints: Vec<checkpoints::CheckpointRow>,
    events: Vec<events::EventRow>,
    newest_event: i64,
    stops: Vec<SessionStop>,
    open: Vec<(u64, OpenSession)>,
    marks: Vec<PromptMark>,
    reported: HashMap<String, String>,
}

/// An operation with the fields that its record does not have.
#[derive(Debug)]
struct OperationRow {
    operation: Operation,
    /// The process that announced it, until it is finished.
    announced_by: Option<u64>,
    takes_back: Vec<ReversedChange>,
    broken_links: BTreeSet<usize>,
}

/// A question with the fields that its record does not have.
#[derive(Debug)]
struct QuestionRow {
    record: QuestionRecord,
    call: Digest,
    process: u64,
    arguments: Vec<u8>,
}

impl MemoryHistory {
    /// Returns an empty history.
    #[must_use]
    pub fn new() -> Self {
        Self::join_shared(Arc::default())
    }

    /// Returns the same history as seen by another process. That process ends when the value is dropped.
    #[must_use]
    pub fn as_other_process(&self) -> Self {
        Self::join_shared(Arc::clone(&self.shared))
    }

    fn join_shared(shared: Arc<Mutex<SharedState>>) -> Self {
        let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
        kept.processes += 1;
        let process = kept.processes;
        kept.alive.insert(process);
        drop(kept);
        Self { shared, process }
    }

    /// Locks everything: whatever a method does is one transaction.
    fn lock_state(&self) -> MutexGuard<'_, SharedState> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryHistory {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for MemoryHistory {
    fn drop(&mut self) {
        let process = self.process;
        self.lock_state().alive.remove(&process);
    }
}

impl SharedState {
    fn find_operation(&mut self, id: &str) -> Option<&mut OperationRow> {
        let mut all = self.operations.iter_mut();
        all.find(|kept| kept.operation.id == id)
    }
}

/// Returns the time in milliseconds since 1970.
fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

/// Returns the error of a query that this store does not answer.
fn unsupported_query<T>(query: &str) -> Result<T, HistoryError> {
    Err(HistoryError::Failed {
        store: StorePlace::Named("the history in memory".to_owned()),
        reason: format!("it does not answer {query}"),
    })
}
