//! The interface of a store of ledgers. [`Store`] is the implementation in SQLite. Each kind of record has its own
//! files below, with the SQL statements. The traits for operations are defined next to their types.

use std::path::{Path, PathBuf};

use lancet_local_state::SetAsideDatabase;

use crate::entry::LedgerEntry;
use crate::error::HistoryError;
use crate::session::SessionName;

mod activity;
mod age;
mod approvals;
mod blobs;
mod chain;
mod checkpoints;
mod clock;
mod comments;
mod compress;
mod connection;
mod contents;
mod deltas;
mod dropped_objects;
mod error;
mod events;
mod examine;
mod facts;
mod files;
mod forecast;
mod ids;
mod ledger_tables;
mod ledgers;
mod local;
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
mod probe;
mod program_calls;
mod prune;
mod question_rows;
mod questions;
mod recorded_calls;
mod records;
mod reviews;
mod salvage;
mod schema;
mod settle;
mod spans;
mod sql_filter;
mod sqlite;
mod statistics;
mod stops;
mod streamed;
mod sub_agents;
mod transaction;
mod upkeep;
mod verify;
mod workspaces;

pub use contents::INLINE_LIMIT;
pub use examine::{StoreFacts, examine_hooks, examine_store};
pub use files::{DATABASE_NAME, files_set_aside};
pub use sqlite::Store;

/// Stores the ledgers of named sessions: hashes, stamps and ranges, never contents. Several processes may use one
/// store at once, even for the same session.
pub trait LedgerStore: Send + Sync {
    /// Returns the rows of a session that are newer than `since`, oldest first: all of them from
    /// [`LoadCursor::default`] on, else those that other processes saved. Pass both parts to
    /// [`Ledger::merge_rows`](crate::Ledger::merge_rows).
    ///
    /// # Errors
    /// The store cannot be opened or read.
    fn load_rows(
        &self,
        session: &SessionName,
        since: LoadCursor,
    ) -> Result<LoadedRows, HistoryError>;

    /// Saves what is known about these files in one transaction. For each file the last save wins; ranges of the same
    /// version are merged.
    ///
    /// # Errors
    /// The store cannot be opened or written.
    fn save_entries(
        &self,
        session: &SessionName,
        entries: &[(&Path, &LedgerEntry)],
    ) -> Result<SaveOutcome, HistoryError>;

    /// Removes what is known about a file.
    ///
    /// # Errors
    /// The store cannot be opened or written.
    fn forget_file(&self, session: &SessionName, path: &Path) -> Result<SaveOutcome, HistoryError>;
}

/// A position in the sequence of saves of a session: a load returns the rows saved after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoadCursor(pub(crate) i64);

/// The result of a load.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct LoadedRows {
    /// The files and what is known about them.
    pub rows: Vec<(PathBuf, LedgerEntry)>,
    /// The position after these rows: the `since` of the next load.
    pub cursor: LoadCursor,
    /// Set if the database was damaged and was set aside; the rows are then those of a new one.
    pub set_aside: Option<SetAsideDatabase>,
}

/// The result of a save.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct SaveOutcome {
    /// Set if the database was damaged and was set aside; a new one then contains what was saved now.
    pub set_aside: Option<SetAsideDatabase>,
    /// Folders that had been created for changes which are now undone, and in which no other change has a file. They
    /// can be removed if they are empty.
    pub unclaimed: Vec<PathBuf>,
}

impl SaveOutcome {
    fn new(set_aside: Option<SetAsideDatabase>) -> SaveOutcome {
        SaveOutcome {
            set_aside,
            unclaimed: Vec::new(),
        }
    }
}
