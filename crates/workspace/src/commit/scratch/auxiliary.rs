//! The folders and temporary symbolic links that a commit makes. Each is in the journal before it is made, so that
//! recovery recognises it as ours after a crash at any point.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use super::{MAX_NAME_TRIES, NameState, Scratch, TemporaryFile, is_unsupported, temporary_name};
use crate::disk::{OpenMode, ReplaceMode};
use crate::journal::{CommitIntent, FileIdentity, FlushTime, IntentStep, StepAction};
use crate::mounts::RenameTrust;
use crate::revision::Revision;

impl Scratch<'_> {
    /// Creates a symbolic link under a temporary name, which is already in the journal. `of` is the path that the link
    /// will get.
    pub(in crate::commit) fn create_link(
        &mut self,
        folder: &Arc<OwnedFd>,
        target: &OsStr,
        of: &Path,
    ) -> io::Result<TemporaryFile> {
        let disk = self.disk();
        let mut tries = 0;
        loop {
            tries += 1;
            let name = temporary_name();
            // Without the entry a crash leaves the link until a later sweep, and nothing worse.
            let _ = self.write_down_link(&of.with_file_name(&name), Revision::from_link(target));
            match disk.make_link_at(folder.as_fd(), target, &name) {
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && tries < MAX_NAME_TRIES => {}
                made => {
                    made?;
                    self.names.push((Arc::clone(folder), name.clone()));
                    let file = disk.open_at(folder.as_fd(), &name, OpenMode::Link)?;
                    return Ok(TemporaryFile {
                        folder: Arc::clone(folder),
                        name,
                        file,
                        naming: NameState::NameFlush,
                    });
                }
            }
        }
    }

    /// Creates a folder under a temporary name. `of` is the path that the folder will get.
    pub(in crate::commit) fn create_folder(
        &mut self,
        above: &Arc<OwnedFd>,
        of: &Path,
    ) -> io::Result<TemporaryFile> {
        let disk = self.disk();
        let name = temporary_name();
        // Without the entry a crash leaves an empty folder, and nothing worse.
        let _ = self.write_down_folder(of, &name, None);
        disk.make_folder_at(above.as_fd(), &name)?;
        self.temporary_folders
            .push((Arc::clone(above), name.clone()));
        let file = disk.open_at(above.as_fd(), &name, OpenMode::Folder)?;
        Ok(TemporaryFile {
            folder: Arc::clone(above),
            name,
            file,
            naming: NameState::NameFlush,
        })
    }

    /// Creates a folder, unless it exists; returns whether it was created. It first gets a temporary name.
    pub(in crate::commit) fn make_folder(
        &mut self,
        above: &Arc<OwnedFd>,
        name: &OsStr,
        path: &Path,
    ) -> io::Result<bool> {
        // Without a rename that refuses to replace, another program's new folder could be replaced.
        if self.workspace.journal.is_none()
            || self.rename_trust(above.as_fd()) == RenameTrust::Doubtful
        {
            return self.make_folder_directly(above, name, path);
        }
        let disk = self.disk();
        let temporary = temporary_name();
        if self.write_down_folder(path, &temporary, None).is_err() {
            // Without the entry a crash leaves an empty folder, and nothing worse.
            return self.make_folder_directly(above, name, path);
        }
        disk.make_folder_at(above.as_fd(), &temporary)?;
        let given = disk.stat_at(above.as_fd(), &temporary).and_then(|stamp| {
            let _ = self.write_down_folder(path, &temporary, Some(stamp.inode));
            disk.rename_at(above.as_fd(), &temporary, name, ReplaceMode::Never)
        });
        let Err(error) = given else {
            self.note_folder(above, name, path);
            return Ok(true);
        };
        if disk.remove_folder_at(above.as_fd(), &temporary).is_err() {
            let _ = disk.remove_folder_at(above.as_fd(), &temporary);
        }
        match error.kind() {
            io::ErrorKind::AlreadyExists => Ok(false),
            // The file system has no rename without replacement.
            _ if is_unsupported(&error) => self.make_folder_directly(above, name, path),
            _ => Err(error),
        }
    }

    fn note_folder(&mut self, above: &Arc<OwnedFd>, name: &OsStr, path: &Path) {
        let path = path.to_owned();
        self.made.push(path.clone());
        self.folders
            .push((Arc::clone(above), name.to_owned(), path));
    }

    fn make_folder_directly(
        &mut self,
        above: &Arc<OwnedFd>,
        name: &OsStr,
        path: &Path,
    ) -> io::Result<bool> {
        match self.disk().make_folder_at(above.as_fd(), name) {
            Ok(()) => {
                self.note_folder(above, name, path);
                if let Ok(stamp) = self.disk().stat_at(above.as_fd(), name) {
                    let _ = self.write_down_folder(path, OsStr::new(""), Some(stamp.inode));
                }
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Records a folder that is about to be created, or was, so that recovery removes it after a crash if it is empty.
    pub(in crate::commit) fn write_down_folder(
        &mut self,
        path: &Path,
        temporary: &OsStr,
        inode: Option<u64>,
    ) -> io::Result<()> {
        let new = inode.map(|inode| FileIdentity {
            inode,
            revision: Revision::from_content(b""),
        });
        self.write_down(path, temporary, StepAction::Folder, new)
    }

    /// Records a temporary link that is about to be created, so that recovery removes it after a crash.
    fn write_down_link(&mut self, path: &Path, revision: Revision) -> io::Result<()> {
        let name = path.file_name().unwrap_or_default();
        // The inode is not known yet.
        let new = FileIdentity { inode: 0, revision };
        self.write_down(path, name, StepAction::TemporaryLink, Some(new))
    }

    fn write_down(
        &mut self,
        path: &Path,
        temporary: &OsStr,
        act: StepAction,
        new: Option<FileIdentity>,
    ) -> io::Result<()> {
        let Some(journal) = &self.workspace.journal else {
            return Ok(());
        };
        let step = IntentStep {
            folder: path.parent().map(Into::into).unwrap_or_default(),
            name: path.file_name().unwrap_or_default().to_owned(),
            temporary: temporary.to_owned(),
            act,
            old: None,
            new,
        };
        let intent = CommitIntent {
            boot: self.disk().boot(),
            steps: vec![step],
        };
        self.records.push(journal.open(&intent, FlushTime::Later)?);
        Ok(())
    }
}
