//! The errors of a store of records. An error names the store by its file if it is one, otherwise by a description.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use lancet_local_state::LockHolder;

use crate::activity::SessionStop;

/// An error of a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// The store, or a file or folder of it, cannot be created, reached or written.
    #[error("{store} cannot be written: {source}")]
    Unavailable {
        /// The store, or the part of it that cannot be written.
        store: StorePlace,
        /// The error of the system.
        source: io::Error,
    },
    /// Another process held the lock of the store until the wait timed out.
    #[error("{store} is held by {}", holder.map_or("another process".to_owned(), |holder| holder.to_string()))]
    Busy {
        /// The store.
        store: StorePlace,
        /// The process that holds the lock, if the system reports it.
        holder: Option<LockHolder>,
    },
    /// A newer version of lancet made the store.
    #[error("{store} was made by a newer lancet (its version is {found}, this one knows {known})")]
    Newer {
        /// The store.
        store: StorePlace,
        /// The schema version of the store.
        found: i64,
        /// The newest schema version known here.
        known: i64,
    },
    /// The store is damaged.
    #[error("{store}: {reason}")]
    Damaged {
        /// The store.
        store: StorePlace,
        /// A description of the damage.
        reason: String,
    },
    /// The store is intact, but the record conflicts with what it contains.
    #[error(transparent)]
    Conflict(AnnounceConflict),
    /// Any other error of the store.
    #[error("{store}: {reason}")]
    Failed {
        /// The store.
        store: StorePlace,
        /// The message of the store.
        reason: String,
    },
}

/// The reason why an operation cannot be announced although the store is writable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnnounceConflict {
    /// Another operation has this id.
    #[error("the history has an operation {0} already")]
    Taken(String),
    /// The approval of this question was used by another call, or is no longer valid.
    #[error("the yes to question {0} was used already")]
    UsedUp(String),
    /// A person has stopped the writes of the session.
    #[error("a person has stopped the writes of session {}", .0.session)]
    Stopped(Box<SessionStop>),
}

/// The location of a store, as its errors name it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StorePlace {
    /// In this file or folder.
    File(PathBuf),
    /// Somewhere else; the text names it as the subject of a sentence.
    Named(String),
}

impl fmt::Display for StorePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(formatter, "{}", path.display()),
            Self::Named(name) => formatter.write_str(name),
        }
    }
}

impl From<&Path> for StorePlace {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl From<PathBuf> for StorePlace {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl HistoryError {
    /// Returns the folder or file that the error is about; none if the store is not a file, or if the error is not
    /// about its location.
    #[must_use]
    pub fn affected_path(&self) -> Option<&Path> {
        let store = match self {
            Self::Unavailable { store, .. }
            | Self::Busy { store, .. }
            | Self::Newer { store, .. }
            | Self::Damaged { store, .. }
            | Self::Failed { store, .. } => store,
            Self::Conflict(_) => return None,
        };
        match store {
            StorePlace::File(path) => Some(path),
            StorePlace::Named(_) => None,
        }
    }
}
