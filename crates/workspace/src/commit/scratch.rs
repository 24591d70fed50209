//! The scratch files of a commit: temporary names and new folders. All of them are removed on drop, except those that
//! were released.

mod auxiliary;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::outcome::{CommitFailure, WriteMethod};
use crate::disk::{Disk, OpenMode};
use crate::displaced::{Seal, stored_name};
use crate::journal::EntryId;
use crate::mounts::{LeaseCoverage, MissingFeature, RenameTrust, rename_trust};
use crate::random::random;
use crate::roots::Workspace;

/// How many temporary names are tried before the error is returned.
const MAX_NAME_TRIES: usize = 8;
/// The device number under which missing features of the state folder's file system are recorded.
pub(super) const STATE_FOLDER_DEVICE: u64 = u64::MAX;

pub(super) struct Scratch<'w> {
    pub(super) workspace: &'w Workspace,
    names: Vec<(Arc<OwnedFd>, OsString)>,
    folders: Vec<(Arc<OwnedFd>, OsString, PathBuf)>,
    /// Folders that still have their temporary names.
    temporary_folders: Vec<(Arc<OwnedFd>, OsString)>,
    /// The paths of all new folders, also of released ones.
    made: Vec<PathBuf>,
    /// The journal entries of new folders and temporary links, closed on drop.
    records: Vec<EntryId>,
}

/// A temporary file, symbolic link or folder of a commit. The handle of a link only identifies it.
#[derive(Debug)]
pub(super) struct TemporaryFile {
    pub(super) folder: Arc<OwnedFd>,
    pub(super) name: OsString,
    pub(super) file: OwnedFd,
    pub(super) naming: NameState,
}

/// Whether a temporary file has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameState {
    NameFlush,
    /// Without a name, a crash leaves nothing behind.
    Unnamed,
    /// It is an existing file with a name of its own.
    OtherName,
}

impl<'w> Scratch<'w> {
    pub(super) fn new(workspace: &'w Workspace) -> Scratch<'w> {
        Scratch {
            workspace,
            names: Vec::new(),
            folders: Vec::new(),
            temporary_folders: Vec::new(),
            made: Vec::new(),
            records: Vec::new(),
        }
    }

    /// Returns which writers a lease on this file detects.
    pub(super) fn lease_coverage(&self, file: &OwnedFd) -> LeaseCoverage {
        let mounts = &self.workspace.mounts;
        mounts.lease_coverage(self.disk(), file.as_fd())
    }

    /// How far the flags of a rename in this folder can be relied on.
    pub(super) fn rename_trust(&self, folder: BorrowedFd<'_>) -> RenameTrust {
        rename_trust(self.disk(), folder)
    }

    pub(super) fn disk(&self) -> &'w dyn Disk {
        &*self.workspace.disk
    }

    /// Creates an empty file in a folder, without a name where the file system supports it.
    pub(super) fn create_temporary(
        &mut self,
        folder: &Arc<OwnedFd>,
        mode: u32,
        device: u64,
    ) -> io::Result<TemporaryFile> {
        match self.create_unnamed(folder, mode, device, &temporary_name)? {
            Some(unnamed) => Ok(unnamed),
            None => self.create_named(folder, mode, &temporary_name),
        }
    }

    /// Names a temporary file that has no name yet.
    pub(super) fn assign_name(
        &mut self,
        temporary: &mut TemporaryFile,
        device: u64,
        method: WriteMethod,
    ) -> Result<(), CommitFailure> {
        if temporary.naming == NameState::NameFlush {
            return Ok(());
        }
        let folder = temporary.folder.as_fd();
        match self
            .disk()
            .link_unnamed(temporary.file.as_fd(), folder, &temporary.name)
        {
            Ok(()) => {
                temporary.naming = NameState::NameFlush;
                self.names
                    .push((Arc::clone(&temporary.folder), temporary.name.clone()));
                Ok(())
            }
            Err(error) if is_unsupported(&error) || error.kind() == io::ErrorKind::NotFound => {
                self.workspace
                    .mounts
                    .record_missing(device, MissingFeature::UnnamedFiles);
                Err(CommitFailure::RetryWith(method))
            }
            Err(source) => Err(CommitFailure::Io {
                step: "link",
                source,
            }),
        }
    }

