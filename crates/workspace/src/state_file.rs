//! A file of the state folder that is read and replaced as a whole, and may be extended at its end. It is never flushed:
//! its content must show by itself whether it is complete.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, ErrorKind, IoSlice};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use crate::disk::{Disk, OpenMode, ReplaceMode};

/// The permission bits of the file.
const MODE: u32 = 0o600;

/// A file of the state folder, which may not exist.
pub struct StateFile {
    disk: Arc<dyn Disk>,
    folder: OwnedFd,
    name: OsString,
}

impl StateFile {
    /// Opens the folder of a file; creates it, for the user alone, if it is missing.
    ///
    /// # Errors
    /// The system's own error.
    pub fn locate(disk: &Arc<dyn Disk>, folder: &Path, name: &OsStr) -> io::Result<StateFile> {
        Ok(StateFile {
            folder: disk.open_state_folder(folder)?,
            disk: Arc::clone(disk),
            name: name.to_owned(),
        })
    }

    /// Returns the content; none if there is no file, or it has more than `most` bytes.
    ///
    /// # Errors
    /// The system's own error.
    pub fn read(&self, most: u64) -> io::Result<Option<Vec<u8>>> {
        let opened = self
            .disk
            .open_at(self.folder.as_fd(), &self.name, OpenMode::Read);
        let file = match opened {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let size = self.disk.stat(file.as_fd())?.size;
        let Some(size) = usize::try_from(size).ok().filter(|_| size <= most) else {
            return Ok(None);
        };
        let mut bytes = Vec::with_capacity(size + 1);
        while bytes.len() <= size {
            let at = bytes.len() as u64;
            match self.disk.read_more(file.as_fd(), &mut bytes, at) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Some(bytes))
    }

    /// Replaces the content. A reader sees the old content or the new one. If two processes do this at the same time,
    /// the result may be a part of either.
    ///
    /// # Errors
    /// The system's own error.
    pub fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        let mut new = self.name.clone();
        new.push(".new");
        self.remove_name(&new)?;
        let folder = self.folder.as_fd();
        let file = self
            .disk
            .open_at(folder, &new, OpenMode::Create { mode: MODE })?;
        let written = self.write_from(file.as_fd(), bytes, 0);
        if let Err(error) = written {
            let _ = self.remove_name(&new);
            return Err(error);
        }
        self.disk
            .rename_at(folder, &new, &self.name, ReplaceMode::Over)
    }

    /// Extends the file, if there is one with at most `most` bytes; removes a longer one.
    ///
    /// # Errors
    /// The system's own error.
    pub fn append(&self, bytes: &[u8], most: u64) -> io::Result<()> {
        let folder = self.folder.as_fd();
        let file = match self.disk.open_at(folder, &self.name, OpenMode::Rewrite) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        let end = self.disk.stat(file.as_fd())?.size;
        match end <= most {
            true => self.write_from(file.as_fd(), bytes, end),
            false => self.remove(),
        }
    }

    /// Removes the file; nothing happens if there is none.
    ///
    /// # Errors
    /// The system's own error.
    pub fn remove(&self) -> io::Result<()> {
        self.remove_name(&self.name)
    }

    fn remove_name(&self, name: &OsStr) -> io::Result<()> {
        match self.disk.remove_at(self.folder.as_fd(), name) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn write_from(&self, file: BorrowedFd<'_>, bytes: &[u8], start: u64) -> io::Result<()> {
        let mut rest = bytes;
        let mut at = start;
        while !rest.is_empty() {
            match self.disk.write_at(file, &[IoSlice::new(rest)], at) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => {
                    rest = &rest[written..];
                    at += written as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl fmt::Debug for StateFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("StateFile");
        shown.field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;

    #[test]
    fn a_file_is_replaced_extended_and_removed_when_it_is_too_long() {
        let place = tempfile::tempdir().expect("a folder");
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let folder = place.path().join("state/part");
        let file = StateFile::locate(&disk, &folder, OsStr::new("one")).expect("opened");
        file.append(b"lost", 100).expect("no error");
        assert_eq!(
            file.read(100).expect("read"),
            None,
            "there is no file to extend"
        );
        file.replace(b"first").expect("written");
        file.replace(b"second").expect("written again");
        file.append(b" third", 100).expect("extended");
        assert_eq!(
            file.read(100).expect("read").as_deref(),
            Some(&b"second third"[..])
        );
        assert_eq!(file.read(11).expect("read"), None, "it is too long");
        file.append(b" fourth", 11).expect("removed");
        assert_eq!(file.read(100).expect("read"), None);
        let left = std::fs::read_dir(&folder).expect("listed").count();
        assert_eq!(left, 0, "no other file is left");
    }
}
