//! A temporary folder for the indexes and objects of a commit that is being prepared.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::index_file::IndexFile;
use crate::failure::Failure;

/// A folder that is removed when it is dropped.
#[derive(Debug)]
pub(super) struct ScratchFolder {
    path: PathBuf,
}

impl ScratchFolder {
    /// Makes an empty folder in lancet's state folder, which only this user can open.
    pub(super) fn new(state: &Path) -> Result<Self, Failure> {
        let mut failure = None;
        // A folder of a process that was killed may have the name.
        for attempt in 0..100_u32 {
            let name = format!("commit-{}-{attempt}", std::process::id());
            let path = state.join(name);
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {
                    let folder = Self { path };
                    folder.make("objects")?;
                    return Ok(folder);
                }
                Err(error) => failure = Some(error),
            }
        }
        let failure = failure.map_or_else(String::new, |error| error.to_string());
        Err(Failure::system(format!(
            "no temporary folder can be made: {failure}"
        )))
    }

    /// Returns a path in the folder.
    pub(super) fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    /// Makes a folder in the folder.
    fn make(&self, name: &str) -> Result<(), Failure> {
        fs::create_dir(self.join(name)).map_err(write_failure)
    }

    /// Writes a file in the folder; returns its path.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
        let path = self.join(name);
        fs::write(&path, bytes).map_err(write_failure)?;
        Ok(path)
    }

    /// Writes a copy of an index.
    pub(super) fn write_index(&self, name: &str, index: &IndexFile) -> Result<(), Failure> {
        let file = fs::File::create(self.join(name));
        file.and_then(|mut file| index.write_to(&mut file))
            .map_err(write_failure)
    }

    /// Reads an index in the folder.
    pub(super) fn read_index(&self, name: &str) -> Result<IndexFile, Failure> {
        let read = IndexFile::read(&self.join(name));
        let missing = || Failure::system(format!("git has not written {name}"));
        read.map_err(write_failure)?.ok_or_else(missing)
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn write_failure(error: std::io::Error) -> Failure {
    Failure::system(format!(
        "the temporary folder cannot be used: {error}. Nothing was committed"
    ))
}
