//! What comes of a commit: files written, with what was reached and what is to be told; or why nothing was.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::guarantee::Guarantee;
use crate::displaced::Displaced;
use crate::revision::Revision;
use crate::stamp::Stamp;

/// A file that was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// Its stamp afterwards; of a file that was removed the last one.
    pub stamp: Stamp,
    /// The name of its new content; of a file that was removed or moved the name of what it held.
    pub revision: Revision,
    /// How the write was made, and so how well it was protected from other writers.
    pub guarantee: Guarantee,
    /// Is the folder flushed too? If not, a power cut now may bring the old file back.
    pub durable: bool,
    /// Folders made for it, outermost first.
    pub created_folders: Vec<PathBuf>,
    /// What is to be told although it was written.
    pub warnings: Vec<Warning>,
    /// Where the old file is now; none where there was none, or where nothing is kept.
    pub displaced: Option<Displaced>,
}

impl Written {
    /// Is the old file kept, and certain not to change any more?
    pub fn is_sealed(&self) -> bool {
        self.displaced
            .as_ref()
            .is_some_and(|displaced| displaced.seal == crate::displaced::Seal::Sealed)
    }
}

/// What is to be told of a write that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The folder could not be flushed.
    NotDurable,
    /// Somebody put another file under the name at once; both are kept.
    Overwritten,
    /// Somebody who had opened the old file is about to write into it, where it no longer counts; their bytes become a
    /// version of their own.
    LateWriter,
    /// The file had other names; they keep the old content.
    LinksBroken,
    /// The old file could not be put away and stands here, beside the new one.
    Left(PathBuf),
    /// Other lancet processes could not be kept out.
    NotLocked,
    /// Other writers could not be kept away while the file was rewritten in place, or renamed after a look.
    Unprotected,
    /// A folder that was to go with the file is empty and could not be removed.
    FolderStays(PathBuf),
    /// Attributes of the security system (labels, capabilities) are not ours to set: the new file lacks them.
    AttributesLost,
}

impl Warning {
    /// The name that answers give it.
    pub fn name(&self) -> &'static str {
        match self {
            Warning::NotDurable => "NOT_DURABLE",
            Warning::Overwritten => "OVERWRITTEN",
            Warning::LateWriter => "LATE_WRITER",
            Warning::LinksBroken => "LINKS_BROKEN",
            Warning::Left(_) => "OLD_FILE_LEFT",
            Warning::NotLocked => "NOT_LOCKED",
            Warning::Unprotected => "UNPROTECTED",
            Warning::FolderStays(_) => "FOLDER_STAYS",
            Warning::AttributesLost => "ATTRIBUTES_LOST",
        }
    }
}

/// What is in the way of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOnlyReason {
    /// The file has no write permission for us, or none at all.
    File,
    /// The file system keeps everybody from changing the file (`chattr +i`).
    Immutable,
    /// Its folder has none, so that no file can be put beside it.
    Folder,
    /// The file system is mounted for reading only.
    FileSystem,
}

impl ReadOnlyReason {
    /// What the system's error speaks of: the file system, or else what was tried to be written.
    pub(super) fn of(error: &io::Error, tried: ReadOnlyReason) -> ReadOnlyReason {
        match error.kind() {
            io::ErrorKind::ReadOnlyFilesystem => ReadOnlyReason::FileSystem,
            _ => tried,
        }
    }
}

