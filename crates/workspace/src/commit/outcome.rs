//! The results of a commit: files that were written, with warnings, or why the commit failed.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::guarantee::WriteGuarantee;
use crate::displaced::DisplacedFile;
use crate::revision::Revision;
use crate::stamp::Stamp;

/// The result of one write.
#[derive(Clone, Debug)]
pub struct WriteOutcome {
    /// The stamp after the write; for a removed file, its last one.
    pub stamp: Stamp,
    /// The revision of the new content; for a removed or moved file, of the content it had.
    pub revision: Revision,
    /// How the write was made, and so how well it was protected from other writers.
    pub guarantee: WriteGuarantee,
    /// Whether the folder was flushed too. If not, a power cut may bring the old file back.
    pub durable: bool,
    /// Folders created for the file, outermost first.
    pub created_folders: Vec<PathBuf>,
    /// Warnings to report although the write succeeded.
    pub warnings: Vec<WriteWarning>,
    /// The stored old file; `None` if there was none or nothing is stored.
    pub displaced: Option<DisplacedFile>,
}

impl WriteOutcome {
    /// Returns whether the old file is stored and cannot change any more.
    pub fn is_old_file_sealed(&self) -> bool {
        self.displaced
            .as_ref()
            .is_some_and(|displaced| displaced.seal == crate::displaced::Seal::Sealed)
    }
}

/// Something to report about a write that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteWarning {
    /// The folder could not be flushed; a power cut may undo the write.
    NotDurable,
    /// Another program replaced the new file right after the write; both versions still exist.
    Overwritten,
    /// A program that had opened the old file is about to write to it; the written content becomes a separate version.
    LateWriter,
    /// The file had other hard links, which still have the old content.
    LinksBroken,
    /// The old file could not be stored and is at this path, next to the new one.
    Left(PathBuf),
    /// Other lancet processes could not be locked out.
    NotLocked,
    /// Other writers could not be excluded while the file was rewritten in place, or renamed after a check.
    Unprotected,
    /// An empty folder that was to be removed with the file could not be.
    FolderStays(PathBuf),
    /// Security attributes (labels, capabilities) could not be copied: the new file lacks them.
    AttributesLost,
    /// The file was to belong to another user or group, and this process may not give it to them.
    OwnerLost,
}

impl WriteWarning {
    /// Returns the name of the warning in answers.
    pub fn name(&self) -> &'static str {
        match self {
            WriteWarning::NotDurable => "NOT_DURABLE",
            WriteWarning::Overwritten => "OVERWRITTEN",
            WriteWarning::LateWriter => "LATE_WRITER",
            WriteWarning::LinksBroken => "LINKS_BROKEN",
            WriteWarning::Left(_) => "OLD_FILE_LEFT",
            WriteWarning::NotLocked => "NOT_LOCKED",
            WriteWarning::Unprotected => "UNPROTECTED",
            WriteWarning::FolderStays(_) => "FOLDER_STAYS",
            WriteWarning::AttributesLost => "ATTRIBUTES_LOST",
            WriteWarning::OwnerLost => "OWNER_LOST",
        }
    }
}

/// What denies the permission to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOnlyReason {
    /// The file is not writable for this user, or for any user.
    File,
    /// The file is immutable (`chattr +i`).
    Immutable,
    /// The folder is not writable, so no file can be created in it.
    Folder,
    /// The file system is mounted read-only.
    FileSystem,
}

impl ReadOnlyReason {
    /// Returns `FileSystem` if the error indicates it, else what was being written.
    pub(super) fn from_error(error: &io::Error, tried: ReadOnlyReason) -> ReadOnlyReason {
        match error.kind() {
            io::ErrorKind::ReadOnlyFilesystem => ReadOnlyReason::FileSystem,
            _ => tried,
        }
    }
}

