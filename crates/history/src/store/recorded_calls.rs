//! The table `recorded_calls`: details of the call of another program whose changes are an operation.

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::made_folders;
use super::transaction::WriteTransaction;
use crate::git_head::{GitHead, HeadMove};
use crate::recorded_call::RecordedCall;

/// Records the call of an operation.
pub(super) fn insert_call(
    transaction: &WriteTransaction<'_>,
    operation: &str,
    workspace: i64,
    call: &RecordedCall,
) -> rusqlite::Result<()> {
    let sessions = call.shared_with.iter();
    let shared_with: String = sessions.map(|session| format!("{session}\n")).collect();
    transaction
        .prepare_cached(
            "INSERT INTO recorded_calls
                 (operation, command, exit_code, duration, name, not_kept, since, shared, shared_with, as_in_git,
                  head_from, head_to, workspace)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(params![
            operation,
            call.command,
            call.exit_code,
            call.duration,
            call.name,
            made_folders::encode_paths(&call.not_kept),
            call.since,
            made_folders::encode_paths(&call.shared),
            shared_with,
            i64::try_from(call.as_in_git).unwrap_or(i64::MAX),
            call.head.as_ref().map(|head| head.from.encode()),
            call.head.as_ref().map(|head| head.to.encode()),
            workspace
        ])?;
    Ok(())
}

/// Returns whether another program made the changes of an operation.
pub(super) fn is_recorded(connection: &Connection, operation: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM recorded_calls WHERE operation = ?1)")?
        .query_row([operation], |row| row.get(0))
}

/// Returns the call of an operation; none if lancet made the changes.
pub(super) fn call_of_operation(
    connection: &Connection,
    operation: &str,
) -> rusqlite::Result<Option<RecordedCall>> {
    connection
        .prepare_cached(
            "SELECT command, exit_code, duration, name, not_kept, since, shared, shared_with, as_in_git,
                    head_from, head_to
             FROM recorded_calls WHERE operation = ?1",
        )?
        .query_row([operation], |row| {
            let (not_kept, shared): (Vec<u8>, Vec<u8>) = (row.get(4)?, row.get(6)?);
            let shared_with: String = row.get(7)?;
            let head = |column| -> rusqlite::Result<Option<GitHead>> {
                let text: Option<String> = row.get(column)?;
                Ok(text.map(|text| GitHead::decode(&text)))
            };
            Ok(RecordedCall {
                command: row.get(0)?,
                exit_code: row.get(1)?,
                duration: row.get(2)?,
                name: row.get(3)?,
                not_kept: paths_of(&not_kept),
                since: row.get(5)?,
                shared: paths_of(&shared),
                shared_with: shared_with.lines().map(str::to_owned).collect(),
                as_in_git: row.get::<_, i64>(8)?.cast_unsigned(),
                head: match (head(9)?, head(10)?) {
                    (Some(from), Some(to)) => Some(HeadMove { from, to }),
                    _ => None,
                },
                parent: None,
            })
        })
        .optional()
}

/// Returns the paths of a list in which each is ended by NUL.
fn paths_of(list: &[u8]) -> Vec<PathBuf> {
    let paths = list.split(|byte| *byte == 0);
    let paths = paths.filter(|path| !path.is_empty());
    paths.map(super::paths::path_from_bytes).collect()
}

/// Fails if a column that the statements need is missing, including those of the tables of checkpoints and of
/// calls that have begun.
pub(super) fn check_columns(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare(
        "SELECT number, id, workspace, time, kind, name, session, sequence, files, process, head FROM checkpoints",
    )?;
    connection.prepare(
        "SELECT workspace, name, since, until, kind, mode, size, identity, link, content, stamp FROM checkpoint_files",
    )?;
    connection.prepare("SELECT content, time FROM loose_contents")?;
    connection.prepare(
        "SELECT number, workspace, key, session, tool, command, paths, time, process, looking, since, background
         FROM program_calls",
    )?;
    connection.prepare(
        "SELECT operation, command, exit_code, duration, name, not_kept, since, shared, shared_with, as_in_git,
                head_from, head_to, workspace
         FROM recorded_calls",
    )?;
    Ok(())
}
