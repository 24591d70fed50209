//! The active sessions, what each has read and changed, and the sessions whose writes the user has stopped. The
//! implementation in SQLite is [`Store`](crate::Store).

use std::path::{Path, PathBuf};

use crate::error::HistoryError;
use crate::workspace::KnownWorkspace;

/// An order by the user that a session must not write files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionStop {
    /// The session, by its name or generated key.
    pub session: String,
    /// The time of the order, in milliseconds since 1970.
    pub time: i64,
    /// The origin of the order: the user, and through which interface.
    pub by: String,
    /// A message from the user that the model is shown.
    pub words: Option<String>,
}

/// A session that some running process has begun and not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenSession {
    /// The session, by its name or generated key.
    pub session: String,
    /// The client program.
    pub client: Option<String>,
    /// The version of the client program.
    pub version: Option<String>,
    /// The time at which it began, in milliseconds since 1970; none if an older version of lancet recorded it.
    pub since: Option<i64>,
    /// The root that identifies the workspace.
    pub workspace: Option<KnownWorkspace>,
    /// The fields `roots` and `pid` of its event, as a JSON object.
    pub body: String,
}

/// The files that a session has read and changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionActivity {
    /// The number of files in its stored ledger; none if the session has no name, since its ledger then exists only
    /// in its process.
    pub known_files: Option<u64>,
    /// The files that it read or wrote last, latest first.
    pub latest: Vec<PathBuf>,
    /// The time at which its ledger was last used, in seconds since 1970.
    pub used: Option<i64>,
    /// The number of its operations.
    pub operations: u64,
    /// The files that it changed last, latest first.
    pub changed: Vec<ChangedPath>,
    /// The number of files that it changed.
    pub changed_files: u64,
}

/// A file that a session changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedPath {
    /// The absolute path.
    pub path: PathBuf,
    /// The number of the session's operations that changed it.
    pub operations: u64,
    /// The time of the last one, in milliseconds since 1970.
    pub time: i64,
}

/// A store that knows the sessions at work. Several processes may use one store at once.
pub trait ActivityStore: Send + Sync {
    /// Stops the writes of a session. Returns false if they are stopped already; the first order then remains in
    /// effect.
    ///
    /// # Errors
    /// The store cannot be written.
    fn stop_session(
        &self,
        session: &str,
        by: &str,
        words: Option<&str>,
    ) -> Result<bool, HistoryError>;

    /// Lets a session write again. Returns false if its writes are not stopped.
    ///
    /// # Errors
    /// The store cannot be written.
    fn resume_session(&self, session: &str, by: &str) -> Result<bool, HistoryError>;

    /// Returns the order that stops this session; none if it may write.
    ///
    /// # Errors
    /// The store cannot be read.
    fn session_stop(&self, session: &str) -> Result<Option<SessionStop>, HistoryError>;

    /// Returns all orders, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn all_stops(&self) -> Result<Vec<SessionStop>, HistoryError>;

    /// Returns the sessions of running processes, newest first. A session that several processes have begun is listed
    /// several times.
    ///
    /// # Errors
    /// The store cannot be read.
    fn open_sessions(&self) -> Result<Vec<OpenSession>, HistoryError>;

    /// Returns the named sessions whose ledgers were used since this time, in seconds since 1970, latest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn recent_sessions(&self, since: i64) -> Result<Vec<String>, HistoryError>;

    /// Returns what a session has read and changed, with at most `most` files in each list.
    ///
    /// # Errors
    /// The store cannot be read.
    fn session_activity(&self, session: &str, most: usize)
    -> Result<SessionActivity, HistoryError>;

    /// Returns whether the stored ledger of a session has this file.
    ///
    /// # Errors
    /// The store cannot be read.
    fn has_file_in_ledger(&self, session: &str, path: &Path) -> Result<bool, HistoryError>;
}
