//! Events: what happened in a state folder, in the order in which it was recorded, as readers get it.

use std::sync::Arc;

use crate::error::HistoryError;
use crate::operation::Operation;
use crate::workspace::{KnownWorkspace, WorkspaceRef};

/// The kind of fact that an event reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A file was changed.
    Changed,
    /// A question waits for the user.
    Waiting,
    /// A question was decided.
    Decided,
    /// A session began, ended or was stopped.
    Session,
    /// The user has reviewed what was written.
    Reviewed,
    /// The user wrote a comment on lines, or a comment was delivered to its session.
    Commented,
}

impl EventKind {
    /// Returns the name of this value in JSON output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Waiting => "waiting",
            Self::Decided => "decided",
            Self::Session => "session",
            Self::Reviewed => "reviewed",
            Self::Commented => "commented",
        }
    }

    pub(crate) fn database_number(self) -> i64 {
        self as i64
    }

    /// Returns the kind with this number in the database; none for a number that only a newer version of lancet
    /// knows.
    pub(crate) fn from_number(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Changed),
            1 => Some(Self::Waiting),
            2 => Some(Self::Decided),
            3 => Some(Self::Session),
            4 => Some(Self::Reviewed),
            5 => Some(Self::Commented),
            _ => None,
        }
    }
}

/// An event of the store.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecordedEvent {
    /// The number of the event; it rises over the whole state folder, whichever process records.
    pub seq: i64,
    /// The time at which the event was recorded, in milliseconds since 1970.
    pub time: i64,
    /// The root that the event is about; none if it is not known.
    pub workspace: Option<KnownWorkspace>,
    /// The session that the event is about.
    pub session: Option<String>,
    /// The client program of the session.
    pub client: Option<String>,
    /// What happened.
    pub fact: RecordedFact,
}

/// The kind of fact that an event reports.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RecordedFact {
    /// The file with this index was changed by the operation.
    Changed {
        /// The operation; the events of its other files share it.
        operation: Arc<Operation>,
        /// The index of the file in the operation's list of files.
        file: usize,
    },
    /// Something else happened: the kind, and the fields that belong to it as a JSON object.
    Other(EventKind, String),
}

/// Some events of the store, and what is known of the rest.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct EventPage {
    /// The events, oldest first.
    pub events: Vec<RecordedEvent>,
    /// Events up to this number may be missing because they were removed with their operations. 0 if none was
    /// removed.
    pub removed_to: i64,
    /// The highest number assigned so far.
    pub newest: i64,
}

/// A session that begins.
#[derive(Clone, Copy, Debug)]
pub struct SessionBegin<'s> {
    /// The name of the session, or its generated key.
    pub session: &'s str,
    /// The client program.
    pub client: Option<&'s str>,
    /// The version of the client program.
    pub version: Option<&'s str>,
    /// The root that identifies the workspace.
    pub workspace: Option<WorkspaceRef<'s>>,
    /// The fields `roots` and `pid` of the event, as a JSON object.
    pub body: &'s str,
}

/// The events of a state folder. A reader in any process gets every event exactly once and in order, starting at the
/// number that it names.
pub trait EventStore: Send + Sync {
    /// Returns at most `most` events with a higher number than `since`.
    ///
    /// # Errors
    /// The store cannot be read.
    fn events(&self, since: i64, most: usize) -> Result<EventPage, HistoryError>;

    /// Returns the number of the last event of an operation; none if it has no events.
    ///
    /// # Errors
    /// The store cannot be read.
    fn last_event_of_operation(&self, operation: &str) -> Result<Option<i64>, HistoryError>;

    /// Records that a session of this process begins. A session that was begun several times ends when the last of
    /// them ends.
    ///
    /// # Errors
    /// The store cannot be written.
    fn begin_session(&self, begin: &SessionBegin<'_>) -> Result<(), HistoryError>;

    /// Records that a session of this process has ended.
    ///
    /// # Errors
    /// The store cannot be written.
    fn end_session(&self, session: &str) -> Result<(), HistoryError>;

    /// Records the end of sessions whose processes ended without recording it.
    ///
    /// # Errors
    /// The store cannot be written.
    fn end_sessions_of_ended_processes(&self) -> Result<(), HistoryError>;
}
