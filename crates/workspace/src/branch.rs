//! A folder held open for a search: its entries, the folders below it and its files, each by one name from the handle at
//! hand. No link is followed, nothing but a regular file is opened, and what a commit stages is not there.

use std::ffi::OsStr;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use crate::disk::{Disk, EntryKind, OpenMode};
use crate::folder::is_temporary;
use crate::locate::{FileType, Located};
use crate::snapshot::ReadError;
use crate::stamp::Stamp;

/// How often a file that is just being rewritten in place is tried again. Shorter than for a Read: there are others.
const TRIES: usize = 10;

/// What is read at first; most files are smaller.
const FIRST: usize = 1 << 16;
/// Pieces that files of the kernel's own come in.
const PAGE: usize = 1 << 12;

/// A folder held open.
#[derive(Clone, Debug)]
pub struct FolderHandle {
    disk: Arc<dyn Disk>,
    handle: Arc<OwnedFd>,
}

/// A regular file held open for reading from its start.
#[derive(Debug)]
pub struct FileReader {
    disk: Arc<dyn Disk>,
    file: OwnedFd,
    offset: u64,
}

impl Located {
    /// This folder, held open for a search.
    pub fn open_folder(&self) -> Result<FolderHandle, ReadError> {
        if self.kind() != FileType::Directory {
            return Err(ReadError::NotAFile(self.kind()));
        }
        // Opened afresh: the handle at hand may be one that cannot be listed.
        let handle = self
            .disk
            .open_at(self.folder(), OsStr::new("."), OpenMode::Folder)?;
        Ok(FolderHandle {
            disk: Arc::clone(&self.disk),
            handle: Arc::new(handle),
        })
    }

    /// This file, held open for a search.
    pub fn open_reader(&self) -> Result<FileReader, ReadError> {
        let (file, _) = self.open_file(OpenMode::Read)?;
        Ok(FileReader {
            disk: Arc::clone(&self.disk),
            file,
            offset: 0,
        })
    }
}

impl FolderHandle {
    /// Calls `each` for every entry, in the system's order, until it breaks. To be called once.
    pub fn list(
        &self,
        each: &mut dyn FnMut(&OsStr, EntryKind) -> ControlFlow<()>,
    ) -> io::Result<()> {
        self.disk.list_once(self.handle.as_fd(), &mut |name, kind| {
            if is_temporary(name) {
                ControlFlow::Continue(())
            } else {
                each(name, kind)
            }
        })
    }

    /// A folder of this one, held open. Fails on a link.
    pub fn enter(&self, name: &OsStr) -> io::Result<FolderHandle> {
        let handle = self
            .disk
            .open_at(self.handle.as_fd(), name, OpenMode::Folder)?;
        Ok(FolderHandle {
            disk: Arc::clone(&self.disk),
            handle: Arc::new(handle),
        })
    }

    /// What `stat` says of an entry, of the link itself where it is one.
    pub fn stat(&self, name: &OsStr) -> io::Result<Stamp> {
        self.disk.stat_at(self.handle.as_fd(), name)
    }

    /// A regular file of this folder, held open. The listing has said that it is one, and only that is asked: what was put
    /// in its place since is opened without waiting, and a `stat` of every file was a tenth of a search's system time.
    pub fn open(&self, name: &OsStr) -> Result<FileReader, ReadError> {
        let mut tries = 0;
        let file = loop {
            match self.disk.open_at(self.handle.as_fd(), name, OpenMode::Read) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && tries < TRIES => {
                    tries += 1;
                    self.disk.pause(Duration::from_millis(2));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(ReadError::Missing);
                }
                other => break other?,
            }
        };
        Ok(FileReader {
            disk: Arc::clone(&self.disk),
            file,
            offset: 0,
        })
    }
}

impl FileReader {
    /// Its stamp now.
    pub fn stat(&self) -> io::Result<Stamp> {
        self.disk.stat(self.file.as_fd())
    }

    /// Replaces the content of `into` by the whole file; `false` where it has more than `most` bytes.
    pub fn read_whole(&mut self, into: &mut Vec<u8>, most: usize) -> io::Result<bool> {
        into.clear();
        into.reserve(FIRST.min(most.saturating_add(1)));
        loop {
            if into.len() > most {
                return Ok(false);
            }
            if into.len() == into.capacity() {
                into.reserve(into.len().max(FIRST));
            }
            let room = into.capacity() - into.len();
            let at = into.len() as u64;
            let read = match self.disk.read_more(self.file.as_fd(), into, at) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            // A read that leaves room free has reached the end, and no second one is needed; but files of the kernel's
            // own come by the page.
            if read == 0 || (read < room && !read.is_multiple_of(PAGE)) {
                return Ok(into.len() <= most);
            }
        }
    }
}

impl io::Read for FileReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.disk.read_at(self.file.as_fd(), into, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}
