//! The sessions at work in a state folder: which agents are connected, what each has read and changed, which of its
//! calls wait, and which files two of them work on. A person can stop the writes of a session, in every process, and
//! let it write again.

mod overlaps;
mod select;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use lancet_history::{
    CallerFilter, LogQuery, OpenSession, OperationStore, QuestionQuery, SubAgent,
};

use crate::engine::Lancet;
use crate::history::SubAgents;
use crate::session::is_unnamed;

pub use lancet_history::{ChangedPath, HistoryError, SessionActivity, SessionStop};
pub use overlaps::{Overlap, OverlappingSession};

/// How many files of a session are listed.
const MAX_LISTED_FILES: usize = 200;
/// A named session that no process has announced counts as at work for this long after its last call, in seconds.
const RECENT_SECONDS: i64 = 15 * 60;
/// How many of the newest changes are searched for the sessions of agents that use their own tools.
const MAX_SEARCHED_CHANGES: usize = 200;

/// The sessions of the state folder that concern the roots of an engine.
///
/// ```
/// use lancet::tools::WriteArguments;
/// use lancet::{Lancet, Mode, RefusalKind, SessionName};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (folder, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// # let open = || Lancet::builder().root(folder.path()).state_dir(state.path()).mode(Mode::AcceptEdits).open();
/// let session = open()?.session(&SessionName::new("evening")?);
/// // Another process:
/// let sessions = open()?.sessions().ok_or("no state folder")?;
/// sessions.stop("evening", "a person", Some("not this folder"))?;
///
/// let reply = session.write(WriteArguments::new(folder.path().join("a.txt"), "a\n"));
/// assert_eq!(reply.refusal(), Some(RefusalKind::Declined));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Sessions {
    store: Arc<dyn OperationStore>,
    /// The roots of the engine. Empty for all projects.
    roots: Vec<PathBuf>,
}

/// A session and its activity.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionOverview {
    /// The name of the session, or its generated key.
    pub key: String,
    /// Whether the session has a name. The ledger of a session without one is known to its process alone.
    pub is_named: bool,
    /// The processes that serve it now, newest first. Empty for a session that was only used recently.
    pub connections: Vec<SessionConnection>,
    /// What it has read and changed.
    pub activity: SessionActivity,
    /// Its calls that wait for a person, newest first.
    pub waiting: Vec<WaitingQuestion>,
    /// The person's order that stops its writes.
    pub stop: Option<SessionStop>,
    /// The session that started it, if it is a sub-agent.
    pub sub_agent: Option<SubAgent>,
    /// How many parents it has. Its nearest listed parent comes before it in the list.
    pub depth: usize,
}

/// A process that serves a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionConnection {
    /// The client program.
    pub client: Option<String>,
    /// The version of the client program.
    pub version: Option<String>,
    /// Since when, in milliseconds since 1970.
    pub since: Option<i64>,
    /// The roots of the process that serves it.
    pub roots: Vec<PathBuf>,
    /// The number of that process.
    pub pid: Option<u64>,
}

/// A call that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitingQuestion {
    /// The id of the question.
    pub id: String,
    /// The tool that was called.
    pub tool: String,
    /// When the question was raised, in milliseconds since 1970.
    pub time: i64,
    /// The files of the call.
    pub files: Vec<PathBuf>,
}

impl Lancet {
    /// Returns the sessions at work; none without a state folder.
    pub fn sessions(&self) -> Option<Sessions> {
        let engine = self.engine();
        Some(Sessions {
            store: Arc::clone(engine.history()?),
            roots: engine.roots().to_vec(),
        })
    }
}

impl Sessions {
    /// Returns the sessions of the state folder whatever their roots are.
    #[must_use]
    pub fn in_all_projects(self) -> Self {
        Self {
            roots: Vec::new(),
            ..self
        }
    }