/// Why nothing was written. `index` counts the writes of the batch from 0.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// What is there is not what was expected, any more: other content, no file, a link, a pipe.
    #[error("write {index}: no longer what was expected")]
    Changed {
        /// Which one.
        index: usize,
    },
    /// Nothing was expected, and something is there.
    #[error("write {index}: already there")]
    Exists {
        /// Which one.
        index: usize,
    },
    /// The folder of the file is no longer what its path leads to. Nothing was written, or it was taken back.
    #[error("write {index}: its folder was moved or replaced")]
    FolderMoved {
        /// Which one.
        index: usize,
    },
    /// The root of the file is no longer what its path leads to. Nothing was written, or it was taken back.
    #[error("write {index}: the root {path} was moved, or removed and made again", path = root.display())]
    RootMoved {
        /// Which one.
        index: usize,
        /// The path that the root was opened by.
        root: PathBuf,
    },
    /// Somebody else is writing one of the files, or its folder's lock was held all the time.
    #[error("write {index}: somebody else is writing the same file (waited {waited:?})")]
    Busy {
        /// Which one.
        index: usize,
        /// How long was waited.
        waited: Duration,
    },
    /// No write permission.
    #[error("write {index}: no permission to write the {what}", what = match reason { ReadOnlyReason::File | ReadOnlyReason::Immutable => "file", ReadOnlyReason::Folder => "folder", ReadOnlyReason::FileSystem => "file system" })]
    ReadOnly {
        /// Which one.
        index: usize,
        /// Of what.
        reason: ReadOnlyReason,
    },
    /// It could only be written without any protection from other writers, and that was not allowed.
    #[error("write {index}: no lease can be had, and writing without one is not allowed")]
    Unsafe {
        /// Which one.
        index: usize,
    },
    /// Two writes of the batch are the same file, by path or by inode.
    #[error("write {first} and {second} are the same file")]
    Twice {
        /// The one.
        first: usize,
        /// The other.
        second: usize,
    },
    /// Others wrote the file in the very moment of the swap. The newest of it stands at the name, the rest is kept.
    #[error("write {index}: others wrote it in the same moment; kept: {kept:?}")]
    Conflict {
        /// Which one.
        index: usize,
        /// Where the versions are that do not stand at the name.
        kept: Vec<PathBuf>,
    },
    /// The system refused; every file is as before.
    #[error("write {index}, {step}: {source}")]
    Io {
        /// Which one.
        index: usize,
        /// At what.
        step: &'static str,
        /// Its words.
        source: io::Error,
    },
    /// A later write failed, and earlier ones could not all be taken back: the system refused that too, or somebody had
    /// changed the file since.
    #[error("{cause}; not every file could be put back")]
    Partly {
        /// Why the batch failed.
        cause: Box<CommitError>,
        /// The writes that stand.
        standing: Vec<usize>,
        /// Where old bytes were kept.
        kept: Vec<PathBuf>,
    },
}

/// The ways to put new content under a name, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rung {
    Exchange,
    Aside,
    InPlace,
}

/// Why one write fails, before it is known which one it is.
#[derive(Debug)]
pub(crate) enum Failure {
    Changed,
    Exists,
    FolderMoved,
    RootMoved(PathBuf),
    Busy(Duration),
    Unsafe,
    ReadOnly(ReadOnlyReason),
    Conflict(Vec<PathBuf>),
    Io {
        step: &'static str,
        source: io::Error,
    },
    /// The way back failed too: the file holds the new bytes, or a mixture, and the old ones are here.
    Stands(Box<Failure>, PathBuf),
    /// Not in this way: everything again with another one.
    Again(Rung),
}

impl Failure {
    /// For `map_err`: the system's error at this step.
    pub(crate) fn at(step: &'static str) -> impl Fn(io::Error) -> Failure {
        move |source| Failure::Io { step, source }
    }

    pub(crate) fn of(self, index: usize) -> CommitError {
        match self {
            Failure::Changed => CommitError::Changed { index },
            Failure::Exists => CommitError::Exists { index },
            Failure::FolderMoved => CommitError::FolderMoved { index },
            Failure::RootMoved(root) => CommitError::RootMoved { index, root },
            Failure::Busy(waited) => CommitError::Busy { index, waited },
            Failure::Unsafe => CommitError::Unsafe { index },
            Failure::ReadOnly(reason) => CommitError::ReadOnly { index, reason },
            Failure::Conflict(kept) => CommitError::Conflict { index, kept },
            Failure::Io { step, source } => CommitError::Io {
                index,
                step,
                source,
            },
            Failure::Stands(cause, kept) => CommitError::Partly {
                cause: Box::new(cause.of(index)),
                standing: vec![index],
                kept: vec![kept],
            },
            // Only met where every way was tried.
            Failure::Again(_) => CommitError::Io {
                index,
                step: "rename",
                source: io::ErrorKind::Unsupported.into(),
            },
        }
    }
}
