//! Locates a name that something is in the way of, as it will be once that is gone.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use rustix::io::Errno;

use super::{LocateError, Located, check_path_form, has_parent_component};
use crate::disk::OpenMode;
use crate::roots::Workspace;
use crate::stamp::FileType;

impl Workspace {
    /// Locates an absolute path below a root as a free name. What has the name now counts as missing, and so does a file
    /// or link on its way where a folder is needed; no link is followed. A write to the name fails unless these are gone
    /// by then.
    pub fn locate_as_free(&self, path: &Path) -> Result<Located, LocateError> {
        check_path_form(path, path.as_os_str().as_bytes())?;
        let literal = self.root_containing(path);
        let Some((root, rest)) = literal.filter(|(_, rest)| !has_parent_component(rest)) else {
            return Err(LocateError::Outside);
        };
        let root = &self.roots[root];
        root.check_place(&*self.disk)?;
        let mut names: Vec<OsString> = rest.iter().map(OsString::from).collect();
        let Some(name) = names.pop() else {
            return Err(LocateError::Outside);
        };
        let mut folder = Arc::clone(&root.handle);
        let mut missing_folders: Vec<OsString> = Vec::new();
        for part in names {
            let next = match missing_folders.is_empty() {
                true => self.disk.open_at(folder.as_fd(), &part, OpenMode::Folder),
                false => Err(io::ErrorKind::NotFound.into()),
            };
            match next {
                Ok(next) => folder = Arc::new(next),
                Err(error) if is_no_folder(&error) => missing_folders.push(part),
                Err(error) => return Err(error.into()),
            }
        }
        self.check_file_system(Located {
            disk: Arc::clone(&self.disk),
            folder,
            name,
            missing_folders,
            root: Arc::clone(root),
            path: path.to_owned(),
            given: path.to_owned(),
            kind: FileType::Missing,
            stamp: None,
            followed_link: false,
            respelled: false,
        })
    }
}

/// Returns whether there is no folder: nothing, a file or a link.
fn is_no_folder(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    error.kind() == io::ErrorKind::NotFound || matches!(errno, Some(Errno::NOTDIR | Errno::LOOP))
}
