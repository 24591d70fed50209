//! Determines which file has a name during recovery: compares it with the old and the new file that the journal
//! recorded.

use std::ffi::OsStr;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, BorrowedFd};

use super::step::{EntryBoot, StepRecovery};
use crate::commit::is_empty;
use crate::disk::{Disk, OpenMode};
use crate::journal::FileIdentity;
use crate::revision::{Revision, RevisionHasher};
use crate::scan::scan_file;
use crate::stamp::Stamp;

/// Which of the recorded files has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameOccupant {
    Nothing,
    /// The old file, or one with its content.
    Old,
    /// The new file, with the content it was given.
    New,
    /// Any other file.
    Foreign,
}

impl StepRecovery<'_> {
    /// Returns which of the recorded files has this name in the folder of the step.
    pub(super) fn occupant_of(&self, name: &OsStr) -> io::Result<NameOccupant> {
        self.occupant_in(self.folder(), name)
    }

    /// Returns which of the recorded files has this name in `folder`.
    pub(super) fn occupant_in(
        &self,
        folder: BorrowedFd<'_>,
        name: &OsStr,
    ) -> io::Result<NameOccupant> {
        let disk = self.disk();
        match disk.stat_at(folder, name) {
            Ok(stamp) if stamp.is_file() => {}
            Ok(stamp) if stamp.is_link() => {
                let target = disk.read_link_at(folder, name)?;
                return Ok(self.compare_with_record(Revision::from_link(&target), &stamp));
            }
            Ok(stamp) if stamp.is_folder() => return self.folder_occupant(folder, name, &stamp),
            Ok(_) => return Ok(NameOccupant::Foreign),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(NameOccupant::Nothing);
            }
            Err(error) => return Err(error),
        }
        let file = disk.open_at(folder, name, OpenMode::Read)?;
        self.identify_file(file.as_fd())
    }

    /// Returns which of the recorded files a folder is. One with entries is neither: another program uses it.
    fn folder_occupant(
        &self,
        above: BorrowedFd<'_>,
        name: &OsStr,
        stamp: &Stamp,
    ) -> io::Result<NameOccupant> {
        let disk = self.disk();
        let folder = disk.open_at(above, name, OpenMode::Folder)?;
        let is_it = |trace: Option<FileIdentity>| {
            let has_inode = |trace: FileIdentity| trace.inode == stamp.inode;
            trace.is_some_and(|trace| {
                trace.revision == Revision::of_empty_folder()
                    && (has_inode(trace) || self.boot == EntryBoot::Another)
            })
        };
        Ok(match is_empty(disk, folder.as_fd())? {
            true if is_it(self.step.new) => NameOccupant::New,
            true if is_it(self.step.old) => NameOccupant::Old,
            _ => NameOccupant::Foreign,
        })
    }

    pub(super) fn identify_file(&self, file: BorrowedFd<'_>) -> io::Result<NameOccupant> {
        let disk = self.disk();
        let stamp = disk.stat(file)?;
        let (revision, _) = hash_file(disk, file)?;
        Ok(self.compare_with_record(revision, &stamp))
    }

    fn compare_with_record(&self, revision: Revision, stamp: &Stamp) -> NameOccupant {
        let is =
            |trace: Option<FileIdentity>| trace.is_some_and(|trace| trace.revision == revision);
        let has_inode =
            |trace: Option<FileIdentity>| trace.is_some_and(|trace| trace.inode == stamp.inode);
        // Both files may have the same content; then the inode decides.
        if is(self.step.new) && has_inode(self.step.new) && !has_inode(self.step.old) {
            NameOccupant::New
        } else if is(self.step.old) {
            NameOccupant::Old
        } else if is(self.step.new) && (has_inode(self.step.new) || self.boot == EntryBoot::Another)
        {
            NameOccupant::New
        } else {
            NameOccupant::Foreign
        }
    }
}

pub(super) fn hash_file(disk: &dyn Disk, file: BorrowedFd<'_>) -> io::Result<(Revision, u64)> {
    let mut hasher = RevisionHasher::new();
    let size = scan_file(disk, file, &mut |piece| {
        hasher.update(piece);
        ControlFlow::Continue(())
    })?;
    Ok((hasher.finish(), size))
}
