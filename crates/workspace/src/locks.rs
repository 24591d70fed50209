//! Who writes which file: in this process by a table, between processes by lock files in the state folder. A path is
//! hashed to one of 256 locks, so that the folder stays small; two files that share one only wait for each other.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::disk::{Disk, Open};

/// One table for the whole process: several workspaces may be open in it, over the same files.
static HELD: Mutex<BTreeSet<u8>> = Mutex::new(BTreeSet::new());
static FREED: Condvar = Condvar::new();

/// The locks of a workspace.
#[derive(Debug)]
pub(crate) struct Locks {
    folder: Option<PathBuf>,
    opened: Mutex<Option<Arc<OwnedFd>>>,
    pub(crate) patience: Duration,
}

/// Locks that are held until this is dropped.
#[derive(Debug)]
pub(crate) struct Guard {
    stripes: BTreeSet<u8>,
    /// Before the table is freed, or another thread would find the file lock still taken.
    files: Vec<OwnedFd>,
}

#[derive(Debug)]
pub(crate) enum LockError {
    Busy,
    Io(io::Error),
}

/// The lock that stands for these bytes (a path, or an inode's numbers).
pub(crate) fn stripe(key: &[u8]) -> u8 {
    blake3::hash(key).as_bytes()[0]
}

impl Locks {
    pub(crate) fn new(folder: Option<PathBuf>, patience: Duration) -> Locks {
        Locks {
            folder,
            opened: Mutex::new(None),
            patience,
        }
    }

    /// Takes all of them, in one order for everybody, or none.
    pub(crate) fn take(&self, disk: &dyn Disk, stripes: BTreeSet<u8>) -> Result<Guard, LockError> {
        let deadline = Instant::now() + self.patience;
        let mut guard = Guard {
            stripes: BTreeSet::new(),
            files: Vec::new(),
        };
        for &stripe in &stripes {
            let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
            while !held.insert(stripe) {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(LockError::Busy);
                }
                held = FREED
                    .wait_timeout(held, left)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0;
            }
            guard.stripes.insert(stripe);
        }
        if self.folder.is_some() {
            for &stripe in &stripes {
                let file = self.open(disk, stripe).map_err(LockError::Io)?;
                wait_for(disk, &file, deadline)?;
                guard.files.push(file);
            }
        }
        Ok(guard)
    }

    fn open(&self, disk: &dyn Disk, stripe: u8) -> io::Result<OwnedFd> {
        let name = OsString::from(format!("{stripe:02x}"));
        let folder = self.folder(disk)?;
        match disk.open_at(folder.as_fd(), &name, Open::Lock) {
            // Somebody removed the folder that is held open: it is made anew.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
                disk.open_at(self.folder(disk)?.as_fd(), &name, Open::Lock)
            }
            other => other,
        }
    }

    fn folder(&self, disk: &dyn Disk) -> io::Result<Arc<OwnedFd>> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = &*opened {
            return Ok(Arc::clone(folder));
        }
        let path = self.folder.as_deref().ok_or(io::ErrorKind::NotFound)?;
        let folder = Arc::new(disk.open_state_folder(path)?);
        *opened = Some(Arc::clone(&folder));
        Ok(folder)
    }
}

fn wait_for(disk: &dyn Disk, file: &OwnedFd, deadline: Instant) -> Result<(), LockError> {
    let mut pause = Duration::from_millis(1);
    loop {
        match disk.try_lock(file.as_fd()) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            // A state folder on a file system without locks: then this process is in order with itself, no more.
            Err(error) if knows_no_locks(&error) => return Ok(()),
            Err(error) => return Err(LockError::Io(error)),
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(LockError::Busy);
        }
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn knows_no_locks(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(
        Errno::from_io_error(error),
        Some(Errno::NOLCK | Errno::NOSYS | Errno::OPNOTSUPP)
    )
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.files.clear();
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        for stripe in &self.stripes {
            held.remove(stripe);
        }
        FREED.notify_all();
    }
}
