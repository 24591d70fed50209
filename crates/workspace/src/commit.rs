//! The commit: locks, the check of what is there, everything staged and flushed, one more look, the swap. Several files
//! go all or none; what had been swapped when one failed is put back. A crash in between is not healed here.

mod back;
mod check;
mod in_place;
mod stage;
mod swap;
mod trial;

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lancet_text::RawChange;

use crate::locate::Located;
use crate::locks::{self, LockError};
use crate::revision::Revision;
use crate::roots::Workspace;
use crate::stamp::Stamp;
use trial::Trial;

/// One file to be written.
#[derive(Clone, Debug)]
pub struct Write<'a> {
    /// Where.
    pub located: &'a Located,
    /// What has to be there for the write to be right.
    pub expected: Expected,
    /// What is to be there afterwards.
    pub new: NewBytes<'a>,
}

/// What has to be at the name for a write to be right.
#[derive(Clone, Debug)]
pub enum Expected {
    /// Nothing.
    Missing,
    /// A file with this content.
    Content {
        /// The name of the content.
        revision: Revision,
        /// The stamp taken when it was read.
        stamp: Stamp,
        /// The content itself where it is at hand: the cheaper comparison.
        bytes: Option<Arc<Vec<u8>>>,
    },
}

/// The new content of a file.
#[derive(Clone, Copy, Debug)]
pub enum NewBytes<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// The old content, in memory, with stretches of it replaced.
    Spliced {
        /// The old content.
        base: &'a [u8],
        /// Sorted and disjoint.
        changes: &'a [RawChange],
    },
    /// The old content, read from the file on the way and compared with what is expected, with stretches of it replaced.
    Streamed {
        /// Sorted and disjoint.
        changes: &'a [RawChange],
    },
}

/// A file that was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// Its stamp afterwards.
    pub stamp: Stamp,
    /// The name of its new content.
    pub revision: Revision,
    /// How it was replaced: `"rename"` (a new file under the old name: readers see old or new), `"in-place"` (the file
    /// itself was rewritten), `"create"`.
    pub guarantee: &'static str,
    /// Is the folder flushed too? If not, a power cut now may bring the old file back.
    pub durable: bool,
    /// Folders made for it, outermost first.
    pub created_folders: Vec<PathBuf>,
}

/// What is in the way of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// The file has no write permission for us, or none at all.
    File,
    /// Its folder has none, so that no file can be put beside it.
    Folder,
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
    /// Somebody else held the lock of one of the files all the time.
    #[error("another write of the same file went on for {waited:?}")]
    Busy {
        /// How long was waited.
        waited: Duration,
    },
    /// No write permission.
    #[error("write {index}: no permission to write the {what}", what = match barrier { Barrier::File => "file", Barrier::Folder => "folder" })]
    ReadOnly {
        /// Which one.
        index: usize,
        /// Of what.
        barrier: Barrier,
    },
    /// Two writes of the batch are the same file, by path or by inode.
    #[error("write {first} and {second} are the same file")]
    Twice {
        /// The one.
        first: usize,
        /// The other.
        second: usize,
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

/// Why one write fails, before it is known which one it is.
#[derive(Debug)]
pub(crate) enum Failure {
    Changed,
    Exists,
    ReadOnly(Barrier),
    Io {
        step: &'static str,
        source: io::Error,
    },
}

impl Failure {
    /// For `map_err`: the system's error at this step.
    fn at(step: &'static str) -> impl Fn(io::Error) -> Failure {
        move |source| Failure::Io { step, source }
    }

    fn of(self, index: usize) -> CommitError {
        match self {
            Failure::Changed => CommitError::Changed { index },
            Failure::Exists => CommitError::Exists { index },
            Failure::ReadOnly(barrier) => CommitError::ReadOnly { index, barrier },
            Failure::Io { step, source } => CommitError::Io {
                index,
                step,
                source,
            },
        }
    }
}

impl Workspace {
    /// Writes every file of the batch or none. Nothing is waited for between the last look at the files and the swap.
    pub fn commit(&self, batch: Vec<Write<'_>>) -> Result<Vec<Written>, CommitError> {
        refuse_doubles(&batch)?;
        let _guard =
            self.locks
                .take(&*self.disk, stripes(&batch))
                .map_err(|error| match error {
                    LockError::Busy => CommitError::Busy {
                        waited: self.locks.patience,
                    },
                    LockError::Io(source) => CommitError::Io {
                        index: 0,
                        step: "lock",
                        source,
                    },
                })?;
        let mut trial = Trial::new(Arc::clone(&self.disk), self.state_folder.as_deref());
        let mut checked = Vec::with_capacity(batch.len());
        for (index, write) in batch.iter().enumerate() {
            checked.push(check::check(write).map_err(|failure| failure.of(index))?);
        }
        let mut staged = Vec::with_capacity(batch.len());
        for (index, (write, current)) in batch.iter().zip(checked).enumerate() {
            staged.push(
                stage::stage(&mut trial, write, current).map_err(|failure| failure.of(index))?,
            );
        }
        for (index, (write, staged)) in batch.iter().zip(&staged).enumerate() {
            staged
                .look_again(write)
                .map_err(|failure| failure.of(index))?;
        }
        swap::swap_all(trial, &batch, staged)
    }
}

fn refuse_doubles(batch: &[Write<'_>]) -> Result<(), CommitError> {
    let mut paths = HashMap::new();
    let mut inodes = HashMap::new();
    for (second, write) in batch.iter().enumerate() {
        let inode = write
            .located
            .stat()
            .map(|stamp| (stamp.device, stamp.inode));
        let earlier = paths.insert(write.located.path(), second);
        let earlier = earlier.or(inode.and_then(|inode| inodes.insert(inode, second)));
        if let Some(first) = earlier {
            return Err(CommitError::Twice { first, second });
        }
    }
    Ok(())
}

/// The locks of a batch: by path, and where a file has several names by its inode too.
fn stripes(batch: &[Write<'_>]) -> BTreeSet<u8> {
    let mut stripes = BTreeSet::new();
    for write in batch {
        stripes.insert(locks::stripe(write.located.path().as_os_str().as_bytes()));
        if let Some(stamp) = write.located.stat().filter(|stamp| stamp.links > 1) {
            stripes.insert(locks::stripe(
                format!("{}:{}", stamp.device, stamp.inode).as_bytes(),
            ));
        }
    }
    stripes
}
