//! Reads files: a consistent snapshot of a whole file, a scan of a large one, a range, and a check whether the content
//! is unchanged. Never blocks on a pipe, never trusts a length.

use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use crate::disk::{Disk, OpenMode};
use crate::locate::Located;
use crate::revision::Revision;
use crate::scan::{KnownContent, has_content, scan_file};
use crate::stamp::FileType;
use crate::stamp::Stamp;

/// How often a file that changes while it is read is read again.
const MAX_READ_TRIES: usize = 4;
/// How often opening a file under another program's lease is retried.
const MAX_LEASE_TRIES: usize = 250;

/// The content of a file at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The bytes of the file.
    pub bytes: Arc<Vec<u8>>,
    /// The stamp, which was the same before and after reading.
    pub stamp: Stamp,
    /// The revision of the bytes.
    pub revision: Revision,
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file does not exist.
    #[error("not there")]
    Missing,
    /// The path is not a regular file, or not a folder where one was expected.
    #[error("not a regular file")]
    NotAFile(FileType),
    /// The file exceeds the caller's limit.
    #[error("{size} bytes, over the limit of {most}")]
    TooLarge {
        /// The size of the file in bytes.
        size: u64,
        /// The caller's limit.
        most: u64,
    },
    /// The file changed during each of several attempts.
    #[error("changed while it was being read")]
    Unstable,
    /// A system call failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Located {
    /// Reads the whole file, of at most `most` bytes, as it was at one moment.
    pub fn read_snapshot(&self, most: u64) -> Result<Snapshot, ReadError> {
        let (bytes, stamp) = self.read_without_revision(most)?;
        let revision = Revision::from_content(&bytes);
        Ok(Snapshot {
            bytes: Arc::new(bytes),
            stamp,
            revision,
        })
    }

    /// Reads the same without computing its revision: the bytes, and the stamp, which was the same before and after.
    pub fn read_without_revision(&self, most: u64) -> Result<(Vec<u8>, Stamp), ReadError> {
        let mut bytes = Vec::new();
        for _ in 0..MAX_READ_TRIES {
            let (file, before) = self.open_file(OpenMode::Read)?;
            if before.size > most {
                return Err(ReadError::TooLarge {
                    size: before.size,
                    most,
                });
            }
            bytes.clear();
            if !read_whole(&*self.disk, file.as_fd(), before.size, most, &mut bytes)? {
                return Err(ReadError::TooLarge {
                    size: bytes.len() as u64,
                    most,
                });
            }
            let stamp = self.disk.stat(file.as_fd())?;
            if before.has_same_state(&stamp) {
                return Ok((bytes, stamp));
            }
        }
        Err(ReadError::Unstable)
    }

    /// Returns the current stamp if the file still has this content, `None` if not. If `stamp`, taken when the content
    /// was read, proves it, the file is not opened; otherwise the content is compared.
    pub fn check_unchanged_since(
        &self,
        stamp: &Stamp,
        content: KnownContent<'_>,
    ) -> Result<Option<Stamp>, ReadError> {
        if !self.missing_folders.is_empty() {
            return Ok(None);
        }
        let now = match self.disk.stat_at(self.folder(), &self.name) {
            Ok(now) => now,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if now.has_same_state(stamp) && !stamp.is_racy() {
            return Ok(Some(now));
        }
        if !now.is_file() || now.size != stamp.size {
            return Ok(None);
        }
        for _ in 0..MAX_READ_TRIES {
            let (file, before) = match self.open_file(OpenMode::Read) {
                Ok(opened) => opened,
                Err(ReadError::Missing | ReadError::NotAFile(_)) => return Ok(None),
                Err(error) => return Err(error),
            };
            if before.size != stamp.size
                || !has_content(&*self.disk, file.as_fd(), before.size, content)?
            {
                return Ok(None);
            }
            let after = self.disk.stat(file.as_fd())?;
            if before.has_same_state(&after) {
                return Ok(Some(after));
            }
        }
        Err(ReadError::Unstable)
    }

    /// Passes the file to `take` in pieces of 256 KiB, until its end or until `take` breaks. Returns the stamp if the
    /// file did not change meanwhile; otherwise [`ReadError::Unstable`], and the pieces are worthless.
    pub fn scan_content(
        &self,
        take: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<Stamp, ReadError> {
        let (file, before) = self.open_file(OpenMode::Read)?;
        scan_file(&*self.disk, file.as_fd(), take)?;
        let after = self.disk.stat(file.as_fd())?;
        if before.has_same_state(&after) {
            Ok(after)
        } else {
            Err(ReadError::Unstable)
        }
    }

    /// Reads at most `length` bytes from `offset` on, fewer at the end, and the stamp of the file.
    pub fn read_at(&self, offset: u64, length: usize) -> Result<(Vec<u8>, Stamp), ReadError> {
        let (file, before) = self.open_file(OpenMode::Read)?;
        let rest = before.size.saturating_sub(offset).min(length as u64);
        let mut bytes = Vec::with_capacity(usize::try_from(rest).unwrap_or(length).max(1));
        while bytes.len() < bytes.capacity() && (bytes.len() as u64) < rest {
            let at = offset + bytes.len() as u64;
            if self.disk.read_more(file.as_fd(), &mut bytes, at)? == 0 {
                break;
            }
        }
        bytes.truncate(length);
        let after = self.disk.stat(file.as_fd())?;
        if before.has_same_state(&after) {
            Ok((bytes, after))
        } else {
            Err(ReadError::Unstable)
        }
    }

    /// Opens the regular file that is at the name now, whatever was there when it was located.
    pub(crate) fn open_file(&self, how: OpenMode) -> Result<(OwnedFd, Stamp), ReadError> {
        if self.kind() == FileType::Directory {
            return Err(ReadError::NotAFile(FileType::Directory));
        }
        if !self.missing_folders.is_empty() {
            return Err(ReadError::Missing);
        }
        // Check before opening: opening a pipe or a device can already have an effect.
        let before = self
            .disk
            .stat_at(self.folder(), &self.name)
            .map_err(missing_or_io_error)?;
        if !before.is_file() {
            return Err(ReadError::NotAFile(before.kind()));
        }
        let file = match self.open_with_retries(how) {
            Ok(file) => file,
            Err(error) => {
                return match self.disk.stat_at(self.folder(), &self.name) {
                    Ok(now) if !now.is_file() => Err(ReadError::NotAFile(now.kind())),
                    _ => Err(missing_or_io_error(error)),
                };
            }
        };
        let stamp = self.disk.stat(file.as_fd())?;
        if stamp.is_file() {
            Ok((file, stamp))
        } else {
            Err(ReadError::NotAFile(stamp.kind()))
        }
    }
}

impl Located {
    /// Opens a file and retries while another program holds a lease on it: a rewrite in place, which the attempt has
    /// notified, soon ends.
    fn open_with_retries(&self, how: OpenMode) -> io::Result<OwnedFd> {
        for _ in 0..MAX_LEASE_TRIES {
            match self.disk.open_at(self.folder(), &self.name, how) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.disk.sleep(Duration::from_millis(2));
                }
                other => return other,
            }
        }
        self.disk.open_at(self.folder(), &self.name, how)
    }
}

fn missing_or_io_error(error: io::Error) -> ReadError {
    match error.kind() {
        io::ErrorKind::NotFound => ReadError::Missing,
        _ => ReadError::Io(error),
    }
}

/// Reads the whole file; returns `false` if it has more than `most` bytes.
fn read_whole(
    disk: &dyn Disk,
    file: BorrowedFd<'_>,
    size: u64,
    most: u64,
    bytes: &mut Vec<u8>,
) -> Result<bool, io::Error> {
    let expected = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes
        .try_reserve_exact(expected)
        .map_err(|_| io::ErrorKind::OutOfMemory)?;
    loop {
        // A file with a length ends there; the stamp taken afterwards reveals growth. A length of 0 may be a file of
        // the kernel, which has no length.
        if size > 0 && bytes.len() as u64 >= size {
            return Ok(bytes.len() as u64 <= most);
        }
        if bytes.len() == bytes.capacity() {
            bytes
                .try_reserve(4096)
                .map_err(|_| io::ErrorKind::OutOfMemory)?;
        }
        let at = bytes.len() as u64;
        match disk.read_more(file, bytes, at) {
            Ok(0) => return Ok(true),
            Ok(_) if bytes.len() as u64 > most => return Ok(false),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
