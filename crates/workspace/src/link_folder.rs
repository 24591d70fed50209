//! A folder of the state folder with hard links to files of the user, so that the bytes of these files outlive their
//! names.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use crate::disk::{Disk, OpenMode};
use crate::handles::FolderHandle;
use crate::stamp::FileType;

/// An open folder of the state folder that takes hard links.
pub struct LinkFolder {
    disk: Arc<dyn Disk>,
    handle: OwnedFd,
}

/// Whether a file was linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkOutcome {
    /// The folder has a link of this name.
    Linked,
    /// The file no longer exists, or is not a regular file.
    NoFile,
}

impl LinkFolder {
    /// Opens a folder below the state folder; creates it, for the user alone, if it is missing.
    ///
    /// # Errors
    /// The system's own error.
    pub fn open(disk: &Arc<dyn Disk>, path: &Path) -> io::Result<LinkFolder> {
        Ok(LinkFolder {
            handle: disk.open_state_folder(path)?,
            disk: Arc::clone(disk),
        })
    }

    /// Returns the names in the folder.
    ///
    /// # Errors
    /// The system's own error.
    pub fn names(&self) -> io::Result<HashSet<OsString>> {
        let mut names = HashSet::new();
        self.disk.list(self.handle.as_fd(), &mut |name, _| {
            names.insert(name.to_owned());
            ControlFlow::Continue(())
        })?;
        Ok(names)
    }

    /// Links a regular file into the folder, under its own name. A symbolic link is not followed.
    ///
    /// # Errors
    /// The system's own error, where the file is on another file system, or hard links are not supported or permitted.
    pub fn link(&self, from: &FolderHandle, name: &OsStr) -> io::Result<LinkOutcome> {
        let folder = self.handle.as_fd();
        match self.disk.link_at(from.as_fd(), name, folder, name) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Ok(LinkOutcome::Linked);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(LinkOutcome::NoFile);
            }
            Err(error) => return Err(error),
        }
        match self.disk.stat_at(folder, name) {
            Ok(stamp) if stamp.kind() == FileType::File => return Ok(LinkOutcome::Linked),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            // Another process has removed it, or it is no file.
            _ => {}
        }
        self.remove(name)?;
        Ok(LinkOutcome::NoFile)
    }

    /// Removes a name of the folder; nothing happens if it is missing.
    ///
    /// # Errors
    /// The system's own error.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        match self.disk.remove_at(self.handle.as_fd(), name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Creates an empty file in the folder; nothing happens if the name exists.
    ///
    /// # Errors
    /// The system's own error.
    pub fn create_mark(&self, name: &OsStr) -> io::Result<()> {
        let mode = OpenMode::Create { mode: 0o600 };
        match self.disk.open_at(self.handle.as_fd(), name, mode) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns whether the folder has a name.
    pub fn has(&self, name: &OsStr) -> bool {
        self.disk.stat_at(self.handle.as_fd(), name).is_ok()
    }
}

impl fmt::Debug for LinkFolder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LinkFolder").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, symlink};

    use super::*;
    use crate::disk::RealDisk;
    use crate::roots::Workspace;

    #[test]
    fn a_linked_file_outlives_its_name_and_a_symbolic_link_is_not_taken() {
        let place = tempfile::tempdir().expect("a folder");
        let own = place.path().join("own");
        fs::create_dir(&own).expect("made");
        fs::write(own.join("a"), "one\n").expect("written");
        symlink("a", own.join("link")).expect("made");
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let workspace = Workspace::open(std::slice::from_ref(&own), Arc::clone(&disk), None);
        let workspace = workspace.expect("opens");
        let from = workspace.locate_as_spelled(&workspace.roots()[0]);
        let from = from.expect("located").open_folder().expect("opened");

        let state = place.path().join("state/links");
        let links = LinkFolder::open(&disk, &state).expect("made");
        for _ in 0..2 {
            let outcome = links.link(&from, OsStr::new("a")).expect("linked");
            assert_eq!(outcome, LinkOutcome::Linked);
        }
        for other in ["link", "missing"] {
            let outcome = links.link(&from, OsStr::new(other)).expect("no error");
            assert_eq!(outcome, LinkOutcome::NoFile, "{other}");
        }
        fs::remove_file(own.join("a")).expect("removed");
        assert_eq!(fs::read(state.join("a")).expect("read"), b"one\n");
        assert_eq!(fs::metadata(state.join("a")).expect("there").nlink(), 1);
        assert_eq!(links.names().expect("listed"), HashSet::from(["a".into()]));
        links.remove(OsStr::new("a")).expect("removed");
        assert!(!links.has(OsStr::new("a")));
    }
}
