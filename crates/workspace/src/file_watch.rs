//! Reports which of some files have changed, with one watch for each folder that contains such a file. It also reports
//! files that are replaced by a rename, as editors save, removed or created again. A folder that cannot be watched (it
//! is missing, or the kernel does not report its changes) is checked every second.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::watch::{
    FolderChange, FolderWatch, Interest, WaitResult, WatchedFolder, is_told_of, wait_for_changes,
};

/// How often folders that cannot be watched are checked, and new ones found where nothing was watched before.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Watches files. Files may be added and removed while another thread waits.
#[derive(Debug)]
pub struct FileWatch {
    watch: Option<FolderWatch>,
    folders: Mutex<BTreeMap<PathBuf, WatchedFiles>>,
}

/// A folder with files that are watched.
#[derive(Debug, Default)]
struct WatchedFiles {
    watched: Option<WatchedFolder>,
    files: BTreeMap<OsString, Option<FileState>>,
}

/// The data that distinguishes two states of a file if the kernel does not report changes.
type FileState = (u64, u64, u64, i64, i64);

impl FileWatch {
    /// Creates a watch with no files.
    #[expect(
        clippy::new_without_default,
        reason = "it takes a handle of the system, which a default should not"
    )]
    pub fn new() -> FileWatch {
        FileWatch {
            watch: FolderWatch::new().ok(),
            folders: Mutex::default(),
        }
    }

    /// Watches a file, which need not exist. The path is absolute, and links in it are resolved.
    pub fn add(&self, file: &Path) {
        let (Some(path), Some(name)) = (file.parent(), file.file_name()) else {
            return;
        };
        let mut folders = self.lock_folders();
        let folder = folders.entry(path.to_owned()).or_default();
        if folder.watched.is_none() {
            folder.watched = self.watch_folder(path);
        }
        folder.files.insert(name.to_owned(), file_state(file));
    }

    /// Stops watching a file.
    pub fn remove(&self, file: &Path) {
        let (Some(path), Some(name)) = (file.parent(), file.file_name()) else {
            return;
        };
        let mut folders = self.lock_folders();
        let Some(folder) = folders.get_mut(path) else {
            return;
        };
        folder.files.remove(name);
        if folder.files.is_empty() {
            if let (Some(watch), Some(watched)) = (&self.watch, folder.watched) {
                watch.remove(watched);
            }
            folders.remove(path);
        }
    }

    /// Waits until some of the files have changed, and returns them. Returns none once the other end of `end` is
    /// closed.
    ///
    /// # Errors
    /// The system's own error.
    pub fn wait(&self, end: BorrowedFd<'_>) -> io::Result<Option<Vec<PathBuf>>> {
        loop {
            let untold = self
                .lock_folders()
                .values()
                .any(|folder| folder.watched.is_none());
            let limit = (untold || self.watch.is_none()).then_some(POLL_INTERVAL);
            let changed = match wait_for_changes(self.watch.as_ref(), &[end], limit)? {
                WaitResult::Ended => return Ok(None),
                WaitResult::Told => self.reported_files()?,
                WaitResult::TimedOut => Vec::new(),
            };
            let mut changed = changed;
            changed.extend(self.check_unwatched_files());
            changed.sort();
            changed.dedup();
            if !changed.is_empty() {
                return Ok(Some(changed));
            }
        }
    }

    fn lock_folders(&self) -> MutexGuard<'_, BTreeMap<PathBuf, WatchedFiles>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch_folder(&self, folder: &Path) -> Option<WatchedFolder> {
        let watch = self.watch.as_ref().filter(|_| is_told_of(folder))?;
        watch.add(folder, Interest::Files).ok()
    }

    /// Returns the files that the kernel reported.
    fn reported_files(&self) -> io::Result<Vec<PathBuf>> {
        let Some(watch) = &self.watch else {
            return Ok(Vec::new());
        };
        let mut changed = Vec::new();
        let mut folders = self.lock_folders();
        for change in watch.changes()? {
            for (path, folder) in folders.iter_mut() {
                let is_it = |watched: WatchedFolder| folder.watched == Some(watched);
                match &change {
                    FolderChange::File(watched, name) if is_it(*watched) => {
                        changed.extend(folder.record_change(path, name));
                    }
                    FolderChange::Gone(watched) if is_it(*watched) => {
                        folder.watched = None;
                        changed.extend(folder.files.keys().map(|name| path.join(name)));
                    }
                    FolderChange::Overflow => {
                        changed.extend(folder.files.keys().map(|name| path.join(name)));
                    }
                    _ => {}
                }
            }
        }
        Ok(changed)
    }

    /// Checks the files in folders that are not watched, and tries to watch them.
    fn check_unwatched_files(&self) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for (path, folder) in self.lock_folders().iter_mut() {
            if folder.watched.is_some() {
                continue;
            }
            folder.watched = self.watch_folder(path);
            for (name, known) in &mut folder.files {
                let file = path.join(name);
                let now = file_state(&file);
                if *known != now {
                    *known = now;
                    changed.push(file);
                }
            }
        }
        changed
    }
}

