//! The file of an index of git, and copies of it. git compares the time at which an index was written with the times of
//! the files in it: a file that changed in the same second has to be read. A copy therefore has the time of the original.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::time::SystemTime;

/// The content of an index file, and when it was written.
#[derive(Clone, Debug)]
pub(super) struct IndexFile {
    bytes: Vec<u8>,
    written: SystemTime,
}

impl IndexFile {
    /// Reads an index file; none where there is none.
    pub(super) fn read(path: &Path) -> io::Result<Option<Self>> {
        let mut file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let written = file.metadata()?.modified()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Some(Self { bytes, written }))
    }

    /// Writes the copy into an open file.
    pub(super) fn write_to(&self, file: &mut fs::File) -> io::Result<()> {
        file.write_all(&self.bytes)?;
        file.set_modified(self.written)
    }

    /// Returns whether both have the same entries.
    pub(super) fn has_same_content(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}
