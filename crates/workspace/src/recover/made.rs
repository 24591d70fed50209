//! Recovers what was created for a file whose creation a crash prevented: a folder, which is removed if it is empty, as
//! is one that was to be removed with its last file; and a temporary symbolic link.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};

use std::os::fd::AsFd as _;

use super::RecoveryOutcome;
use super::step::StepRecovery;
use crate::commit::PROOF_FILES;
use crate::disk::OpenMode;
use crate::folder::is_temporary;
use crate::revision::Revision;

impl StepRecovery<'_> {
    /// Removes the folder if it is empty, whatever happened to the file; `Kept` if it stays.
    pub(super) fn recover_folder(&self) -> io::Result<RecoveryOutcome> {
        // Its temporary name alone identifies it: no other program creates such names.
        let temporary = &*self.step.temporary;
        if is_temporary(temporary) {
            self.remove_proof_files(temporary)?;
            self.remove_folder(temporary, |_| true)?;
        }
        let inode = self.step.new.map(|new| new.inode);
        self.remove_folder(&self.step.name, |found| inode == Some(found))
    }

    /// Removes a temporary link that has the recorded target: no other program creates links with such names, and after
    /// an exchange the name may belong to the old file.
    pub(super) fn recover_temporary_link(&self) -> io::Result<RecoveryOutcome> {
        let (disk, name) = (self.disk(), &*self.step.temporary);
        match disk.read_link_at(self.folder(), name) {
            Ok(target) => {
                let revision = Revision::from_link(&target);
                let is_ours = self.step.new.is_some_and(|new| new.revision == revision);
                if is_temporary(name) && is_ours {
                    disk.remove_at(self.folder(), name)?;
                }
                Ok(RecoveryOutcome::Finished)
            }
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput) => {
                Ok(RecoveryOutcome::Finished)
            }
            Err(error) => Err(error),
        }
    }

    /// Removes the two files of a proof from the folder that was made for it.
    fn remove_proof_files(&self, name: &OsStr) -> io::Result<()> {
        let disk = self.disk();
        let folder = match disk.open_at(self.folder(), name, OpenMode::Folder) {
            Ok(folder) => folder,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            // Whatever prevents the removal is not ours, and is checked next.
            Err(_) => return Ok(()),
        };
        for file in PROOF_FILES {
            match disk.remove_at(folder.as_fd(), OsStr::new(file)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn remove_folder(
        &self,
        name: &OsStr,
        is_ours: impl Fn(u64) -> bool,
    ) -> io::Result<RecoveryOutcome> {
        let disk = self.disk();
        let ours = match disk.stat_at(self.folder(), name) {
            Ok(stamp) => stamp.is_folder() && is_ours(stamp.inode),
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(error),
        };
        if !ours {
            return Ok(RecoveryOutcome::Finished);
        }
        match disk.remove_folder_at(self.folder(), name) {
            Ok(()) => Ok(RecoveryOutcome::Finished),
            Err(error) => match error.kind() {
                ErrorKind::NotFound => Ok(RecoveryOutcome::Finished),
                ErrorKind::DirectoryNotEmpty
                | ErrorKind::PermissionDenied
                | ErrorKind::ReadOnlyFilesystem
                | ErrorKind::ResourceBusy => Ok(RecoveryOutcome::Kept(self.step.folder.join(name))),
                _ => Err(error),
            },
        }
    }
}