impl WatchedFiles {
    /// Records a change of a name; returns the file if it is one of those that are watched.
    fn record_change(&mut self, path: &Path, name: &OsStr) -> Option<PathBuf> {
        let known = self.files.get_mut(name)?;
        let file = path.join(name);
        *known = file_state(&file);
        Some(file)
    }
}

fn file_state(file: &Path) -> Option<FileState> {
    let found = fs::symlink_metadata(file).ok()?;
    Some((
        found.dev(),
        found.ino(),
        found.size(),
        found.mtime(),
        found.mtime_nsec(),
    ))
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd as _;

    use super::*;

    #[test]
    fn reports_every_kind_of_file_change() {
        let folder = tempfile::TempDir::new().expect("folder");
        let root = folder.path().canonicalize().expect("there");
        let (file, other) = (root.join("a"), root.join("b"));
        fs::write(&file, "one").expect("written");
        let (end, _open) = std::io::pipe().expect("a pipe");
        let watch = FileWatch::new();
        watch.add(&file);
        let wait = || watch.wait(end.as_fd()).expect("waited");
        let only = Some(vec![file.clone()]);
        fs::write(&other, "not watched").expect("written");
        fs::write(&file, "two").expect("written");
        assert_eq!(wait(), only, "written");
        fs::rename(&other, &file).expect("renamed");
        assert_eq!(wait(), only, "replaced by a rename");
        fs::remove_file(&file).expect("removed");
        assert_eq!(wait(), only, "removed");
        fs::write(&file, "three").expect("written");
        assert_eq!(wait(), only, "made again");
        watch.remove(&file);
        watch.add(&other);
        fs::write(&file, "four").expect("written");
        fs::write(&other, "five").expect("written");
        assert_eq!(wait(), Some(vec![other.clone()]), "the one that is watched");
    }

    #[test]
    fn watches_recreated_folder_again() {
        let folder = tempfile::TempDir::new().expect("folder");
        let inner = folder.path().canonicalize().expect("there").join("inner");
        let file = inner.join("a");
        fs::create_dir(&inner).expect("made");
        fs::write(&file, "one").expect("written");
        let (end, open) = std::io::pipe().expect("a pipe");
        let watch = FileWatch::new();
        watch.add(&file);
        fs::remove_dir_all(&inner).expect("removed");
        let only = Some(vec![file.clone()]);
        assert_eq!(watch.wait(end.as_fd()).expect("waited"), only);
        fs::create_dir(&inner).expect("made");
        fs::write(&file, "two").expect("written");
        assert_eq!(watch.wait(end.as_fd()).expect("waited"), only);
        drop(open);
        // Duplicate reports may be left.
        while watch.wait(end.as_fd()).expect("waited").is_some() {}
    }
}
