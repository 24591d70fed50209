//! Creates the missing folders of a name.

use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

use super::CommitFailure;
use super::scratch::Scratch;
use super::stage::create_failure;
use super::target_folders;
use crate::disk::OpenMode;
use crate::locate::Located;

/// Creates the missing folders of a name; returns the innermost one and the paths of those created.
pub(super) fn make_folders(
    scratch: &mut Scratch<'_>,
    located: &Located,
) -> Result<(Arc<OwnedFd>, Vec<PathBuf>), CommitFailure> {
    let disk = scratch.disk();
    if !located.missing_folders.is_empty() {
        target_folders::check_before_creating_folders(disk, located)?;
    }
    let mut folder = Arc::clone(&located.folder);
    let mut path = located.path().to_owned();
    for _ in 0..=located.missing_folders.len() {
        path.pop();
    }
    let mut created = Vec::new();
    for name in &located.missing_folders {
        path.push(name);
        if scratch
            .make_folder(&folder, name, &path)
            .map_err(create_failure)?
        {
            created.push(path.clone());
            // If this fails, the later flush of the innermost folder most likely does too, and that one is reported.
            let _ = disk.sync(folder.as_fd());
        }
        let next = disk
            .open_at(folder.as_fd(), name, OpenMode::Folder)
            .map_err(CommitFailure::at_step("open folder"))?;
        folder = Arc::new(next);
    }
    Ok((folder, created))
}
