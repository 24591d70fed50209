//! The rows of displaced files that another program may still write to.

use std::path::Path;

use lancet_local_state::UnsealedFile;
use rusqlite::{Connection, params};

use crate::store::paths::{path_bytes, path_from_bytes};

pub(super) fn save_unsealed(
    connection: &Connection,
    unsealed: &UnsealedFile,
    process: &str,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO unsealed (file, path, revision, size, mode, session, operation, process, late)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            path_bytes(&unsealed.file),
            path_bytes(&unsealed.path),
            unsealed.revision,
            unsealed.size as i64,
            unsealed.mode,
            unsealed.session,
            unsealed.operation,
            process,
            unsealed.late
        ])?;
    Ok(())
}

/// Returns all rows, each with the process that owns it.
pub(super) fn list_unsealed(
    connection: &Connection,
) -> rusqlite::Result<Vec<(UnsealedFile, String)>> {
    let mut statement = connection.prepare_cached(
        "SELECT file, path, revision, size, mode, session, operation, late, process FROM unsealed",
    )?;
    let rows = statement.query_map([], |row| {
        let unsealed = UnsealedFile {
            file: path_from_bytes(&row.get::<_, Vec<u8>>(0)?),
            path: path_from_bytes(&row.get::<_, Vec<u8>>(1)?),
            revision: row.get(2)?,
            size: row.get::<_, i64>(3)? as u64,
            mode: row.get(4)?,
            session: row.get(5)?,
            operation: row.get(6)?,
            late: row.get(7)?,
        };
        Ok((unsealed, row.get(8)?))
    })?;
    rows.collect()
}

pub(super) fn remove_unsealed(connection: &Connection, file: &Path) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM unsealed WHERE file = ?1")?
        .execute([path_bytes(file)])?;
    Ok(())
}
