//! One server: its state, what was sent to it, and what it reported. Everything here happens under the lock of
//! [`crate::LanguageServers`] and returns at once; messages are sent through the outbox.

mod current;
mod incoming;
mod pull;
mod question;
mod round;
mod sync;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::ability::{self, ServerCapabilities};
use crate::answer::ServerRefusal;
use crate::diagnosis::Diagnostic;
use crate::document::{Documents, FileState};
use crate::outbox::Outbox;
use crate::{Problem, ServerEntry, ServerStatus, Severity};

pub(crate) use incoming::MessageEffect;
pub(crate) use round::{AnnouncedChange, RoundStep};
pub(crate) use sync::FileChangeKind;

/// After this silence, a server that pushes problems counts as having reported everything.
pub(crate) const SILENCE: Duration = Duration::from_millis(120);

/// A server that ran for this long before it ended has its crashes forgotten.
const STABLE_TIME: Duration = Duration::from_secs(120);

/// A request that a server has not answered.
enum PendingRequest {
    Initialize,
    Document {
        path: PathBuf,
        version: i32,
        tries: u32,
    },
    Workspace {
        asked: Instant,
        tries: u32,
        /// When it reported that it has looked at everything, without an answer: it holds the request open until there
        /// is news.
        looked: Option<Instant>,
    },
    /// A plan that a caller waits for.
    Plan,
    Shutdown,
}

/// A problem that arrived after the answer of its change.
struct LateProblem {
    session: String,
    path: PathBuf,
    diagnosis: Diagnostic,
    revision: Option<String>,
}

/// One server.
pub(crate) struct Server {
    pub(crate) entry: Arc<ServerEntry>,
    pub(crate) folder: PathBuf,
    pub(crate) standing: ServerStatus,
    /// When it may be started again after a crash.
    pub(crate) paused: Option<Instant>,
    /// The generation of its process, so that messages of an earlier process are not taken for messages of this one.
    pub(crate) generation: u64,
    pub(crate) used: Instant,
    least: Severity,
    outbox: Option<Arc<Outbox>>,
    ability: ServerCapabilities,
    documents: Documents,
    files: HashMap<PathBuf, FileState>,
    requests: HashMap<i64, PendingRequest>,
    /// The answers to requests for plans that were not fetched yet.
    plans: HashMap<i64, Result<Value, ServerRefusal>>,
    numbers: i64,
    progress: HashSet<String>,
    /// The files that the server reports to be working on.
    busy: HashSet<String>,
    /// The number of changes that were sent to it.
    epoch: u64,
    /// Whether problems of files that were not changed can be attributed to the last change.
    others: OtherFilesKnowledge,
    /// Whether it has checked the whole project once.
    knows_workspace: bool,
    /// Whether to request the diagnostics of the workspace once the server has answered those of all documents.
    wants_workspace: bool,
    /// Whether it reported that its earlier answers are outdated.
    is_outdated: bool,
    round: Option<round::ChangeRound>,
    late: Vec<LateProblem>,
    said: Instant,
    crashes: usize,
    began: Instant,
}

/// What is known about problems in files that a change did not touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OtherFilesKnowledge {
    /// Nothing was pending when the change was sent: what arrives belongs to it.
    Trusted {
        /// Whether a file without any report counts as having no problems.
        absent_is_empty: bool,
    },
    /// What arrives may belong to an earlier change.
    Doubtful,
}

