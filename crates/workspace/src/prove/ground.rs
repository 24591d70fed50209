//! The folder in which a proof is made. It is removed with everything in it, however the proof ends.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::random::random;

/// How often the removal is tried. A process that was just killed may still have a file open, which a file system in
/// user space may store under another name until then.
const REMOVAL_ATTEMPTS: u32 = 20;

/// A new folder inside the folder to be tested.
#[derive(Debug)]
pub(super) struct ProvingGround {
    path: PathBuf,
}

impl ProvingGround {
    pub(super) fn create(inside: &Path) -> io::Result<ProvingGround> {
        let inside = fs::canonicalize(inside)?;
        let path = inside.join(format!(".lancet-prove-{:016x}", random()));
        fs::create_dir(&path)?;
        Ok(ProvingGround { path })
    }

    /// Returns the path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a folder for one check.
    pub(super) fn create_check_folder(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        fs::create_dir(&path)?;
        Ok(path)
    }
}

impl Drop for ProvingGround {
    fn drop(&mut self) {
        for _ in 0..REMOVAL_ATTEMPTS {
            match fs::remove_dir_all(&self.path) {
                Ok(()) => return,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return,
                Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }
}
