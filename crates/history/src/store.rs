//! Where ledgers and operations are kept: what a store of ledgers does, and what can go wrong there.
//! [`Store`] is the one in SQLite. Each kind of record has files of its own below, with its statements; the trait for
//! operations is beside their types.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::entry::Entry;
use crate::session::SessionName;

mod age;
mod blobs;
mod contents;
mod examine;
mod forecast;
mod holder;
mod journal;
mod ledgers;
mod log;
mod open;
mod operations;
mod probe;
mod process;
mod prune;
mod records;
mod salvage;
mod schema;
mod seal;
mod spans;
mod sqlite;
mod statistics;
mod streamed;
mod unsealed;
mod writing;

pub use examine::{StoreFacts, examine_store};
pub use holder::Holder;
pub use journal::LeftIntent;
pub use open::files_set_aside;
pub use sqlite::Store;

/// Keeps the ledgers of named sessions: hashes, stamps and ranges, never contents. Several processes may use one store
/// at once, for the same session too.
pub trait LedgerStore: Send + Sync {
    /// The rows of a session that are newer than `since`, oldest first: all of them from [`Turn::default`] on, else
    /// those that other processes saved. Hand both parts to [`Ledger::take_in`](crate::Ledger::take_in).
    ///
    /// # Errors
    /// The store cannot be opened or read.
    fn load(&self, session: &SessionName, since: Turn) -> Result<Loaded, StoreError>;

    /// Keeps what is known about these files, all or none. For each file the last one to save wins; of the same
    /// version the ranges add up.
    ///
    /// # Errors
    /// The store cannot be opened or written.
    fn save(&self, session: &SessionName, entries: &[(&Path, &Entry)])
    -> Result<Saved, StoreError>;

    /// Forgets a file.
    ///
    /// # Errors
    /// The store cannot be opened or written.
    fn forget(&self, session: &SessionName, path: &Path) -> Result<Saved, StoreError>;
}

/// A point in the life of a session's rows: each save is one turn later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn(pub(crate) i64);

/// What a load found.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Loaded {
    /// The files and what is known about them.
    pub rows: Vec<(PathBuf, Entry)>,
    /// Up to where: the `since` of the next load.
    pub turn: Turn,
    /// The database was damaged; it was set aside and the rows are those of a new one.
    pub set_aside: Option<SetAside>,
}

/// What a save did besides saving.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Saved {
    /// The database was damaged; it was set aside and a new one holds what was saved now.
    pub set_aside: Option<SetAside>,
}

/// A database that was damaged and moved out of the way, or removed while it was in use, to be told to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// Where it is now; nowhere where it was removed.
    pub moved_to: Option<PathBuf>,
    /// What was wrong with it.
    pub reason: String,
    /// How many operations could still be read and are in the new one.
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

/// Why a store could not do its work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The state folder, or a file in it, cannot be made or written.
    #[error("{} cannot be written: {source}", path.display())]
    NotWritable {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Others held the database for longer than is waited for.
    #[error("{} is held by {}", path.display(), holder.map_or("another process".to_owned(), |holder| holder.to_string()))]
    Busy {
        /// The file.
        path: PathBuf,
        /// Who does, where the system tells.
        holder: Option<Holder>,
    },
    /// A newer lancet made the database.
    #[error("{} was made by a newer lancet (its version is {found}, this one knows {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version that it has.
        found: i64,
        /// The newest version known here.
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
    /// Anything else that the database reports.
    #[error("{}: {reason}", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What it reported.
        reason: String,
    },
}

impl StoreError {
    /// The folder or file that is in the way.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::NotWritable { path, .. }
            | Self::Busy { path, .. }
            | Self::Newer { path, .. }
            | Self::Taken { path, .. }
            | Self::Failed { path, .. } => path,
        }
    }
}
