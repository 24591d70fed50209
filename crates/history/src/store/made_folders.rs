//! The folders that were created for files: the change that each belongs to, and the change that it passes to when
//! its change is undone or was not made. An undo removes the folders of its change if they are empty.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::paths::{bounds_below, path_bytes, path_from_bytes};
use crate::operation::ChangeKind;

/// Returns the folders that were created for one file of an operation.
pub(super) fn created_folders(
    transaction: &Connection,
    operation: &str,
    at: usize,
) -> rusqlite::Result<Vec<PathBuf>> {
    let folders: Option<Vec<u8>> = transaction
        .prepare_cached("SELECT folders FROM files WHERE operation = ?1 AND at = ?2")?
        .query_row(params![operation, at as i64], |row| row.get(0))
        .optional()?;
    Ok(decode_paths(&folders.unwrap_or_default()).collect())
}

/// Returns the path of one file of an operation, as it is recorded.
pub(super) fn path_of_file(
    transaction: &Connection,
    operation: &str,
    at: usize,
) -> rusqlite::Result<Vec<u8>> {
    transaction
        .prepare_cached("SELECT path FROM files WHERE operation = ?1 AND at = ?2")?
        .query_row(params![operation, at as i64], |row| row.get(0))
        .optional()
        .map(Option::unwrap_or_default)
}

/// Returns the folders that were created for all files of an operation.
pub(super) fn all_created_folders(
    transaction: &Connection,
    operation: &str,
) -> rusqlite::Result<Vec<PathBuf>> {
    let mut statement = transaction
        .prepare_cached("SELECT folders FROM files WHERE operation = ?1 AND folders <> x''")?;
    let mut rows = statement.query([operation])?;
    let mut folders = Vec::new();
    while let Some(row) = rows.next()? {
        folders.extend(decode_paths(&row.get::<_, Vec<u8>>(0)?));
    }
    Ok(folders)
}

fn decode_paths(folders: &[u8]) -> impl Iterator<Item = PathBuf> {
    let folders = folders.split(|byte| *byte == 0);
    folders
        .filter(|folder| !folder.is_empty())
        .map(path_from_bytes)
}

/// Passes the folders of a change that is undone, or was not made, to changes that have files in them; the one of
/// these that is undone last removes the folders. Returns the folders in which no change has a file.
pub(super) fn pass_on_folders(
    transaction: &Connection,
    folders: &[PathBuf],
) -> rusqlite::Result<Vec<PathBuf>> {
    let mut unclaimed = Vec::new();
    for folder in folders {
        if assign_folder(transaction, folder)? == FolderClaim::No {
            unclaimed.push(folder.clone());
        }
    }
    Ok(unclaimed)
}

/// Whether a change has a file in a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderClaim {
    Yes,
    No,
}

/// Adds a folder to those that were created for a change with a new file in it, so that an undo of that change
/// removes it. A change that is being made comes first, since it may have created the folder. An undo comes last,
/// since its file may be removed again. Otherwise the oldest change is chosen. Does nothing if the change has the
/// folder already.
pub(super) fn assign_folder(
    transaction: &Connection,
    folder: &Path,
) -> rusqlite::Result<FolderClaim> {
    assign_folder_except(transaction, folder, &[])
}

/// Like `assign_folder`, but ignores the changes of the file at `except`.
pub(super) fn assign_folder_except(
    transaction: &Connection,
    folder: &Path,
    except: &[u8],
) -> rusqlite::Result<FolderClaim> {
    let (from, to) = bounds_below(folder);
    let oldest: Option<(String, i64, Vec<u8>)> = transaction
        .prepare_cached(
            "SELECT f.operation, f.at, f.folders FROM files f JOIN operations o ON o.id = f.operation
             WHERE f.path > ?1 AND f.path < ?2 AND (f.kind = ?3 OR f.moved_from IS NOT NULL) AND f.undone IS NULL
             AND f.path <> ?4
             ORDER BY o.id IN (SELECT id FROM begun) DESC,
                      EXISTS (SELECT 1 FROM taken_back t WHERE t.operation = o.id), o.sequence LIMIT 1",
        )?
        .query_row(params![from, to, ChangeKind::Create.database_number(), except], |row| row.try_into())
        .optional()?;
    let Some((operation, at, mut folders)) = oldest else {
        return Ok(FolderClaim::No);
    };
    let bytes = path_bytes(folder);
    if !folders.split(|byte| *byte == 0).any(|known| known == bytes) {
        folders.extend_from_slice(bytes);
        folders.push(0);
        transaction.execute(
            "UPDATE files SET folders = ?3 WHERE operation = ?1 AND at = ?2",
            params![operation, at, folders],
        )?;
    }
    Ok(FolderClaim::Yes)
}

/// Returns the encoding of the folders for the database.
pub(super) fn encode_paths(folders: &[PathBuf]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for folder in folders {
        bytes.extend_from_slice(path_bytes(folder));
        bytes.push(0);
    }
    bytes
}
