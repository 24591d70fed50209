//! A new folder for a program that may write nowhere else.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of names that are tried. A name is in use only if a process with the same number left its folder
/// behind.
const ATTEMPTS: u64 = 1_000;

static NEXT: AtomicU64 = AtomicU64::new(0);

/// A folder that only the user can access; removed with everything in it when it is dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    pub(crate) fn new() -> io::Result<Self> {
        let process = std::process::id();
        for _ in 0..ATTEMPTS {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("lancet-{process}-{number}"));
            // An existing folder or link is not used, whichever program created it.
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Copies the content of a reader to a new file in the folder.
    pub(crate) fn add(&self, name: &OsStr, mut content: impl io::Read) -> io::Result<PathBuf> {
        let path = self.0.join(Path::new(name).file_name().unwrap_or_default());
        let mut file = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        io::copy(&mut content, &mut file)?;
        Ok(path)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Files that cannot be removed are left to the cleanup of the system's temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
