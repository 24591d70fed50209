//! Handles for a search: an open folder, from which entries, folders and files are reached one name at a time. No link
//! is followed, only regular files are opened, and temporary files of a commit are left out.

use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::disk::{Disk, EntryKind, OpenMode};
use crate::folder::is_temporary;
use crate::locate::Located;
use crate::snapshot::ReadError;
use crate::stamp::FileType;
use crate::stamp::Stamp;
use crate::watch::{FolderWatch, Interest, WatchedFolder};

/// How often opening a file that is being rewritten in place is retried; less often than for a Read, since a search
/// has other files.
const MAX_OPEN_TRIES: usize = 10;

/// The size of the first read; most files are smaller.
const FIRST_READ_BYTES: usize = 1 << 16;
/// Files of procfs and similar are read page by page.
const PAGE_BYTES: usize = 1 << 12;

/// An open folder of a search.
#[derive(Clone, Debug)]
pub struct FolderHandle {
    disk: Arc<dyn Disk>,
    handle: Arc<OwnedFd>,
}

/// A regular file that is open for reading, positioned at its start.
#[derive(Debug)]
pub struct FileReader {
    disk: Arc<dyn Disk>,
    file: OwnedFd,
    offset: u64,
}

impl Located {
    /// Opens this folder for a search.
    pub fn open_folder(&self) -> Result<FolderHandle, ReadError> {
        if self.kind() != FileType::Directory {
            return Err(ReadError::NotAFile(self.kind()));
        }
        // The handle of a located folder may be one that cannot be listed, so the folder is opened again.
        let handle = self
            .disk
            .open_at(self.folder(), OsStr::new("."), OpenMode::Folder)?;
        Ok(FolderHandle {
            disk: Arc::clone(&self.disk),
            handle: Arc::new(handle),
        })
    }

    /// Opens this file for a search.
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
    /// Calls `each` for every entry, in the system's order, until it breaks. Call it once per handle.
    pub fn list(
        &self,
        each: &mut dyn FnMut(&OsStr, EntryKind) -> ControlFlow<()>,
    ) -> io::Result<()> {
        self.disk
            .list_with_dedicated_handle(self.handle.as_fd(), &mut |name, kind| {
                if is_temporary(name) {
                    ControlFlow::Continue(())
                } else {
                    each(name, kind)
                }
            })
    }

    /// Returns the open folder.
    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// Watches this folder for everything that can change what a search finds in it.
    ///
    /// # Errors
    /// There are no watches left for this user.
    pub fn watch(&self, watch: &FolderWatch) -> io::Result<WatchedFolder> {
        watch.add_open(self.handle.as_fd(), Interest::Everything)
    }

    /// Returns the `stat` result of this folder.
    ///
    /// # Errors
    /// The system's own error.
    pub fn stat_folder(&self) -> io::Result<Stamp> {
        self.disk.stat(self.handle.as_fd())
    }

    /// Opens a folder inside this one. Fails on a link.
    pub fn open_subfolder(&self, name: &OsStr) -> io::Result<FolderHandle> {
        let handle = self
            .disk
            .open_at(self.handle.as_fd(), name, OpenMode::Folder)?;
        Ok(FolderHandle {
            disk: Arc::clone(&self.disk),
            handle: Arc::new(handle),
        })
    }

    /// Opens a folder below this one by several names at once. Fails on a link.
    ///
    /// # Errors
    /// The system's own error.
    pub fn open_folder_below(&self, relative: &Path) -> io::Result<FolderHandle> {
        match self.disk.open_beneath(self.handle.as_fd(), relative) {
            Ok(handle) => Ok(FolderHandle {
                disk: Arc::clone(&self.disk),
                handle: Arc::new(handle),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
            // Older kernels and some sandboxes do not have the call.
            Err(_) => relative
                .iter()
                .try_fold(self.clone(), |folder, name| folder.open_subfolder(name)),
        }
    }

    /// Returns the `stat` result of an entry; for a link, of the link itself.
    pub fn stat(&self, name: &OsStr) -> io::Result<Stamp> {
        self.disk.stat_at(self.handle.as_fd(), name)
    }

    /// Reads the target of a symbolic link of this folder.
    ///
    /// # Errors
    /// The system's own error.
    pub fn link_target(&self, name: &OsStr) -> io::Result<OsString> {
        self.disk.read_link_at(self.handle.as_fd(), name)
    }

    /// Opens a regular file of this folder. Its type is taken from the listing: a `stat` of every file took a tenth of
    /// a search's system time, and anything that has replaced the file since is opened without blocking.
    pub fn open(&self, name: &OsStr) -> Result<FileReader, ReadError> {
        let mut tries = 0;
        let file = loop {
            match self.disk.open_at(self.handle.as_fd(), name, OpenMode::Read) {
                Err(error)
                    if error.kind() == io::ErrorKind::WouldBlock && tries < MAX_OPEN_TRIES =>
                {
                    tries += 1;
                    self.disk.sleep(Duration::from_millis(2));
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
    /// Returns the current stamp of the open file.
    pub fn stat(&self) -> io::Result<Stamp> {
        self.disk.stat(self.file.as_fd())
    }

    /// Returns whether the file has extended attributes or an access control list, as far as that is known.
    pub fn has_attributes(&self) -> bool {
        self.disk.has_attributes(self.file.as_fd())
    }

    /// Reads from an offset on until `into` is full or the file ends; returns the number of bytes read. The file
    /// position does not change.
    ///
    /// # Errors
    /// The system's own error.
    pub fn read_from(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < into.len() {
            let at = offset + filled as u64;
            match self
                .disk
                .read_at(self.file.as_fd(), &mut into[filled..], at)
            {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// Reads the whole file into `into`, replacing its content; returns `false` if the file has more than `most` bytes.
    pub fn read_whole(&mut self, into: &mut Vec<u8>, most: usize) -> io::Result<bool> {
        into.clear();
        into.reserve(FIRST_READ_BYTES.min(most.saturating_add(1)));
        loop {
            if into.len() > most {
                return Ok(false);
            }
            if into.len() == into.capacity() {
                into.reserve(into.len().max(FIRST_READ_BYTES));
            }
            let room = into.capacity() - into.len();
            let at = into.len() as u64;
            let read = match self.disk.read_more(self.file.as_fd(), into, at) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            // A short read is the end of the file, except for files of the kernel, which are read page by page.
            if read == 0 || (read < room && !read.is_multiple_of(PAGE_BYTES)) {
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
