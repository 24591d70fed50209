//! Removes folders together with their last file: recorded in the journal before the file is removed, and removed
//! after it, innermost first, if they are empty. After a crash recovery does the rest.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use crate::disk::{Disk, OpenMode};
use crate::journal::{CommitIntent, EntryId, FileIdentity, FlushTime, IntentStep, StepAction};
use crate::locate::Located;
use crate::revision::Revision;
use crate::roots::Workspace;
use crate::stamp::FileType;

/// The most folders of one journal entry: recovery holds all folders of an entry open at once.
const FOLDERS_PER_ENTRY: usize = 32;

/// Folders that are to be removed once they are empty. Dropping it leaves them and closes the journal entries.
pub struct FolderRemoval<'w> {
    workspace: &'w Workspace,
    runs: Vec<FolderChain<'w>>,
    records: Vec<EntryId>,
}

/// Nested folders, outermost first.
struct FolderChain<'w> {
    /// The folder that contains the outermost one.
    above: Located,
    paths: &'w [PathBuf],
    /// The device and inode of each existing folder, outermost first.
    inodes: Vec<(u64, u64)>,
    innermost: Option<OwnedFd>,
}

impl Workspace {
    /// Records folders, outermost first, that are to be removed once they are empty.
    pub fn plan_folder_removal<'w>(&'w self, folders: &'w [PathBuf]) -> FolderRemoval<'w> {
        let mut leaving = FolderRemoval {
            workspace: self,
            runs: Vec::new(),
            records: Vec::new(),
        };
        let is_inside = |one: &PathBuf, next: &PathBuf| next.parent() == Some(one.as_path());
        for paths in folders.chunk_by(is_inside) {
            if let Some(run) = self.open_chain(paths) {
                leaving.record_in_journal(&run);
                leaving.runs.push(run);
            }
        }
        leaving
    }

    /// Opens the folders from the outermost to the innermost; `None` if the outermost does not exist.
    fn open_chain<'w>(&'w self, paths: &'w [PathBuf]) -> Option<FolderChain<'w>> {
        let above = self.locate_as_spelled(paths.first()?.parent()?).ok()?;
        if above.kind() != FileType::Directory {
            return None;
        }
        let mut inodes = Vec::with_capacity(paths.len());
        let mut innermost: Option<OwnedFd> = None;
        for path in paths {
            let here = innermost
                .as_ref()
                .map_or(above.folder(), |folder| folder.as_fd());
            let next = self
                .disk
                .open_at(here, path.file_name()?, OpenMode::Passage);
            let Ok(next) = next else { break };
            let stamp = self.disk.stat(next.as_fd()).ok()?;
            inodes.push((stamp.device, stamp.inode));
            innermost = Some(next);
        }
        Some(FolderChain {
            above,
            paths,
            inodes,
            innermost,
        })
    }
}

impl FolderRemoval<'_> {
    fn record_in_journal(&mut self, run: &FolderChain<'_>) {
        let Some(journal) = &self.workspace.journal else {
            return;
        };
        let steps: Vec<IntentStep> = run
            .paths
            .iter()
            .zip(&run.inodes)
            .map(|(path, (_, inode))| IntentStep {
                folder: path.parent().map(Into::into).unwrap_or_default(),
                name: path.file_name().unwrap_or_default().to_owned(),
                temporary: Default::default(),
                act: StepAction::Folder,
                old: None,
                new: Some(FileIdentity {
                    inode: *inode,
                    revision: Revision::from_content(b""),
                }),
            })
            .collect();
        for steps in steps.chunks(FOLDERS_PER_ENTRY) {
            let intent = CommitIntent {
                boot: self.workspace.disk.boot(),
                steps: steps.to_vec(),
            };
            // Without the entry a crash leaves empty folders, and nothing worse.
            self.records.extend(journal.open(&intent, FlushTime::Later));
        }
    }

    /// Removes the folders that are empty. Returns those that are empty and could not be removed, with the reason.
    pub fn remove(mut self) -> Vec<(PathBuf, io::Error)> {
        let disk = &*self.workspace.disk;
        let runs = std::mem::take(&mut self.runs);
        // In reverse order: a later folder may be inside an earlier one.
        runs.into_iter()
            .rev()
            .filter_map(|run| run.remove(disk).err())
            .collect()
    }
}

impl FolderChain<'_> {
    fn remove(self, disk: &dyn Disk) -> Result<(), (PathBuf, io::Error)> {
        let mut here = self.innermost;
        for (at, path) in self.paths.iter().enumerate().take(self.inodes.len()).rev() {
            let name = path.file_name().unwrap_or_default();
            let told = |error: io::Error| (path.clone(), error);
            // Go up one level at a time: at most two folders are open, however deep they are.
            let outer = match (at.checked_sub(1), &here) {
                (Some(outer), Some(inner)) => {
                    let up = disk.open_at(inner.as_fd(), OsStr::new(".."), OpenMode::Passage);
                    let up = up.map_err(told)?;
                    let stamp = disk.stat(up.as_fd()).map_err(told)?;
                    // Another program moved the folder meanwhile: leave it alone.
                    if self.inodes.get(outer) != Some(&(stamp.device, stamp.inode)) {
                        return Ok(());
                    }
                    Some(up)
                }
                _ => None,
            };
            let around = outer
                .as_ref()
                .map_or(self.above.folder(), |folder| folder.as_fd());
            match remove_if_same(disk, around, name, self.inodes[at]) {
                Ok(FolderRemoved::Yes) => {}
                Ok(FolderRemoved::No) => return Ok(()),
                Err(error) => return Err(told(error)),
            }
            here = outer;
        }
        Ok(())
    }
}

/// Whether a folder was removed.
enum FolderRemoved {
    Yes,
    /// The folder is not empty, or another folder has the name by now.
    No,
}

fn remove_if_same(
    disk: &dyn Disk,
    around: BorrowedFd<'_>,
    name: &OsStr,
    inode: (u64, u64),
) -> io::Result<FolderRemoved> {
    match disk.stat_at(around, name) {
        Ok(stamp) if (stamp.device, stamp.inode) != inode => return Ok(FolderRemoved::No),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FolderRemoved::Yes),
        other => other?,
    };
    match disk.remove_folder_at(around, name) {
        Ok(()) => Ok(FolderRemoved::Yes),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound => Ok(FolderRemoved::Yes),
            io::ErrorKind::DirectoryNotEmpty => Ok(FolderRemoved::No),
            _ => Err(error),
        },
    }
}

impl Drop for FolderRemoval<'_> {
    fn drop(&mut self) {
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
