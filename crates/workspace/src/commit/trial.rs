//! What a commit puts on the disk for its own sake: temporary names and new folders. All of it goes again when the
//! trial ends, however it ends, but for what was taken out of it.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Disk, Open};

/// As many names are tried before one that is always taken is believed.
const TRIES: usize = 8;

pub(super) struct Trial {
    pub(super) disk: Arc<dyn Disk>,
    displaced: Option<PathBuf>,
    names: Vec<(Arc<OwnedFd>, OsString)>,
    folders: Vec<(Arc<OwnedFd>, OsString)>,
}

/// A file that exists for the trial alone.
#[derive(Debug)]
pub(super) struct Temporary {
    pub(super) folder: Arc<OwnedFd>,
    pub(super) name: OsString,
    pub(super) file: OwnedFd,
}

impl Trial {
    pub(super) fn new(disk: Arc<dyn Disk>, state_folder: Option<&Path>) -> Trial {
        let displaced = state_folder.map(|folder| folder.join("displaced"));
        Trial {
            disk,
            displaced,
            names: Vec::new(),
            folders: Vec::new(),
        }
    }

    /// Makes an empty file beside the others of the folder.
    pub(super) fn create(&mut self, folder: &Arc<OwnedFd>, mode: u32) -> io::Result<Temporary> {
        self.create_named(folder, mode, &temporary_name)
    }

    /// Makes an empty file for old bytes: in the state folder, or beside the file where there is none. With it the path
    /// under which a person finds it, should it have to stay.
    pub(super) fn create_displaced(
        &mut self,
        beside: &Arc<OwnedFd>,
        of: &Path,
    ) -> io::Result<(Temporary, PathBuf)> {
        let Some(path) = self.displaced.clone() else {
            let kept = self.create(beside, 0o600)?;
            let path = of.with_file_name(&kept.name);
            return Ok((kept, path));
        };
        let folder = Arc::new(self.disk.open_state_folder(&path)?);
        let seconds = self.disk.now().0;
        let name = of.file_name().unwrap_or_default().as_bytes();
        let kept = self.create_named(&folder, 0o600, &|| {
            let mut full = format!("{seconds}-{:016x}-", random()).into_bytes();
            full.extend_from_slice(&name[..name.len().min(128)]);
            OsString::from_vec(full)
        })?;
        let path = path.join(&kept.name);
        Ok((kept, path))
    }

    fn create_named(
        &mut self,
        folder: &Arc<OwnedFd>,
        mode: u32,
        name: &dyn Fn() -> OsString,
    ) -> io::Result<Temporary> {
        let mut tries = 0;
        loop {
            tries += 1;
            let name = name();
            match self
                .disk
                .open_at(folder.as_fd(), &name, Open::Create { mode })
            {
                Ok(file) => {
                    self.names.push((Arc::clone(folder), name.clone()));
                    return Ok(Temporary {
                        folder: Arc::clone(folder),
                        name,
                        file,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// A second name for a file of the folder, so that it survives when its first one is replaced.
    pub(super) fn link(&mut self, folder: &Arc<OwnedFd>, of: &OsStr) -> io::Result<OsString> {
        let name = temporary_name();
        self.disk.link_at(folder.as_fd(), of, &name)?;
        self.names.push((Arc::clone(folder), name.clone()));
        Ok(name)
    }

    /// Makes a folder, unless somebody has already; true where it was made.
    pub(super) fn make_folder(&mut self, folder: &Arc<OwnedFd>, name: &OsStr) -> io::Result<bool> {
        match self.disk.make_folder_at(folder.as_fd(), name) {
            Ok(()) => {
                self.folders.push((Arc::clone(folder), name.to_owned()));
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// This name is not the trial's any more.
    pub(super) fn release(&mut self, name: &OsStr) {
        self.names.retain(|(_, other)| other != name);
    }

    /// The new folders stay.
    pub(super) fn release_folders(&mut self) {
        self.folders.clear();
    }

    /// Removes this name now.
    pub(super) fn discard(&mut self, name: &OsStr) {
        if let Some(at) = self.names.iter().position(|(_, other)| other == name) {
            let (folder, name) = self.names.swap_remove(at);
            self.remove(&folder, &name);
        }
    }

    fn remove(&self, folder: &OwnedFd, name: &OsStr) {
        // A second try costs nothing and leaves nothing behind after a passing fault.
        if self.disk.remove_at(folder.as_fd(), name).is_err() {
            let _ = self.disk.remove_at(folder.as_fd(), name);
        }
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        for (folder, name) in std::mem::take(&mut self.names) {
            self.remove(&folder, &name);
        }
        // Innermost first; one that somebody has put something into stays.
        for (folder, name) in std::mem::take(&mut self.folders).into_iter().rev() {
            if self.disk.remove_folder_at(folder.as_fd(), &name).is_err() {
                let _ = self.disk.remove_folder_at(folder.as_fd(), &name);
            }
        }
    }
}

fn temporary_name() -> OsString {
    format!(".lancet-{:016x}.tmp", random()).into()
}

/// The standard library's hash keys come from the system's random source; a counter of theirs makes each new.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
