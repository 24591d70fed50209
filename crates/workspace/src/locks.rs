//! Folder locks: a table within the process, and `flock` of the folder itself between processes, which leaves no file
//! behind and works across mounts. If a folder cannot be locked, a lock file in the state folder is used in its place;
//! if that fails too, the commit goes on and reports it. A folder that other machines may write to has an additional
//! lock (*volume.rs*).

mod volume;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::disk::{Disk, OpenMode};
use volume::VolumeLock;

/// The device and inode of a folder.
type Key = (u64, u64);

/// One table for the process: several workspaces may be open over the same folders, and threads that share a folder
/// handle would share its `flock`.
static HELD: Mutex<BTreeSet<Key>> = Mutex::new(BTreeSet::new());
static FREED: Condvar = Condvar::new();

/// The lock settings of a workspace.
#[derive(Debug)]
pub(crate) struct LockSettings {
    folder: Option<PathBuf>,
    opened: Mutex<Option<Arc<OwnedFd>>>,
    pub(crate) patience: Duration,
}

/// The processes that a lock excludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockScope {
    /// Every lancet process on this machine.
    AllProcesses,
    /// Only the other threads of this process.
    ThisProcess,
}

/// Which machines a lock must consider as writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriterMachines {
    /// It is known that no other machine writes to the folders.
    This,
    /// Other machines may write, if the file system allows it.
    All,
}

/// The locks of some folders, released on drop.
#[derive(Debug)]
pub(crate) struct FolderLocks {
    disk: Arc<dyn Disk>,
    pub(crate) keys: BTreeSet<Key>,
    folders: Vec<Arc<OwnedFd>>,
    files: Vec<OwnedFd>,
    volumes: Vec<VolumeLock>,
    /// Every folder that was requested, in that order and also if it was requested twice.
    pub(crate) requested: Vec<(Arc<OwnedFd>, Key)>,
    pub(crate) scope: LockScope,
}

#[derive(Debug)]
pub(crate) enum LockError {
    Busy,
    Io(io::Error),
}

impl LockSettings {
    pub(crate) fn new(folder: Option<PathBuf>, patience: Duration) -> LockSettings {
        LockSettings {
            folder,
            opened: Mutex::new(None),
            patience,
        }
    }

    /// Locks all these folders, in a global order, or none.
    pub(crate) fn lock_folders(
        &self,
        disk: &Arc<dyn Disk>,
        folders: &[Arc<OwnedFd>],
        machines: WriterMachines,
    ) -> Result<FolderLocks, LockError> {
        let mut ordered: BTreeMap<Key, &Arc<OwnedFd>> = BTreeMap::new();
        let mut requested = Vec::with_capacity(folders.len());
        for folder in folders {
            let stamp = disk.stat(folder.as_fd()).map_err(LockError::Io)?;
            let key = (stamp.device, stamp.inode);
            ordered.insert(key, folder);
            requested.push((Arc::clone(folder), key));
        }
        let deadline = Instant::now() + self.patience;
        let mut guard = FolderLocks {
            disk: Arc::clone(disk),
            keys: BTreeSet::new(),
            folders: Vec::new(),
            files: Vec::new(),
            volumes: Vec::new(),
            requested,
            scope: LockScope::AllProcesses,
        };
        for &key in ordered.keys() {
            let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
            while !held.insert(key) {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(LockError::Busy);
                }
                held = FREED
                    .wait_timeout(held, left)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0;
            }
            guard.keys.insert(key);
        }
        for (&key, &folder) in &ordered {
            match wait_for_lock(&**disk, folder, deadline) {
                Ok(()) => guard.folders.push(Arc::clone(folder)),
                Err(LockError::Io(error)) if is_lock_unsupported(&error) => {
                    match self.lock_state_file(&**disk, key, deadline) {
                        Ok(Some(file)) => guard.files.push(file),
                        Ok(None) => guard.scope = LockScope::ThisProcess,
                        Err(error) => return Err(error),
                    }
                }
                Err(error) => return Err(error),
            }
        }
        if machines == WriterMachines::All {
            let ordered = ordered.into_iter();
            let folders: Vec<_> = ordered
                .map(|(key, folder)| (key, Arc::clone(folder)))
                .collect();
            guard.volumes = volume::lock_folders(disk, &folders, deadline)?;
        }
        Ok(guard)
    }

    /// Locks the file in the state folder that is used in place of a folder. It is one of 256, by hash, so that the
    /// state folder stays small.
    fn lock_state_file(
        &self,
        disk: &dyn Disk,
        (device, inode): Key,
        deadline: Instant,
    ) -> Result<Option<OwnedFd>, LockError> {
        let stripe = blake3::hash(format!("{device}:{inode}").as_bytes()).as_bytes()[0];
        let name = OsString::from(format!("{stripe:02x}"));
        let opened = self.folder(disk).and_then(|folder| {
            folder
                .map(|folder| disk.open_at(folder.as_fd(), &name, OpenMode::Lock))
                .transpose()
        });
        let Ok(Some(file)) = opened else {
            return Ok(None);
        };
        match wait_for_lock(disk, &file, deadline) {
            Ok(()) => Ok(Some(file)),
            Err(LockError::Io(error)) if is_lock_unsupported(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn folder(&self, disk: &dyn Disk) -> io::Result<Option<Arc<OwnedFd>>> {
        let Some(path) = &self.folder else {
            return Ok(None);
        };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = &*opened {
            return Ok(Some(Arc::clone(folder)));
        }
        let folder = Arc::new(disk.open_state_folder(path)?);
        *opened = Some(Arc::clone(&folder));
        Ok(Some(folder))
    }
}

fn wait_for_lock(disk: &dyn Disk, file: &OwnedFd, deadline: Instant) -> Result<(), LockError> {
    let mut pause = Duration::from_micros(200);
    loop {
        match disk.try_lock(file.as_fd()) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(error) => return Err(LockError::Io(error)),
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(LockError::Busy);
        }
        disk.sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// Returns whether the error says that this folder cannot be locked: opened with `O_PATH`, on a network file system, or
/// on one without locks.
fn is_lock_unsupported(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(
        Errno::from_io_error(error),
        Some(Errno::BADF | Errno::NOLCK | Errno::NOSYS | Errno::OPNOTSUPP | Errno::INVAL)
    )
}

impl FolderLocks {
    /// Returns whether a lock has been held for so long that another machine may take it for abandoned.
    pub(crate) fn has_expired(&self) -> bool {
        self.volumes.iter().any(VolumeLock::has_expired)
    }

    /// Returns device and inode of a folder that was locked through this very handle.
    pub(crate) fn device_and_inode(&self, folder: &Arc<OwnedFd>) -> Option<(u64, u64)> {
        let mut requested = self.requested.iter();
        requested
            .find(|(other, _)| Arc::ptr_eq(other, folder))
            .map(|(_, key)| *key)
    }
}

impl Drop for FolderLocks {
    fn drop(&mut self) {
        self.volumes.clear();
        for folder in self.folders.drain(..) {
            // The handle may outlive the lock in a root, so the lock is released explicitly.
            if self.disk.unlock(folder.as_fd()).is_err() {
                let _ = self.disk.unlock(folder.as_fd());
            }
        }
        self.files.clear();
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        for key in &self.keys {
            held.remove(key);
        }
        FREED.notify_all();
    }
}
