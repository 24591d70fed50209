//! The table `recorded_calls`: details of the call of another program whose changes are an operation.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::made_folders;
use super::transaction::WriteTransaction;
use crate::recorded_call::RecordedCall;

/// Records the call of an operation.
pub(super) fn insert(
    transaction: &WriteTransaction<'_>,
    operation: &str,
    call: &RecordedCall,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO recorded_calls (operation, command, exit_code, duration, name, not_kept)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            operation,
            call.command,
            call.exit_code,
            call.duration,
            call.name,
            made_folders::folders_of(&call.not_kept)
        ])?;
    Ok(())
}

/// Returns the call of an operation; none if lancet made the changes.
pub(super) fn for_operation(
    connection: &Connection,
    operation: &str,
) -> rusqlite::Result<Option<RecordedCall>> {
    connection
        .prepare_cached(
            "SELECT command, exit_code, duration, name, not_kept FROM recorded_calls WHERE operation = ?1",
        )?
        .query_row([operation], |row| {
            let not_kept: Vec<u8> = row.get(4)?;
            let paths = not_kept.split(|byte| *byte == 0);
            Ok(RecordedCall {
                command: row.get(0)?,
                exit_code: row.get(1)?,
                duration: row.get(2)?,
                name: row.get(3)?,
                not_kept: paths
                    .filter(|path| !path.is_empty())
                    .map(super::paths::path_of)
                    .collect(),
            })
        })
        .optional()
}

/// Fails if a column that the statements need is missing, including those of the tables of checkpoints.
pub(super) fn check(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare(
        "SELECT number, id, workspace, time, kind, name, session, sequence, files, process FROM checkpoints",
    )?;
    connection.prepare(
        "SELECT workspace, name, since, until, kind, mode, size, identity, link, content, stamp FROM checkpoint_files",
    )?;
    connection.prepare("SELECT content, time FROM loose_contents")?;
    connection.prepare(
        "SELECT operation, command, exit_code, duration, name, not_kept FROM recorded_calls",
    )?;
    Ok(())
}
