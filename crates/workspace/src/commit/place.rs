//! The last question before a swap, and the first after it: is the folder that the names change in still the one that
//! the path leads to? A folder's handle stays good wherever the folder is moved, so the handle alone does not tell.

use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use super::trial::Scratch;
use super::{Failure, NewBytes, Ready, Write};
use crate::disk::Disk;
use crate::locate::Located;
use crate::locks::Guard;
use crate::roots::is_folder_of;

/// The folders that one write changes names in, each with the file that is meant.
pub(super) struct Places<'b> {
    first: Place<'b>,
    /// Where a file is moved to.
    second: Option<Place<'b>>,
}

struct Place<'b> {
    located: &'b Located,
    folder: Arc<OwnedFd>,
    numbers: Option<(u64, u64)>,
}

impl<'b> Places<'b> {
    pub(super) fn of(write: &Write<'b>, ready: &Ready, guard: &Guard) -> Places<'b> {
        let place = |located: &'b Located, folder: &Arc<OwnedFd>| Place {
            located,
            folder: Arc::clone(folder),
            numbers: guard.numbers_of(folder),
        };
        let own = match ready {
            Ready::Create(creation) => &creation.temporary.folder,
            _ => &write.located.folder,
        };
        Places {
            first: place(write.located, own),
            second: match (ready, write.new) {
                (Ready::Move(folder, _), NewBytes::MovedTo(to)) => Some(place(to, folder)),
                _ => None,
            },
        }
    }

    /// Fails where a folder is elsewhere by now, and where that cannot be told. Nothing may be waited for from here to
    /// the swap.
    pub(super) fn check(&self, trial: &Scratch<'_>) -> Result<(), Failure> {
        let disk = trial.disk();
        self.first.check(disk)?;
        self.second.iter().try_for_each(|place| place.check(disk))
    }

    /// Why a swap that was made has to be taken back: a folder was moved in the moment between. Where that cannot be told
    /// the check just before stands.
    pub(super) fn moved_meanwhile(&self, trial: &Scratch<'_>) -> Option<Failure> {
        match self.check(trial).or_else(|_| self.check(trial)) {
            Err(failure @ (Failure::FolderMoved | Failure::RootMoved(_))) => Some(failure),
            _ => None,
        }
    }
}

impl Place<'_> {
    fn check(&self, disk: &dyn Disk) -> Result<(), Failure> {
        let path = self.located.path().parent().unwrap_or(Path::new("/"));
        check(disk, self.located, &self.folder, self.numbers, path)
    }
}

/// Fails where the innermost folder that exists on the way to a free name is elsewhere by now: before new folders are
/// made in it.
pub(super) fn check_before_folders(disk: &dyn Disk, located: &Located) -> Result<(), Failure> {
    let mut path = located.path();
    for _ in 0..=located.missing_folders.len() {
        path = path.parent().unwrap_or(path);
    }
    check(disk, located, &located.folder, None, path)
}

fn check(
    disk: &dyn Disk,
    located: &Located,
    folder: &OwnedFd,
    numbers: Option<(u64, u64)>,
    path: &Path,
) -> Result<(), Failure> {
    let look = Failure::at("look");
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
        Ok(false) => Failure::RootMoved(root.path.clone()),
        _ => Failure::FolderMoved,
    })
}