    /// Creates an empty file for old bytes, in the state folder or, without one, next to the file; also returns its
    /// path.
    pub(super) fn create_displaced(
        &mut self,
        beside: &Arc<OwnedFd>,
        of: &Path,
    ) -> io::Result<(TemporaryFile, PathBuf)> {
        match self.try_create_displaced(beside, of) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.workspace.displaced.forget_handle();
                self.try_create_displaced(beside, of)
            }
            other => other,
        }
    }

    fn try_create_displaced(
        &mut self,
        beside: &Arc<OwnedFd>,
        of: &Path,
    ) -> io::Result<(TemporaryFile, PathBuf)> {
        let disk = self.disk();
        let Some((folder, path)) = self.workspace.displaced.folder(disk)? else {
            let kept = self.create_named(beside, 0o600, &temporary_name)?;
            let path = of.with_file_name(&kept.name);
            return Ok((kept, path));
        };
        let name = of.file_name().unwrap_or_default();
        let kept_name = || stored_name(disk, name, Seal::Sealed);
        let kept = match self.create_unnamed(&folder, 0o600, STATE_FOLDER_DEVICE, &kept_name)? {
            Some(unnamed) => unnamed,
            None => self.create_named(&folder, 0o600, &kept_name)?,
        };
        let path = path.join(&kept.name);
        Ok((kept, path))
    }

    /// Creates an empty file for the new bytes of a rewrite, next to the copy of the old ones.
    pub(super) fn create_for_next_method(
        &mut self,
        old: &TemporaryFile,
    ) -> io::Result<TemporaryFile> {
        let name = || next_name(&old.name);
        match self.create_unnamed(&old.folder, 0o600, STATE_FOLDER_DEVICE, &name)? {
            Some(unnamed) => Ok(unnamed),
            None => self.create_named(&old.folder, 0o600, &name),
        }
    }

    /// Creates an unnamed file, which disappears with the process; `None` if the file system has none.
    fn create_unnamed(
        &mut self,
        folder: &Arc<OwnedFd>,
        mode: u32,
        device: u64,
        name: &dyn Fn() -> OsString,
    ) -> io::Result<Option<TemporaryFile>> {
        let mounts = &self.workspace.mounts;
        if mounts.lacks_feature(device, MissingFeature::UnnamedFiles) {
            return Ok(None);
        }
        let here = OsStr::new(".");
        match self
            .disk()
            .open_at(folder.as_fd(), here, OpenMode::Unnamed { mode })
        {
            Ok(file) => Ok(Some(TemporaryFile {
                folder: Arc::clone(folder),
                name: name(),
                file,
                naming: NameState::Unnamed,
            })),
            Err(error) if is_unsupported(&error) => {
                mounts.record_missing(device, MissingFeature::UnnamedFiles);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn create_named(
        &mut self,
        folder: &Arc<OwnedFd>,
        mode: u32,
        name: &dyn Fn() -> OsString,
    ) -> io::Result<TemporaryFile> {
        let mut tries = 0;
        loop {
            tries += 1;
            let name = name();
            match self
                .disk()
                .open_at(folder.as_fd(), &name, OpenMode::Create { mode })
            {
                Ok(file) => {
                    self.names.push((Arc::clone(folder), name.clone()));
                    return Ok(TemporaryFile {
                        folder: Arc::clone(folder),
                        name,
                        file,
                        naming: NameState::NameFlush,
                    });
                }
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && tries < MAX_NAME_TRIES => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Releases a name: it is not removed on drop.
    pub(super) fn release_name(&mut self, name: &OsStr) {
        self.names.retain(|(_, other)| other != name);
        self.temporary_folders.retain(|(_, other)| other != name);
    }

    /// Releases all new folders: they stay.
    pub(super) fn release_folders(&mut self) {
        self.folders.clear();
    }

    fn remove(&self, folder: &OwnedFd, name: &OsStr) {
        // A second attempt leaves nothing behind after a transient error.
        if self.disk().remove_at(folder.as_fd(), name).is_err() {
            let _ = self.disk().remove_at(folder.as_fd(), name);
        }
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        for (folder, name) in std::mem::take(&mut self.names) {
            self.remove(&folder, &name);
        }
        for (folder, name) in std::mem::take(&mut self.temporary_folders) {
            let remove = || self.disk().remove_folder_at(folder.as_fd(), &name);
            let _ = remove().or_else(|_| remove());
        }
        // Innermost first; a folder that another program uses is not empty and stays.
        let mut made = std::mem::take(&mut self.made);
        for (folder, name, path) in std::mem::take(&mut self.folders).into_iter().rev() {
            let remove = || self.disk().remove_folder_at(folder.as_fd(), &name);
            if remove().or_else(|_| remove()).is_ok() {
                made.retain(|made| *made != path);
            }
        }
        if let Some(journal) = &self.workspace.journal {
            // If it cannot be recorded, the folder stays when its last file is removed, and nothing worse.
            made.iter()
                .for_each(|folder| _ = journal.record_kept_folder(folder));
        }
        for record in std::mem::take(&mut self.records) {
            if let Some(journal) = &self.workspace.journal
                && journal.close(record).is_err()
            {
                // If it stays open, the next recovery finds it complete.
                let _ = journal.close(record);
            }
        }
    }
}

/// Returns the name of the new bytes of a rewrite, derived from that of the old ones.
pub(crate) fn next_name(kept: &OsStr) -> OsString {
    let mut name = kept.to_owned();
    name.push(".new");
    name
}

pub(crate) fn temporary_name() -> OsString {
    format!(".lancet-{:016x}.tmp", random()).into()
}

/// Returns whether the error says that the file system or the kernel does not support the call.
pub(super) fn is_unsupported(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(
        Errno::from_io_error(error),
        Some(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::ISDIR)
    )
}
