//! Folders that go with the last file in them: noted in the journal before that file goes, removed after it, innermost
//! first, as far as they are empty. A kill in between leaves the rest to the recovery.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use crate::disk::{Disk, OpenMode};
use crate::journal::{Act, FileIdentity, Flush, Intent, Step, Ticket};
use crate::locate::{FileType, Located};
use crate::revision::Revision;
use crate::roots::Workspace;

/// Folders of one entry of the journal: recovery holds all folders of an entry open at once.
const IN_ONE_ENTRY: usize = 32;

/// Folders that are about to go. Dropped, they stay, and the journal's entries are closed.
pub struct FolderRemoval<'w> {
    workspace: &'w Workspace,
    runs: Vec<Run<'w>>,
    records: Vec<Ticket>,
}

/// Folders one inside the other.
struct Run<'w> {
    /// The folder around the outermost.
    above: Located,
    paths: &'w [PathBuf],
    /// The inode of each that is there, outermost first.
    inodes: Vec<(u64, u64)>,
    innermost: Option<OwnedFd>,
}

impl Workspace {
    /// Notes folders, given outermost first, that are to go once nothing is in them any more.
    pub fn plan_folder_removal<'w>(&'w self, folders: &'w [PathBuf]) -> FolderRemoval<'w> {
        let mut leaving = FolderRemoval {
            workspace: self,
            runs: Vec::new(),
            records: Vec::new(),
        };
        let is_inside = |one: &PathBuf, next: &PathBuf| next.parent() == Some(one.as_path());
        for paths in folders.chunk_by(is_inside) {
            if let Some(run) = self.open_run(paths) {
                leaving.note(&run);
                leaving.runs.push(run);
            }
        }
        leaving
    }

    /// Goes from the outermost folder to the innermost, one step each; none where the outermost is not there.
    fn open_run<'w>(&'w self, paths: &'w [PathBuf]) -> Option<Run<'w>> {
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
        Some(Run {
            above,
            paths,
            inodes,
            innermost,
        })
    }
}

impl FolderRemoval<'_> {
    fn note(&mut self, run: &Run<'_>) {
        let Some(journal) = &self.workspace.journal else {
            return;
        };
        let steps: Vec<Step> = run
            .paths
            .iter()
            .zip(&run.inodes)
            .map(|(path, (_, inode))| Step {
                folder: path.parent().map(Into::into).unwrap_or_default(),
                name: path.file_name().unwrap_or_default().to_owned(),
                temporary: Default::default(),
                act: Act::Folder,
                old: None,
                new: Some(FileIdentity {
                    inode: *inode,
                    revision: Revision::of(b""),
                }),
            })
            .collect();
        for steps in steps.chunks(IN_ONE_ENTRY) {
            let intent = Intent {
                boot: self.workspace.disk.boot(),
                steps: steps.to_vec(),
            };
            // Without it a kill leaves empty folders, and nothing worse.
            self.records.extend(journal.open(&intent, Flush::Later));
        }
    }

    /// Removes them as far as they are empty. Those that could not be removed although nothing is in them, and why.
    pub fn remove(mut self) -> Vec<(PathBuf, io::Error)> {
        let disk = &*self.workspace.disk;
        let runs = std::mem::take(&mut self.runs);
        // The last one first: it may lie in one that was given before.
        runs.into_iter()
            .rev()
            .filter_map(|run| run.remove(disk).err())
            .collect()
    }
}

impl Run<'_> {
    fn remove(self, disk: &dyn Disk) -> Result<(), (PathBuf, io::Error)> {
        let mut here = self.innermost;
        for (at, path) in self.paths.iter().enumerate().take(self.inodes.len()).rev() {
            let name = path.file_name().unwrap_or_default();
            let told = |error: io::Error| (path.clone(), error);
            // One step up, so that no more than two are open at a time however deep they lie.
            let outer = match (at.checked_sub(1), &here) {
                (Some(outer), Some(inner)) => {
                    let up = disk.open_at(inner.as_fd(), OsStr::new(".."), OpenMode::Passage);
                    let up = up.map_err(told)?;
                    let stamp = disk.stat(up.as_fd()).map_err(told)?;
                    // Somebody moved it away meanwhile: it is theirs now.
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
            match remove_one(disk, around, name, self.inodes[at]) {
                Ok(Gone::Yes) => {}
                Ok(Gone::No) => return Ok(()),
                Err(error) => return Err(told(error)),
            }
            here = outer;
        }
        Ok(())
    }
}

/// Whether a folder is gone.
enum Gone {
    Yes,
    /// Something is in it, or it is another one by now.
    No,
}

fn remove_one(
    disk: &dyn Disk,
    around: BorrowedFd<'_>,
    name: &OsStr,
    inode: (u64, u64),
) -> io::Result<Gone> {
    match disk.stat_at(around, name) {
        Ok(stamp) if (stamp.device, stamp.inode) != inode => return Ok(Gone::No),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Gone::Yes),
        other => other?,
    };
    match disk.remove_folder_at(around, name) {
        Ok(()) => Ok(Gone::Yes),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound => Ok(Gone::Yes),
            io::ErrorKind::DirectoryNotEmpty => Ok(Gone::No),
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
                // Left open it is found to be done by the next recovery.
                let _ = journal.close(record);
            }
        }
    }
}
