//! The interface of a store of ledgers, and the errors of all stores. [`Store`] is the implementation in SQLite; each kind of
//! record has its own files below, with the SQL statements. The traits for operations are beside their types.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::activity::SessionStop;
use crate::entry::Entry;
use crate::session::SessionName;

mod activity;
mod age;
mod blobs;
mod chain;
mod checkpoints;
mod clock;
mod comments;
mod compress;
mod connection;
mod contents;
mod error;
mod events;
mod examine;
mod files;
mod forecast;
mod holder;
mod ids;
mod journal;
mod ledger_tables;
mod ledgers;
mod log;
mod log_check;
mod log_search;
mod looks;
mod made_folders;
mod marks;
mod moves;
mod old_checkpoints;
mod open;
mod open_sessions;
mod operations;
mod paths;
mod presence;
mod probe;
mod process;
mod prune;
mod question_rows;
mod questions;
mod recorded_calls;
mod records;
mod resident;
mod reviews;
mod salvage;
mod schema;
mod spans;
mod sqlite;
mod statistics;
mod stops;
mod streamed;
mod sub_agents;
mod transaction;
mod unsaved;
mod unsealed;
mod upkeep;
mod verify;
mod workspaces;

pub use contents::INLINE_LIMIT;
pub use examine::{StoreFacts, examine_hooks, examine_store};
pub use files::{DATABASE, files_set_aside};
pub use holder::Holder;
pub use journal::LeftIntent;
pub use presence::Presence;
pub use resident::ResidentNote;
pub use sqlite::Store;
pub use unsaved::{UnsavedFiles, UnsavedList};

/// Keeps the ledgers of named sessions: hashes, stamps and ranges, never contents. Several processes may use one store
/// at once, even for the same session.
pub trait LedgerStore: Send + Sync {
    /// The rows of a session that are newer than `since`, oldest first: all of them from [`LoadCursor::default`] on, else
    /// those that other processes saved. Pass both parts to [`Ledger::take_in`](crate::Ledger::take_in).
    ///
    /// # Errors
    /// The store cannot be opened or read.
    fn load(&self, session: &SessionName, since: LoadCursor) -> Result<Loaded, StoreError>;

    /// Saves what is known about these files in one transaction. For each file the last save wins; ranges of the same version
    /// are merged.
    ///
    /// # Errors
    /// The store cannot be opened or written.
    fn save(&self, session: &SessionName, entries: &[(&Path, &Entry)])
    -> Result<Saved, StoreError>;

    /// Removes what is known about a file.
    ///
    /// # Errors
    /// The store cannot be opened or written.
    fn forget(&self, session: &SessionName, path: &Path) -> Result<Saved, StoreError>;
}

/// A position in the sequence of saves of a session: a load returns the rows saved after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoadCursor(pub(crate) i64);

/// The result of a load.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Loaded {
    /// The files and what is known about them.
    pub rows: Vec<(PathBuf, Entry)>,
    /// The position after these rows: the `since` of the next load.
    pub cursor: LoadCursor,
    /// The database was damaged; it was set aside and the rows are those of a new one.
    pub set_aside: Option<SetAside>,
}

/// The result of a save.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Saved {
    /// The database was damaged; it was set aside and a new one holds what was saved now.
    pub set_aside: Option<SetAside>,
    /// Folders that had been made for changes which are undone now, and that no change has a file in: they can be removed where
    /// they are empty.
    pub unclaimed: Vec<PathBuf>,
}

impl Saved {
    fn new(set_aside: Option<SetAside>) -> Saved {
        Saved {
            set_aside,
            unclaimed: Vec::new(),
        }
    }
}

/// A database that was damaged and renamed, or removed by another program while it was in use. Its text is for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// The path of the damaged file; none if it was removed.
    pub moved_to: Option<PathBuf>,
    /// What was wrong with the database.
    pub reason: String,
    /// The number of operations that could still be read and were copied to the new database.
    pub brought_over: u64,
}

impl fmt::Display for SetAside {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reason, changes) = (&self.reason, self.brought_over);
        match &self.moved_to {
            Some(place) => write!(
                formatter,
                "the database in the state folder was damaged ({reason}); it was set aside as {} and a new one was begun with the {changes} changes that could still be read. The others are missing from `lancet log` and cannot be undone; `lancet doctor` says what to do",
                place.display()
            ),
            None => write!(
                formatter,
                "{reason}; a new one was begun with the {changes} changes that could still be read. The others, mostly those of large files, are missing from `lancet log` and cannot be undone"
            ),
        }
    }
}

/// An error of the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The state folder, or a file in it, cannot be created or written.
    #[error("{} cannot be written: {source}", path.display())]
    NotWritable {
        /// The folder or file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Another process held the lock of the database until the wait timed out.
    #[error("{} is held by {}", path.display(), holder.map_or("another process".to_owned(), |holder| holder.to_string()))]
    Busy {
        /// The file.
        path: PathBuf,
        /// The process that holds the lock, if the system tells.
        holder: Option<Holder>,
    },
    /// A newer lancet made the database.
    #[error("{} was made by a newer lancet (its version is {found}, this one knows {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The schema version of the database.
        found: i64,
        /// The newest schema version known here.
        known: i64,
    },
    /// Another operation has this id.
    #[error("{} has an operation {id} already", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
        /// The id.
        id: String,
    },
    /// The yes to a question was used by another call, or is no longer valid.
    #[error("the yes to question {question} was used already")]
    UsedUp {
        /// The file.
        path: PathBuf,
        /// The question.
        question: String,
    },
    /// A person has stopped the writes of the session.
    #[error("a person has stopped the writes of session {}", stop.session)]
    Stopped {
        /// The file.
        path: PathBuf,
        /// The person's order.
        stop: Box<SessionStop>,
    },
    /// Any other error of SQLite.
    #[error("{}: {reason}", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// The message of SQLite.
        reason: String,
    },
}

impl StoreError {
    /// The folder or file that the error is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::NotWritable { path, .. }
            | Self::Busy { path, .. }
            | Self::Newer { path, .. }
            | Self::Taken { path, .. }
            | Self::UsedUp { path, .. }
            | Self::Stopped { path, .. }
            | Self::Failed { path, .. } => path,
        }
    }
}
