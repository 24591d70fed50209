//! The files of the database in the state folder: their names, and how a damaged database is set aside.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lancet_local_state::SetAsideDatabase;

use super::HistoryError;
use super::clock::now;
use super::error::not_writable_error;

/// The name of the database in the state folder.
pub const DATABASE_NAME: &str = "lancet.db";

/// Returns the database of a state folder.
pub(super) fn database_path(folder: &Path) -> PathBuf {
    folder.join(DATABASE_NAME)
}

/// Returns the write-ahead log of a database.
pub(super) fn log_path(file: &Path) -> PathBuf {
    with_suffix(file, "-wal")
}

/// Returns the shared memory of a database, by which SQLite locks it.
pub(super) fn shared_memory_path(file: &Path) -> PathBuf {
    with_suffix(file, "-shm")
}

/// Renames the damaged file, its `-wal` and `-shm` files first, so that a new database does not find the log of the
/// old one.
pub(super) fn move_aside(folder: &Path, reason: String) -> Result<SetAsideDatabase, HistoryError> {
    let file = database_path(folder);
    let moved_to = (0..)
        .map(|more| folder.join(format!("{DATABASE_NAME}.damaged-{}", now() + more)))
        .find(|free| !free.exists())
        .unwrap_or_else(|| folder.join(format!("{DATABASE_NAME}.damaged")));
    for suffix in ["-wal", "-shm", ""] {
        match fs::rename(with_suffix(&file, suffix), with_suffix(&moved_to, suffix)) {
            Err(error) if suffix.is_empty() || error.kind() != io::ErrorKind::NotFound => {
                return Err(not_writable_error(folder, error));
            }
            _ => {}
        }
    }
    Ok(SetAsideDatabase {
        moved_to: Some(moved_to),
        reason,
        brought_over: 0,
    })
}

/// Returns whether the state folder has a damaged database that was set aside.
pub(super) fn has_files_set_aside(folder: &Path) -> bool {
    !files_set_aside(folder).is_empty()
}

/// Returns the files of damaged databases that were set aside in a state folder, with their `-wal` and `-shm` files,
/// sorted by name.
#[must_use]
pub fn files_set_aside(folder: &Path) -> Vec<PathBuf> {
    let begin = format!("{DATABASE_NAME}.damaged");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&begin))
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