    /// Lists the sessions at work on files below the roots: first those that a running process serves, newest first,
    /// then those that were used, or whose own tools changed files, in the last quarter of an hour, then those that are stopped, wherever they work.
    /// Sub-agents come after the session that started them.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn list(&self) -> Result<Vec<SessionOverview>, HistoryError> {
        let open = self.store.open_sessions()?;
        let stops = self.store.all_stops()?;
        let recent = self
            .store
            .recent_sessions(current_seconds() - RECENT_SECONDS)?;
        let observed = self.observed_sessions()?;
        let mut keys: Vec<&str> = Vec::new();
        let served = open.iter().map(|one| one.session.as_str());
        let stopped = stops.iter().map(|stop| stop.session.as_str());
        for key in served
            .chain(recent.iter().map(String::as_str))
            .chain(observed.iter().map(String::as_str))
            .chain(stopped)
        {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let questions = self.store.list_questions(&QuestionQuery::default())?;
        let sub_agents: SubAgents = self.store.sub_agents()?.into_iter().collect();
        let mut found = Vec::new();
        for key in keys {
            let overview = SessionOverview {
                key: key.to_owned(),
                is_named: !is_unnamed(key),
                connections: connections(&open, key),
                activity: self.store.session_activity(key, MAX_LISTED_FILES)?,
                waiting: questions
                    .iter()
                    .filter(|question| question.session == key)
                    .map(WaitingQuestion::from_record)
                    .collect(),
                stop: stops.iter().find(|stop| stop.session == key).cloned(),
                sub_agent: sub_agents.get(key).cloned(),
                depth: sub_agents.depth(key),
            };
            if overview.stop.is_some() || select::works_below(&overview, &self.roots) {
                found.push(overview);
            }
        }
        Ok(sub_agents.as_tree(found, |one| &one.key))
    }

    /// Returns the named sessions of recent changes that other programs made, such as an agent's own tools.
    fn observed_sessions(&self) -> Result<Vec<String>, HistoryError> {
        let recent = LogQuery {
            below: self.roots.clone(),
            callers: CallerFilter::Known,
            since: Some((current_seconds() - RECENT_SECONDS) * 1_000),
            limit: Some(MAX_SEARCHED_CHANGES),
            ..LogQuery::default()
        };
        let changes = self.store.query_log(&recent)?.into_iter();
        let recorded = changes.filter(|change| change.recorded.is_some());
        let sessions = recorded.map(|change| change.session);
        Ok(sessions.filter(|session| !is_unnamed(session)).collect())
    }

    /// Returns the files that two of these sessions work on: both know the file, and one or both have changed it.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn overlaps(&self, sessions: &[SessionOverview]) -> Result<Vec<Overlap>, HistoryError> {
        overlaps::find_overlaps(&*self.store, sessions)
    }

    /// Stops the writes of a session: in every process they are refused as `declined`, with this message for the model,
    /// until the session is resumed. False if they are stopped already. `by` is recorded as the one who stopped it.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn stop(&self, key: &str, by: &str, words: Option<&str>) -> Result<bool, HistoryError> {
        self.store.stop_session(key, by, words)
    }

    /// Lets a session write again. False if it was not stopped.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn resume(&self, key: &str, by: &str) -> Result<bool, HistoryError> {
        self.store.resume_session(key, by)
    }

    /// Returns the person's order that stops a session.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn session_stop(&self, key: &str) -> Result<Option<SessionStop>, HistoryError> {
        self.store.session_stop(key)
    }

    /// Returns the listed sessions whose name ends with `part`, or the one that has exactly this name. A session that
    /// is not listed is found by its exact name if it has changed a file.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn find(&self, part: &str) -> Result<Vec<String>, HistoryError> {
        let listed = self.list()?;
        let activity = || self.store.session_activity(part, 1);
        if listed.iter().any(|one| one.key == part) {
            return Ok(vec![part.to_owned()]);
        }
        let ends = listed.into_iter().map(|one| one.key);
        let ends: Vec<String> = ends.filter(|key| key.ends_with(part)).collect();
        if ends.is_empty() {
            let found = activity()?;
            if found.operations > 0 || found.known_files.is_some() {
                return Ok(vec![part.to_owned()]);
            }
        }
        Ok(ends)
    }
}

impl WaitingQuestion {
    fn from_record(question: &lancet_history::QuestionRecord) -> Self {
        let files = question.files.iter().map(|file| file.path.clone());
        Self {
            id: question.id.clone(),
            tool: question.tool.clone(),
            time: question.time,
            files: files.collect(),
        }
    }
}

fn connections(open: &[OpenSession], key: &str) -> Vec<SessionConnection> {
    let of_key = open.iter().filter(|one| one.session == key);
    of_key
        .map(|one| {
            let body: serde_json::Value = serde_json::from_str(&one.body).unwrap_or_default();
            let roots = body["roots"].as_array().into_iter().flatten();
            let roots = roots.filter_map(|root| Some(Path::new(root.as_str()?).to_path_buf()));
            SessionConnection {
                client: one.client.clone(),
                version: one.version.clone(),
                since: one.since,
                roots: roots.collect(),
                pid: body["pid"].as_u64(),
            }
        })
        .collect()
}

fn current_seconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}
