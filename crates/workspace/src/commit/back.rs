//! The way back: what it takes to undo a swap, and the undoing when a later write of the batch fails.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

use super::in_place::{self, Rewrite};
use super::trial::Trial;
use super::{CommitError, Write, Written};
use crate::disk::{Disk, Replace};
use crate::locate::Located;
use crate::stamp::Stamp;

/// A file that was swapped, with what it takes to swap it back.
pub(super) struct Done {
    pub(super) written: Written,
    /// The folder whose flush makes it durable; none where it is already.
    pub(super) folder: Option<Arc<OwnedFd>>,
    pub(super) back: Back,
}

pub(super) enum Back {
    /// A single write needs no way back: nothing can fail after it.
    Never,
    /// The old file under another name.
    Rename {
        folder: Arc<OwnedFd>,
        kept: OsString,
    },
    Remove {
        folder: Arc<OwnedFd>,
    },
    Restore {
        rewrite: Rewrite,
        old: Stamp,
    },
}

/// What could not be taken back.
#[derive(Default)]
pub(super) struct Standing {
    pub(super) writes: Vec<usize>,
    pub(super) kept: Vec<PathBuf>,
}

/// Takes back what was swapped, last first, and says why.
pub(super) fn roll_back(
    mut trial: Trial,
    batch: &[Write<'_>],
    done: Vec<Done>,
    cause: CommitError,
    mut standing: Standing,
) -> CommitError {
    let mut flushed = Vec::new();
    for (
        index,
        Done {
            written,
            folder,
            back,
        },
    ) in done.into_iter().enumerate().rev()
    {
        if !take_back(
            &mut trial,
            batch[index].located,
            &written,
            back,
            &mut standing,
        ) {
            standing.writes.push(index);
        }
        if let Some(folder) = folder {
            flush_once(&*trial.disk, folder, &mut flushed);
        }
    }
    if standing.writes.is_empty() {
        cause
    } else {
        CommitError::Partly {
            cause: Box::new(cause),
            standing: standing.writes,
            kept: standing.kept,
        }
    }
}

/// Takes one write back; false where it has to stand, because the system refuses or because somebody has changed the
/// file since: their change is not ours to undo.
fn take_back(
    trial: &mut Trial,
    located: &Located,
    written: &Written,
    back: Back,
    standing: &mut Standing,
) -> bool {
    let disk = Arc::clone(&trial.disk);
    let name = &located.name;
    let is_ours = |now: io::Result<Stamp>| {
        now.is_ok_and(|now| now.same_file(&written.stamp) && now.mtime == written.stamp.mtime)
    };
    let at_name = |folder: &OwnedFd| {
        disk.stat_at(folder.as_fd(), name)
            .or_else(|_| disk.stat_at(folder.as_fd(), name))
    };
    let twice = |action: &dyn Fn() -> io::Result<()>| action().or_else(|_| action()).is_ok();
    match back {
        Back::Never => true,
        Back::Rename { folder, kept } => {
            let renamed = is_ours(at_name(&folder))
                && twice(&|| disk.rename_at(folder.as_fd(), &kept, name, Replace::Over));
            if renamed {
                trial.release(&kept);
            }
            renamed
        }
        Back::Remove { folder } => {
            is_ours(at_name(&folder)) && twice(&|| disk.remove_at(folder.as_fd(), name))
        }
        Back::Restore { rewrite, old } => {
            let file = rewrite.file.as_fd();
            if !is_ours(disk.stat(file).or_else(|_| disk.stat(file))) {
                return false;
            }
            let restored = restore(trial, &rewrite, &old);
            standing.kept.extend(restored.as_ref().err().cloned());
            restored.is_ok()
        }
    }
}

/// Puts old bytes back; where that fails they are kept, and their path is the error.
pub(super) fn restore(trial: &mut Trial, rewrite: &Rewrite, old: &Stamp) -> Result<(), PathBuf> {
    let disk = Arc::clone(&trial.disk);
    in_place::restore(&*disk, rewrite, old)
        .or_else(|_| in_place::restore(&*disk, rewrite, old))
        .map_err(|_| {
            trial.release(&rewrite.old.name);
            rewrite.kept.clone()
        })
}

pub(super) fn flush_once(
    disk: &dyn Disk,
    folder: Arc<OwnedFd>,
    flushed: &mut Vec<(Arc<OwnedFd>, bool)>,
) -> bool {
    if let Some((_, result)) = flushed
        .iter()
        .find(|(other, _)| Arc::ptr_eq(other, &folder))
    {
        return *result;
    }
    let result = disk.sync(folder.as_fd()).is_ok();
    flushed.push((folder, result));
    result
}
