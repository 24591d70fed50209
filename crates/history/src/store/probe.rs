//! Checks the files of an open database from outside. SQLite caches pages and keeps its log open, so it continues to use a
//! file that was truncated, overwritten or removed, and what it writes then is lost to all other processes.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Device and inode, which identify the file that a path leads to.
pub(super) type Identity = (u64, u64);

/// The magic bytes of a database file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The open handles of database files in this process. Closing any handle of a file drops all POSIX locks that the process
/// has on it, those of SQLite included. So all probes of a file share one handle, closed after the last connection.
static HANDLES: Mutex<Option<HashMap<Identity, Weak<File>>>> = Mutex::new(None);

/// What identifies the files of an open database.
#[derive(Debug)]
pub(super) struct Probe {
    file: Arc<File>,
    pub(super) identity: Identity,
    log: Option<Identity>,
    length: u64,
    /// The length of the shared memory, which only grows.
    shared: u64,
    /// The shared memory, once it had to be lengthened again.
    shared_file: Option<Arc<File>>,
}

/// The result of checking the files.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FileCheck {
    /// The files are unchanged.
    Same,
    /// The path leads to another file, or to none.
    Elsewhere,
    /// The file was damaged from outside; the text says how.
    Damaged(&'static str),
    /// The file is shorter, by a vacuum or because it was truncated.
    Shorter,
    /// The shared memory was cut. SQLite has it mapped, and a look at it would end the process (SIGBUS).
    SharedMemoryCut,
}

impl Probe {
    /// Opens the file at a path; a missing one is created with mode 0600.
    pub(super) fn open(path: &Path) -> io::Result<Probe> {
        if let Ok(identity) = identity(path)
            && let Some(file) = known(identity)
        {
            let length = file.metadata()?.len();
            return Ok(Probe::new(file, identity, length));
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)?;
        let found = file.metadata()?;
        let identity = (found.dev(), found.ino());
        Ok(Probe::new(remember(identity, file), identity, found.len()))
    }

    fn new(file: Arc<File>, identity: Identity, length: u64) -> Probe {
        Probe {
            file,
            identity,
            log: None,
            length,
            shared: 0,
            shared_file: None,
        }
    }

    /// Sets the time of the last change, so that the kernel tells of one.
    pub(super) fn touch(&self) {
        // The file of another user cannot be touched; readers then find out a little later.
        let _ = self.file.set_modified(std::time::SystemTime::now());
    }

    pub(super) fn metadata(&self) -> io::Result<fs::Metadata> {
        self.file.metadata()
    }

    /// Gives the shared memory its length back, filled with zeros: SQLite does not take them for an index, and makes a new one
    /// from the log. The handle stays open as long as the connection, for the reason that [`HANDLES`] has.
    pub(super) fn lengthen_shared_memory(&mut self, shared: &Path) -> io::Result<()> {
        let found = identity(shared)?;
        let file = match known(found) {
            Some(file) => file,
            None => {
                let file = OpenOptions::new().read(true).write(true).open(shared)?;
                remember(found, file)
            }
        };
        file.set_len(self.shared)?;
        self.shared_file = Some(file);
        Ok(())
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Records the present state of the files as the expected one.
    pub(super) fn settle(&mut self, log: &Path, shared: &Path) {
        self.shared = fs::metadata(shared).map_or(0, |found| found.len());
        if self.log.is_none() {
            self.log = identity(log).ok();
        }
        if let Ok(found) = self.file.metadata() {
            self.length = found.len();
        }
    }

    /// Compares the database and its log with the expected state.
    pub(super) fn check(&self, path: &Path, log: &Path, shared: &Path) -> FileCheck {
        if self.shared > 0 && fs::metadata(shared).is_ok_and(|found| found.len() < self.shared) {
            return FileCheck::SharedMemoryCut;
        }
        let Ok(found) = fs::metadata(path) else {
            return FileCheck::Elsewhere;
        };
        if (found.dev(), found.ino()) != self.identity {
            return FileCheck::Elsewhere;
        }
        let mut begin = [0; MAGIC.len()];
        if self.length > 0 && self.file.read_exact_at(&mut begin, 0).is_err() {
            return FileCheck::Damaged("it was cut while it was in use");
        }
        if self.length > 0 && begin != *MAGIC {
            return FileCheck::Damaged("it was overwritten while it was in use");
        }
        if self.log.is_some() && identity(log).ok() != self.log {
            return FileCheck::Damaged("its log was removed or replaced while it was in use");
        }
        match found.len() < self.length {
            true => FileCheck::Shorter,
            false => FileCheck::Same,
        }
    }
}

pub(super) fn identity(file: &Path) -> io::Result<Identity> {
    fs::metadata(file).map(|found| identity_of(&found))
}

pub(super) fn identity_of(found: &fs::Metadata) -> Identity {
    (found.dev(), found.ino())
}

/// Whether one of these paths leads to the wanted file.
pub(super) fn is_among(wanted: Identity, files: &[PathBuf]) -> bool {
    files
        .iter()
        .any(|file| identity(file).is_ok_and(|found| found == wanted))
}

fn known(identity: Identity) -> Option<Arc<File>> {
    let handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    handles.as_ref()?.get(&identity)?.upgrade()
}

fn remember(identity: Identity, file: File) -> Arc<File> {
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    let handles = handles.get_or_insert_default();
    handles.retain(|_, file| file.strong_count() > 0);
    let file = Arc::new(file);
    handles.insert(identity, Arc::downgrade(&file));
    file
}
