//! What git's HEAD has of a file: the repository around it, HEAD, the tree, the blob, read from git's own folder.
//!
//! Read only, and nothing runs: no hook, no filter, no program that a configuration names. Whatever a repository says is
//! taken for hostile: every length is bounded before it is believed, and nothing outside git's folder is opened but
//! the object folders that it borrows from (alternates). What the difference to a file is, and who may see it, is
//! not known here.

mod clean;
mod config;
mod delta;
mod discover;
mod id;
mod inflate;
mod objects;
mod pack;
mod refs;
mod repository;
mod tree;

pub use clean::{Conversion, to_git};
pub use config::{AutoCrlf, auto_crlf};
pub use id::Id;
pub use repository::{Committed, Repository, RuleText, Rules};

/// Why git's folder does not tell what HEAD has.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Trouble {
    /// The folder of git that is found does not say that it is for this work tree.
    #[error("the git folder found belongs to another work tree")]
    Elsewhere,
    /// Git knows how to keep it so; this does not.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
    /// An object that is named is not there: a partial clone, or a damaged one.
    #[error("object {0} is missing")]
    Missing(Id),
    /// Something is not as git writes it.
    #[error("{0} is damaged")]
    Damaged(&'static str),
    /// Something is larger than is read.
    #[error("{what} of {size} bytes is too large")]
    TooLarge {
        /// What.
        what: &'static str,
        /// Its length.
        size: u64,
    },
    /// The disk's words.
    #[error("git's folder cannot be read: {0}")]
    Unreadable(String),
}

impl From<lancet_workspace::ReadError> for Trouble {
    fn from(error: lancet_workspace::ReadError) -> Self {
        match error {
            lancet_workspace::ReadError::TooLarge { size, .. } => Trouble::TooLarge {
                what: "a file in git's folder",
                size,
            },
            other => Trouble::Unreadable(other.to_string()),
        }
    }
}

impl From<lancet_workspace::LocateError> for Trouble {
    fn from(error: lancet_workspace::LocateError) -> Self {
        Trouble::Unreadable(error.to_string())
    }
}

impl From<lancet_workspace::OpenError> for Trouble {
    fn from(error: lancet_workspace::OpenError) -> Self {
        Trouble::Unreadable(error.to_string())
    }
}
