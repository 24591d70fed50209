//! The rows of displaced files that another program may still write to.

use std::path::Path;

use lancet_local_state::Unsealed;
use rusqlite::{Connection, params};

use crate::store::paths::{bytes_of, path_of};

pub(super) fn put(
    connection: &Connection,
    unsealed: &Unsealed,
    process: &str,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO unsealed (file, path, revision, size, mode, session, operation, process, late)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            bytes_of(&unsealed.file),
            bytes_of(&unsealed.path),
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
pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<(Unsealed, String)>> {
    let mut statement = connection.prepare_cached(
        "SELECT file, path, revision, size, mode, session, operation, late, process FROM unsealed",
    )?;
    let rows = statement.query_map([], |row| {
        let unsealed = Unsealed {
            file: path_of(&row.get::<_, Vec<u8>>(0)?),
            path: path_of(&row.get::<_, Vec<u8>>(1)?),
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

pub(super) fn remove(connection: &Connection, file: &Path) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM unsealed WHERE file = ?1")?
        .execute([bytes_of(file)])?;
    Ok(())
}
