//! Adopts the displaced files that ended processes left: old versions of files that a write moved into the state
//! folder.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Passes each file of a folder to `adopt` with the BLAKE3 hash of its bytes, for at most `budget`. `is_sealed` decides
/// by the file name whether a late writer can no longer write to the file; files that are not sealed are skipped. A
/// folder that does not exist has no files.
///
/// # Errors
/// The folder cannot be read.
pub fn adopt_displaced_files(
    folder: &Path,
    is_sealed: &dyn Fn(&OsStr) -> bool,
    budget: Duration,
    adopt: &mut dyn FnMut(&[u8; 32], &Path),
) -> io::Result<()> {
    let deadline = Instant::now() + budget;
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries.flatten() {
        if !is_sealed(&entry.file_name()) || Instant::now() >= deadline {
            continue;
        }
        // A failure is left alone: the process that displaced the file may be adopting it at the same time.
        if let Ok(revision) = hash_file(&entry.path()) {
            adopt(&revision, &entry.path());
        }
    }
    Ok(())
}

/// Returns the BLAKE3 hash of a file's bytes.
///
/// # Errors
/// The file cannot be read.
pub fn hash_file(file: &Path) -> io::Result<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(file)?)?;
    Ok(*hasher.finalize().as_bytes())
}