impl Server {
    pub(crate) fn new(
        entry: Arc<ServerEntry>,
        folder: PathBuf,
        least: Severity,
        now: Instant,
    ) -> Server {
        Server {
            entry,
            folder,
            standing: ServerStatus::Ended,
            paused: None,
            generation: 0,
            used: now,
            least,
            outbox: None,
            ability: ServerCapabilities::default(),
            documents: Documents::default(),
            files: HashMap::new(),
            requests: HashMap::new(),
            plans: HashMap::new(),
            numbers: 0,
            progress: HashSet::new(),
            busy: HashSet::new(),
            epoch: 0,
            others: OtherFilesKnowledge::Doubtful,
            knows_workspace: false,
            wants_workspace: false,
            is_outdated: false,
            round: None,
            late: Vec::new(),
            said: now,
            crashes: 0,
            began: now,
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        matches!(self.standing, ServerStatus::Starting | ServerStatus::Ready)
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.standing == ServerStatus::Ready
    }

    /// Returns whether a caller waits for its answer.
    pub(crate) fn is_answer_awaited(&self) -> bool {
        self.round
            .as_ref()
            .is_some_and(round::ChangeRound::is_waited_for)
    }

    /// Marks it as being started; returns the generation of the coming process.
    pub(crate) fn mark_starting(&mut self, now: Instant) -> u64 {
        self.discard_process_state();
        self.standing = ServerStatus::Starting;
        self.paused = None;
        self.began = now;
        self.generation
    }

    /// Marks it as started, and sends `initialize`.
    pub(crate) fn mark_started(&mut self, outbox: Arc<Outbox>) {
        self.outbox = Some(outbox);
        let parameters = ability::initialize_parameters(&self.entry, &self.folder);
        self.send_request("initialize", &parameters, PendingRequest::Initialize);
    }

    /// Marks it as crashed: it ended unexpectedly, or could not be started.
    pub(crate) fn mark_crashed(&mut self, now: Instant, pauses: &[Duration]) {
        if now.duration_since(self.began) > STABLE_TIME {
            self.crashes = 0;
        }
        let pause = pauses.get(self.crashes).or(pauses.last());
        self.paused = Some(now + pause.copied().unwrap_or_default());
        let given_up = self.crashes + 1 >= pauses.len();
        self.standing = if given_up {
            ServerStatus::GivenUp
        } else {
            ServerStatus::Crashed
        };
        self.crashes = if given_up { 0 } else { self.crashes + 1 };
        self.discard_process_state();
    }

    /// Ends it because it was idle: it is requested to shut down, and then ended.
    pub(crate) fn shut_down(&mut self) {
        self.send_request("shutdown", &Value::Null, PendingRequest::Shutdown);
        self.send_notification("exit", &Value::Null);
        if let Some(outbox) = self.outbox.take() {
            outbox.flush_and_end();
        }
        self.discard_process_state();
        self.documents = Documents::default();
        self.standing = ServerStatus::Ended;
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        self.discard_process_state();
        self.standing = ServerStatus::Ended;
    }

    /// Discards everything that is known of the process.
    fn discard_process_state(&mut self) {
        self.generation += 1;
        if let Some(outbox) = self.outbox.take() {
            outbox.end_now();
        }
        self.ability = ServerCapabilities::default();
        self.files.clear();
        self.requests.clear();
        self.plans.clear();
        self.progress.clear();
        self.busy.clear();
        self.knows_workspace = false;
        self.wants_workspace = false;
        self.is_outdated = false;
        self.round = None;
        for document in self.documents.values_mut() {
            document.opened = None;
        }
    }

    /// Returns whether nothing it may still report belongs to an earlier text.
    fn is_silent(&self, now: Instant) -> bool {
        now.duration_since(self.said) >= SILENCE
            && self.busy.is_empty()
            && self.round.as_ref().is_none_or(round::ChangeRound::is_done)
    }

    /// Returns whether it has reported on every document it was sent, and answered every request.
    pub(crate) fn has_processed_everything(&self, now: Instant) -> bool {
        let waits = |request: &PendingRequest| match request {
            PendingRequest::Workspace { looked, .. } => {
                looked.is_none_or(|looked| now.duration_since(looked) < SILENCE)
            }
            _ => true,
        };
        let known = |path: &PathBuf| {
            self.files
                .get(path)
                .is_some_and(|state| state.base.is_some())
        };
        self.is_ready()
            && self.is_silent(now)
            && !self.requests.values().any(waits)
            && self.documents.iter().all(|(path, _)| known(path))
    }

    /// Returns the problems that arrived late for a session.
    pub(crate) fn take_late_problems(&mut self, session: &str) -> Vec<Problem> {
        let name = self.entry.name.clone();
        self.late
            .extract_if(.., |late| late.session == session)
            .map(|late| {
                late.diagnosis
                    .to_problem(&late.path, &name, late.revision.as_deref())
            })
            .collect()
    }

    pub(crate) fn forget_session(&mut self, session: &str) {
        self.late.retain(|late| late.session != session);
    }

    fn send_notification(&self, method: &str, parameters: &Value) {
        self.send_message(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }));
    }

    fn send_request(&mut self, method: &str, parameters: &Value, request: PendingRequest) -> i64 {
        self.numbers += 1;
        let id = self.numbers;
        self.requests.insert(id, request);
        self.send_message(
            &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }),
        );
        id
    }

    fn send_message(&self, message: &Value) {
        if let Some(outbox) = &self.outbox {
            outbox.enqueue(message);
        }
    }
}
