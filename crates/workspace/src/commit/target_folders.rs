//! Checks right before and right after a swap that the path still leads to the folder whose names change. A folder's
//! handle stays valid wherever the folder is moved, so a move is not visible from the handle alone.

use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use super::ready::ReadyWrite;
use super::scratch::Scratch;
use super::{CommitFailure, FileWrite, NewBytes};
use crate::disk::Disk;
use crate::locate::Located;
use crate::locks::FolderLocks;
use crate::roots::is_folder_of;

/// The folders in which one write changes names.
pub(super) struct TargetFolders<'b> {
    first: TargetFolder<'b>,
    /// The target folder of a move.
    second: Option<TargetFolder<'b>>,
}

struct TargetFolder<'b> {
    located: &'b Located,
    folder: Arc<OwnedFd>,
    numbers: Option<(u64, u64)>,
}

impl<'b> TargetFolders<'b> {
    pub(super) fn for_write(
        write: &FileWrite<'b>,
        ready: &ReadyWrite,
        guard: &FolderLocks,
    ) -> TargetFolders<'b> {
        let place = |located: &'b Located, folder: &Arc<OwnedFd>| TargetFolder {
            located,
            folder: Arc::clone(folder),
            numbers: guard.device_and_inode(folder),
        };
        let own = match ready {
            ReadyWrite::Create(creation) => &creation.temporary.folder,
            _ => &write.located.folder,
        };
        TargetFolders {
            first: place(write.located, own),
            second: match (ready, write.new) {
                (ReadyWrite::Move(target, ..), NewBytes::MovedTo(to)) => {
                    Some(place(to, &target.folder))
                }
                _ => None,
            },
        }
    }

    /// Fails if a folder was moved, or if that cannot be determined. The caller must not block between this check and
    /// the swap.
    pub(super) fn check_not_moved(&self, scratch: &Scratch<'_>) -> Result<(), CommitFailure> {
        let disk = scratch.disk();
        self.first.check_not_moved(disk)?;
        self.second
            .iter()
            .try_for_each(|place| place.check_not_moved(disk))
    }

    /// Returns why a swap must be rolled back: a folder was moved at the same moment. If this cannot be determined, the
    /// check before the swap counts.
    pub(super) fn concurrent_move_failure(&self, scratch: &Scratch<'_>) -> Option<CommitFailure> {
        match self
            .check_not_moved(scratch)
            .or_else(|_| self.check_not_moved(scratch))
        {
            Err(failure @ (CommitFailure::FolderMoved | CommitFailure::RootMoved(_))) => {
                Some(failure)
            }
            _ => None,
        }
    }
}

impl TargetFolder<'_> {
    fn check_not_moved(&self, disk: &dyn Disk) -> Result<(), CommitFailure> {
        let path = self.located.path().parent().unwrap_or(Path::new("/"));
        check_not_moved(disk, self.located, &self.folder, self.numbers, path)
    }
}

/// Fails if the innermost existing folder of a free name was moved, before new folders are created in it.
pub(super) fn check_before_creating_folders(
    disk: &dyn Disk,
    located: &Located,
) -> Result<(), CommitFailure> {
    let mut path = located.path();
    for _ in 0..=located.missing_folders.len() {
        path = path.parent().unwrap_or(path);
    }
    check_not_moved(disk, located, &located.folder, None, path)
}

fn check_not_moved(
    disk: &dyn Disk,
    located: &Located,
    folder: &OwnedFd,
    numbers: Option<(u64, u64)>,
    path: &Path,
) -> Result<(), CommitFailure> {
    let look = CommitFailure::at_step("look");
    let folder = folder.as_fd();
    let numbers = match numbers {
        Some(numbers) => numbers,
        None => {
            let own = disk.stat(folder).map_err(&look)?;
            (own.device, own.inode)
        }
    };
    if is_folder_of(disk, folder, numbers, disk.stat_folder(path)).map_err(&look)? {
        return Ok(());
    }
    let root = &located.root;
    Err(match root.is_in_place(disk) {
        Ok(false) => CommitFailure::RootMoved(root.path.clone()),
        _ => CommitFailure::FolderMoved,
    })
}
