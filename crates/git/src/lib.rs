//! Reads git's own folder: what a commit stores at a path, what the index tracks, and objects by their ids.
//!
//! - [`Repository`] finds the repository of a file and answers queries about it: [`Repository::head_commit`],
//!   [`Repository::committed_content`], [`Repository::conversion_rules`].
//! - [`GitIndex`] is what git tracks; [`CleanFiles`] uses it to find, without reading a file, which blob has the file's
//!   bytes.
//! - [`ObjectReader`] reads blobs by their ids and verifies them.
//! - [`convert_to_git`] converts line ends as `git add` does, so that a CRLF checkout of an LF blob does not count as a change.
//! - [`GitError`] is the reason why a query has no answer.
//!
//! ```
//! use std::sync::Arc;
//! use lancet_git::{CommittedContent, GitError, Repository};
//! use lancet_workspace::{Disk, RealDisk};
//!
//! fn is_tracked(file: &std::path::Path) -> Result<bool, GitError> {
//!     let disk: Arc<dyn Disk> = Arc::new(RealDisk);
//!     let Some(repository) = Repository::find_for_file(file, &disk)? else {
//!         return Ok(false);
//!     };
//!     let (Some(head_commit), Some(relative_path)) = (repository.head_commit()?, repository.relative_path(file)) else {
//!         return Ok(false);
//!     };
//!     Ok(repository.committed_content(&head_commit, relative_path)? != CommittedContent::Nothing)
//! }
//! assert!(!is_tracked(std::path::Path::new("/no/such/file")).unwrap());
//! ```
//!
//! # Limitations
//! Read only, and nothing is executed: no hook, no filter, no program that a configuration names. The repository is
//! treated as hostile input: every length is bounded before it is used, and nothing outside git's folder is opened
//! except the object folders of its alternates. Not supported: reftable, pack indexes of version 1, `include` in the
//! configuration, clean filters and `working-tree-encoding`; of the index: split and sparse ones, and SHA-256.
//! Objects are verified against their ids by plain SHA-1, without its detection of collisions; those of SHA-256 are
//! not verified.

mod attributes;
mod clean;
mod clean_files;
mod config;
mod delta;
mod discover;
mod hash;
mod id;
mod index;
mod inflate;
mod object;
mod object_folder;
mod objects;
mod pack;
mod refs;
mod repository;
mod tree;

pub use clean::{Conversion, convert_to_git};
pub use clean_files::{CleanFiles, GlobalFiles};
pub use config::{AutoCrlf, effective_auto_crlf};
pub use id::ObjectId;
pub use index::{GitIndex, IndexEntry, IndexStat, LINK_MODE, SUBMODULE_MODE};
pub use objects::ObjectReader;
pub use repository::{AttributesFile, CommittedContent, ConversionRules, Head, Repository};

/// The reason why a query about a repository has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// The git folder that was found does not name this work tree as its own.
    #[error("the git folder found belongs to another work tree")]
    Elsewhere,
    /// The repository uses a feature that this crate does not read, such as reftable.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
    /// A referenced object does not exist: the clone is partial or damaged.
    #[error("object {0} is missing")]
    Missing(ObjectId),
    /// A file or object is not in the format that git writes.
    #[error("{0} is damaged")]
    Damaged(&'static str),
    /// A file or object exceeds the limit for its kind.
    #[error("{what} of {size} bytes is too large")]
    TooLarge {
        /// The kind of thing, as a noun phrase.
        what: &'static str,
        /// Its size in bytes.
        size: u64,
    },
    /// Opening or reading something in git's folder failed.
    #[error("git's folder cannot be read: {0}")]
    Unreadable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<lancet_workspace::ReadError> for GitError {
    fn from(error: lancet_workspace::ReadError) -> Self {
        match error {
            lancet_workspace::ReadError::TooLarge { size, .. } => GitError::TooLarge {
                what: "a file in git's folder",
                size,
            },
            other => GitError::Unreadable(Box::new(other)),
        }
    }
}

impl From<lancet_workspace::LocateError> for GitError {
    fn from(error: lancet_workspace::LocateError) -> Self {
        GitError::Unreadable(Box::new(error))
    }
}

impl From<lancet_workspace::OpenError> for GitError {
    fn from(error: lancet_workspace::OpenError) -> Self {
        GitError::Unreadable(Box::new(error))
    }
}

/// Returns the error for a system call that failed on an open file.
fn unreadable_error(error: std::io::Error) -> GitError {
    GitError::Unreadable(Box::new(error))
}
