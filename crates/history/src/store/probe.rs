//! Looks at the files of an open database from outside. SQLite keeps pages in memory and its log open: it goes on with a file
//! that was cut, overwritten or removed under it, and what it writes then is lost to everybody else.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Device and inode: whether a path still leads to the file that was opened.
pub(super) type Identity = (u64, u64);

/// How a database file begins.
const BEGIN: &[u8; 16] = b"SQLite format 3\0";

/// Every file that this process has open for a look. The system's locks of a file go when any handle of it is closed, those
/// of SQLite too: so there is one handle for all that look at a file, which is closed after the last connection.
static HANDLES: Mutex<Option<HashMap<Identity, Weak<File>>>> = Mutex::new(None);

/// The files of an open database, to be known again.
#[derive(Debug)]
pub(super) struct Probe {
    file: Arc<File>,
    pub(super) identity: Identity,
    log: Option<Identity>,
    length: u64,
}

/// What a look found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// All is as it was.
    Same,
    /// The path leads to no file, or to another one.
    Elsewhere,
    /// The file is no longer what was opened, for this reason.
    Damaged(&'static str),
    /// The file is shorter: room was given back, or it was cut.
    Shorter,
}

impl Probe {
    /// Opens the file at a path, making it where it is missing, for its owner alone.
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
        }
    }

    pub(super) fn metadata(&self) -> io::Result<fs::Metadata> {
        self.file.metadata()
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Takes the files as they are now for what they should be.
    pub(super) fn settle(&mut self, log: &Path) {
        if self.log.is_none() {
            self.log = identity(log).ok();
        }
        if let Ok(found) = self.file.metadata() {
            self.length = found.len();
        }
    }

    /// Looks at the database and its log.
    pub(super) fn look(&self, path: &Path, log: &Path) -> Look {
        let Ok(found) = fs::metadata(path) else {
            return Look::Elsewhere;
        };
        if (found.dev(), found.ino()) != self.identity {
            return Look::Elsewhere;
        }
        let mut begin = [0; BEGIN.len()];
        if self.length > 0 && self.file.read_exact_at(&mut begin, 0).is_err() {
            return Look::Damaged("it was cut while it was in use");
        }
        if self.length > 0 && begin != *BEGIN {
            return Look::Damaged("it was overwritten while it was in use");
        }
        if self.log.is_some() && identity(log).ok() != self.log {
            return Look::Damaged("its log was removed or replaced while it was in use");
        }
        match found.len() < self.length {
            true => Look::Shorter,
            false => Look::Same,
        }
    }
}

pub(super) fn identity(file: &Path) -> io::Result<Identity> {
    fs::metadata(file).map(|found| (found.dev(), found.ino()))
}

/// Whether one of these paths leads to a file.
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
