//! Checks the files of an open database from outside. SQLite caches pages and keeps its log open, so it continues to
//! use a file that was truncated, overwritten or removed, and what it writes then is lost to all other processes.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use lancet_local_state::identity::{Identity, file_identity, identity_from_metadata};

use super::log_check::{self, LogIndex, LogState};

/// The magic bytes of a database file.
const DATABASE_MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The open handles of database files in this process. Closing any handle of a file drops all POSIX locks that the
/// process has on it, those of SQLite included. So all probes of a file share one handle, closed after the last
/// connection.
static HANDLES: Mutex<Option<HashMap<Identity, Weak<File>>>> = Mutex::new(None);

/// Identifies the files of an open database.
#[derive(Debug)]
pub(super) struct DatabaseProbe {
    file: Arc<File>,
    pub(super) identity: Identity,
    log: Option<LogStamp>,
    /// The index of the log when its stamp was taken.
    pub(super) index: Option<LogIndex>,
    length: u64,
    /// The length of the shared memory, which only grows.
    shared: u64,
    /// The shared memory. Its handle stays open as long as the connection, for the reason given at [`HANDLES`].
    shared_file: Option<Arc<File>>,
}

/// Detects whether the log was written since it was last checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogStamp {
    identity: Identity,
    length: u64,
    modified: Option<SystemTime>,
}

impl LogStamp {
    fn read(log: &Path) -> Option<Self> {
        let found = fs::metadata(log).ok()?;
        Some(Self {
            identity: identity_from_metadata(&found),
            length: found.len(),
            modified: found.modified().ok(),
        })
    }
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
    /// The log was written by another process, or by another program.
    LogWritten(LogStamp),
    /// The shared memory was truncated. SQLite has it mapped, and reading it would kill the process (SIGBUS).
    SharedMemoryCut,
}

impl DatabaseProbe {
    /// Opens the file at a path; a missing one is created with mode 0600.
    pub(super) fn open(path: &Path) -> io::Result<DatabaseProbe> {
        if let Ok(identity) = file_identity(path)
            && let Some(file) = known_handle(identity)
        {
            let length = file.metadata()?.len();
            return Ok(DatabaseProbe::new(file, identity, length));
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
        Ok(DatabaseProbe::new(
            remember_handle(identity, file),
            identity,
            found.len(),
        ))
    }

    fn new(file: Arc<File>, identity: Identity, length: u64) -> DatabaseProbe {
        DatabaseProbe {
            file,
            identity,
            log: None,
            index: None,
            length,
            shared: 0,
            shared_file: None,
        }
    }

    /// Sets the modification time, so that the kernel reports a change.
    pub(super) fn touch_database(&self) {
        // A file of another user cannot be touched; readers then notice the change a little later.
        let _ = self.file.set_modified(std::time::SystemTime::now());
    }

    pub(super) fn metadata(&self) -> io::Result<fs::Metadata> {
        self.file.metadata()
    }

    /// Restores the length of the shared memory, filled with zeros: SQLite does not take them for an index, and
    /// rebuilds the index from the log.
    pub(super) fn lengthen_shared_memory(&mut self, shared: &Path) -> io::Result<()> {
        let length = self.shared;
        self.open_shared_memory(shared)?.set_len(length)
    }

    fn open_shared_memory(&mut self, shared: &Path) -> io::Result<&File> {
        let file = match self.shared_file.take() {
            Some(file) => file,
            None => {
                let found = file_identity(shared)?;
                match known_handle(found) {
                    Some(file) => file,
                    None => {
                        let file = OpenOptions::new().read(true).write(true).open(shared)?;
                        remember_handle(found, file)
                    }
                }
            }
        };
        Ok(self.shared_file.insert(file))
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Records the present state of the files as the expected one. The log is examined only after a write.
    pub(super) fn record_expected_state(&mut self, log: &Path, shared: &Path, has_written: bool) {
        self.shared = fs::metadata(shared).map_or(0, |found| found.len());
        if self.log.is_none() || has_written {
            // The stamp is taken first, so that anything written after it is examined the next time.
            self.log = LogStamp::read(log);
            self.index = self.read_index(shared);
        }
        if let Ok(found) = self.file.metadata() {
            self.length = found.len();
        }
    }

    /// Compares the database and its log with the expected state.
    pub(super) fn compare_with_expected(
        &self,
        path: &Path,
        log: &Path,
        shared: &Path,
    ) -> FileCheck {
        if self.shared > 0 && fs::metadata(shared).is_ok_and(|found| found.len() < self.shared) {
            return FileCheck::SharedMemoryCut;
        }
        let Ok(found) = fs::metadata(path) else {
            return FileCheck::Elsewhere;
        };
        if (found.dev(), found.ino()) != self.identity {
            return FileCheck::Elsewhere;
        }
        let mut begin = [0; DATABASE_MAGIC.len()];
        if self.length > 0 && self.file.read_exact_at(&mut begin, 0).is_err() {
            return FileCheck::Damaged("it was cut while it was in use");
        }
        if self.length > 0 && begin != *DATABASE_MAGIC {
            return FileCheck::Damaged("it was overwritten while it was in use");
        }
        let log = self.log.is_some().then(|| LogStamp::read(log)).flatten();
        if log.map(|log| log.identity) != self.log.map(|log| log.identity) {
            return FileCheck::Damaged("its log was removed or replaced while it was in use");
        }
        if found.len() < self.length {
            return FileCheck::Shorter;
        }
        match log {
            Some(written) if log != self.log => FileCheck::LogWritten(written),
            _ => FileCheck::Same,
        }
    }

    /// Checks a log that was written since it was last checked. If a process has committed since, that explains the
    /// new stamp. Otherwise all frames are verified, which takes a millisecond for a log of 4 MB.
    pub(super) fn check_log(
        &mut self,
        log: &Path,
        shared: &Path,
        written: LogStamp,
    ) -> io::Result<LogState> {
        let index = self.read_index(shared);
        if index.is_none() || index == self.index {
            let state = log_check::check_log(log, self.open_shared_memory(shared)?)?;
            if state == LogState::Damaged {
                return Ok(state);
            }
        }
        self.log = Some(written);
        self.index = index;
        Ok(LogState::Whole)
    }

    /// Checks the log of a database that is about to be opened.
    pub(super) fn check_log_found(&mut self, log: &Path, shared: &Path) -> io::Result<LogState> {
        if !log_check::is_of_this_boot(shared) {
            return Ok(LogState::Whole);
        }
        log_check::check_log(log, self.open_shared_memory(shared)?)
    }

    /// Reads the index of the log; none without shared memory, or while another process writes the index.
    pub(super) fn read_index(&mut self, shared: &Path) -> Option<LogIndex> {
        let shared = self.open_shared_memory(shared).ok()?;
        LogIndex::read(shared).ok().flatten()
    }
}

/// Returns whether one of these paths leads to the wanted file.
pub(super) fn contains_file(wanted: Identity, files: &[PathBuf]) -> bool {
    files
        .iter()
        .any(|file| file_identity(file).is_ok_and(|found| found == wanted))
}

fn known_handle(identity: Identity) -> Option<Arc<File>> {
    let handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    handles.as_ref()?.get(&identity)?.upgrade()
}

fn remember_handle(identity: Identity, file: File) -> Arc<File> {
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    let handles = handles.get_or_insert_default();
    handles.retain(|_, file| file.strong_count() > 0);
    let file = Arc::new(file);
    handles.insert(identity, Arc::downgrade(&file));
    file
}
