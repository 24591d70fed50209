//! The table `events`: what happened, in the order in which it was recorded. An event is added in the transaction that records
//! the fact itself, and SQLite lets one transaction write at a time: a reader that has seen an event has seen all with smaller
//! numbers.

use rusqlite::{Connection, params};

use super::clock::now_in_milliseconds;
use super::transaction::WriteTransaction;
use super::workspaces;
use crate::event::EventKind;
use crate::operation::OperationKind;
use crate::workspace::WorkspaceRef;

/// An event that is no change of a file: a question or a session.
pub(super) struct NewEvent<'e> {
    pub(super) kind: EventKind,
    pub(super) workspace: Option<WorkspaceRef<'e>>,
    pub(super) session: Option<&'e str>,
    pub(super) client: Option<&'e str>,
    /// The fields that belong to this kind, as a JSON object. A path in it is the value of a key `path`, so that readers can
    /// leave out those that may not be shown.
    pub(super) body: &'e str,
}

/// Adds an event and returns its number.
pub(super) fn append(
    transaction: &WriteTransaction<'_>,
    event: &NewEvent<'_>,
) -> rusqlite::Result<i64> {
    let workspace = event.workspace.as_ref();
    let workspace = workspace.map(|found| workspaces::number_of(transaction, found));
    transaction
        .prepare_cached(
            "INSERT INTO events (time, kind, workspace, session, client, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            now_in_milliseconds(),
            event.kind.number(),
            workspace.transpose()?,
            event.session,
            event.client,
            event.body
        ])?;
    Ok(transaction.last_insert_rowid())
}

/// Adds an event for each file of an operation that is now known to be carried out. Bytes of a late writer were never the
/// content of the file's name, so they are no change of it.
pub(super) fn append_changes(
    transaction: &WriteTransaction<'_>,
    operation: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO events (time, kind, operation, file)
             SELECT ?2, ?3, f.operation, f.at FROM files f JOIN operations o ON o.id = f.operation
             WHERE f.operation = ?1 AND o.kind <> ?4 ORDER BY f.at",
        )?
        .execute(params![
            operation,
            now_in_milliseconds(),
            EventKind::Changed.number(),
            OperationKind::Late.number()
        ])?;
    Ok(())
}

/// Lets the numbers go on above all that were given before, in a database that replaces a damaged one: that one may not have
/// been readable, and a reader goes on after the last number that it has seen.
pub(super) fn go_on_after_loss(connection: &Connection) -> rusqlite::Result<()> {
    let last: i64 = connection.query_row(
        "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0), ?1)",
        [now_in_milliseconds()],
        |row| row.get(0),
    )?;
    let changed = connection.execute(
        "UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'events'",
        [last],
    )?;
    if changed == 0 {
        connection.execute(
            "INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?1)",
            [last],
        )?;
    }
    connection.execute("UPDATE removed_events SET upto = ?1", [last])?;
    Ok(())
}

/// Fails if a column that the statements need is missing.
pub(super) fn check(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare(
        "SELECT seq, time, kind, operation, file, workspace, session, client, body FROM events",
    )?;
    connection.prepare("SELECT upto FROM removed_events")?;
    connection.prepare("SELECT process, session, client, workspace, body FROM open_sessions")?;
    Ok(())
}