/// Why a commit failed. Only after [`CommitError::Partly`] do writes of the batch remain. `index` is the position of
/// the write in the batch, from 0.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The file is no longer what was expected: other content, no file, a link, a pipe.
    #[error("write {index}: no longer what was expected")]
    Changed {
        /// The position in the batch.
        index: usize,
    },
    /// The name was expected to be free, and exists.
    #[error("write {index}: already there")]
    Exists {
        /// The position in the batch.
        index: usize,
    },
    /// The path no longer leads to the folder of the file. Nothing was written, or it was rolled back.
    #[error("write {index}: its folder was moved or replaced")]
    FolderMoved {
        /// The position in the batch.
        index: usize,
    },
    /// The path no longer leads to the root of the file. Nothing was written, or it was rolled back.
    #[error("write {index}: the root {path} was moved, or removed and made again", path = root.display())]
    RootMoved {
        /// The position in the batch.
        index: usize,
        /// The path that the root was opened by.
        root: PathBuf,
    },
    /// Another program is writing one of the files, or another process held the folder's lock all the time.
    #[error(
        "write {index}: another program is writing the file or holds its folder's lock (waited {waited:?})"
    )]
    Busy {
        /// The position in the batch.
        index: usize,
        /// How long the commit waited.
        waited: Duration,
    },
    /// An earlier commit of this file, together with others, has not been settled: its process ended half-way, or
    /// another process is just recovering it. Nothing was written. The caller should call
    /// [`recover_commits`](crate::Workspace::recover_commits) and try again.
    #[error("write {index}: an interrupted commit of this file is not settled yet")]
    Unsettled {
        /// The position in the batch.
        index: usize,
    },
    /// The permission to write is missing.
    #[error("write {index}: no permission to write the {what}", what = match reason { ReadOnlyReason::File | ReadOnlyReason::Immutable => "file", ReadOnlyReason::Folder => "folder", ReadOnlyReason::FileSystem => "file system" })]
    ReadOnly {
        /// The position in the batch.
        index: usize,
        /// What denies it.
        reason: ReadOnlyReason,
    },
    /// The file could only be written without protection from other writers, which [`WeakProtectionPolicy`](crate::WeakProtectionPolicy) forbids.
    #[error(
        "write {index}: no lease keeps other writers away, and writing without one is not allowed"
    )]
    Unsafe {
        /// The position in the batch.
        index: usize,
        /// Why it is not allowed.
        reason: UnsafeReason,
    },
    /// Two writes of the batch are the same file, by path or by inode.
    #[error("write {first} and {second} are the same file")]
    Twice {
        /// The position of the first.
        first: usize,
        /// The position of the second.
        second: usize,
    },
    /// The file cannot be renamed there: the other name is on another file system, or this one has no rename that
    /// refuses to replace a file (`RENAME_NOREPLACE`). It can still be copied and removed.
    #[error("write {index}: cannot be renamed there")]
    NoRename {
        /// The position in the batch.
        index: usize,
    },
    /// Other programs wrote the file at the moment of the swap. The newest version is at the name, the others are
    /// stored.
    #[error("write {index}: others wrote it in the same moment; kept: {kept:?}")]
    Conflict {
        /// The position in the batch.
        index: usize,
        /// The paths of the versions that are not at the name.
        kept: Vec<PathBuf>,
    },
    /// A system call failed; every file is as before.
    #[error("write {index}, {step}: {source}")]
    Io {
        /// The position in the batch.
        index: usize,
        /// The step that failed.
        step: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// A later write failed, and not every earlier one could be rolled back: the system refused that too, or another
    /// program had changed the file since.
    #[error("{cause}; not every file could be put back")]
    Partly {
        /// Why the batch failed.
        cause: Box<CommitError>,
        /// The positions of the writes that were not rolled back.
        standing: Vec<usize>,
        /// The paths of old content that was stored.
        kept: Vec<PathBuf>,
    },
}

/// Why a rewrite without protection from other writers is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsafeReason {
    /// The caller forbids it everywhere ([`WeakProtectionPolicy::Refuse`](crate::WeakProtectionPolicy::Refuse)).
    Forbidden,
    /// Another machine may write the file, and the caller has not allowed it there
    /// ([`WeakProtectionPolicy::Auto`](crate::WeakProtectionPolicy::Auto)).
    Network,
}

/// The methods of putting new content at a name, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteMethod {
    Exchange,
    MoveAside,
    InPlace,
}

/// Why one write fails, without its position in the batch.
#[derive(Debug)]
pub(crate) enum CommitFailure {
    Changed,
    Exists,
    FolderMoved,
    RootMoved(PathBuf),
    Busy(Duration),
    Unsafe(UnsafeReason),
    NoRename,
    ReadOnly(ReadOnlyReason),
    Conflict(Vec<PathBuf>),
    Io {
        step: &'static str,
        source: io::Error,
    },
    /// The rollback failed too: the file holds the new bytes, or a mixture, and the old ones are at this path.
    Stands(Box<CommitFailure>, PathBuf),
    /// The method in use does not work here: the batch is attempted again with this one.
    RetryWith(WriteMethod),
}

impl CommitFailure {
    /// For `map_err`: wraps the system's error of a step.
    pub(crate) fn at_step(step: &'static str) -> impl Fn(io::Error) -> CommitFailure {
        move |source| CommitFailure::Io { step, source }
    }

    /// Returns the public error for the write at this position.
    pub(crate) fn into_commit_error(self, index: usize) -> CommitError {
        match self {
            CommitFailure::Changed => CommitError::Changed { index },
            CommitFailure::Exists => CommitError::Exists { index },
            CommitFailure::FolderMoved => CommitError::FolderMoved { index },
            CommitFailure::RootMoved(root) => CommitError::RootMoved { index, root },
            CommitFailure::Busy(waited) => CommitError::Busy { index, waited },
            CommitFailure::Unsafe(reason) => CommitError::Unsafe { index, reason },
            CommitFailure::NoRename => CommitError::NoRename { index },
            CommitFailure::ReadOnly(reason) => CommitError::ReadOnly { index, reason },
            CommitFailure::Conflict(kept) => CommitError::Conflict { index, kept },
            CommitFailure::Io { step, source } => CommitError::Io {
                index,
                step,
                source,
            },
            CommitFailure::Stands(cause, kept) => CommitError::Partly {
                cause: Box::new(cause.into_commit_error(index)),
                standing: vec![index],
                kept: vec![kept],
            },
            // Reached only after every method was tried.
            CommitFailure::RetryWith(_) => CommitError::Io {
                index,
                step: "rename",
                source: io::ErrorKind::Unsupported.into(),
            },
        }
    }
}
