//! Converts errors of SQLite and of the file system to errors of the store.

use std::io;
use std::path::Path;

use lancet_local_state::LockHolder;
use rusqlite::ErrorCode;

use super::HistoryError;
use super::files::shared_memory_path;
use super::schema::{MIGRATIONS, NewerSchema};

/// The byte of the `-shm` file that a writer locks (`WAL_WRITE_LOCK`).
const WRITER_LOCK_BYTE: u64 = 120;

/// Returns the error for a path that cannot be written.
pub(super) fn not_writable_error(path: &Path, source: io::Error) -> HistoryError {
    HistoryError::Unavailable {
        store: path.into(),
        source,
    }
}

/// Returns whether the error means that the file is damaged. A short read means that the file was truncated.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    const SHORT_READ: i32 = rusqlite::ffi::SQLITE_IOERR_SHORT_READ;
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    ) || error
        .sqlite_error()
        .is_some_and(|error| error.extended_code == SHORT_READ)
}

/// Returns whether the error may mean that a table or a column is missing, for which SQLite has no specific error
/// code.
pub(super) fn is_missing_schema(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqlInputError { .. } => true,
        error => error
            .sqlite_error()
            .is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_ERROR),
    }
}

/// Converts a SQLite error into one that names the store's file.
pub(super) fn store_error(file: &Path, error: rusqlite::Error) -> HistoryError {
    if let rusqlite::Error::ToSqlConversionFailure(cause) = &error
        && let Some(newer) = cause.downcast_ref::<NewerSchema>()
    {
        return HistoryError::Newer {
            store: file.into(),
            found: newer.found,
            known: MIGRATIONS.len() as i64,
        };
    }
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            return HistoryError::Busy {
                store: file.into(),
                holder: LockHolder::holding_byte(&shared_memory_path(file), WRITER_LOCK_BYTE),
            };
        }
        Some(ErrorCode::ReadOnly) => io::ErrorKind::ReadOnlyFilesystem,
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            io::ErrorKind::PermissionDenied
        }
        Some(ErrorCode::DiskFull) => io::ErrorKind::StorageFull,
        _ => {
            let (store, reason) = (file.into(), error.to_string());
            return match is_damage(&error) {
                true => HistoryError::Damaged { store, reason },
                false => HistoryError::Failed { store, reason },
            };
        }
    };
    not_writable_error(file, io::Error::new(kind, error))
}
