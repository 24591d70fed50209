//! The table `events`: what happened, in the order in which it was recorded. An event is added in the transaction that records
//! the fact itself, and SQLite lets one transaction write at a time: a reader that has seen an event has seen all with smaller
//! numbers.

use std::sync::Arc;

use rusqlite::{Connection, Row, params};

use super::age::Limit;
use super::clock::now_in_milliseconds;
use super::log;
use super::paths::path_of;
use super::transaction::WriteTransaction;
use super::workspaces;
use crate::event::{EventKind, EventPage, RecordedEvent, RecordedFact};
use crate::operation::{Operation, OperationKind};
use crate::workspace::{KnownWorkspace, WorkspaceRef};

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

/// At most `most` events after `since`, all of one moment.
pub(super) fn page(
    connection: &mut Connection,
    since: i64,
    most: usize,
) -> rusqlite::Result<EventPage> {
    let transaction = connection.transaction()?;
    let number = |sql: &str| {
        transaction
            .prepare_cached(sql)?
            .query_row([], |row| row.get(0))
    };
    let removed_to = number("SELECT upto FROM removed_events")?;
    let newest =
        number("SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)")?;
    let mut events = Vec::new();
    let mut operations = SharedOperation::default();
    {
        let mut statement = transaction.prepare_cached(
            "SELECT e.seq, e.time, e.kind, e.operation, e.file, w.id, w.root, e.session, e.client, e.body
             FROM events e LEFT JOIN workspaces w ON w.number = e.workspace
             WHERE e.seq > ?1 ORDER BY e.seq LIMIT ?2",
        )?;
        let mut rows = statement.query(params![since, most as i64])?;
        while let Some(row) = rows.next()? {
            events.extend(event_of(&transaction, row, &mut operations)?);
        }
    }
    Ok(EventPage {
        events,
        removed_to,
        newest,
    })
}

/// The operation that was read last: the events of its files follow each other.
#[derive(Default)]
struct SharedOperation(Option<Arc<Operation>>);

impl SharedOperation {
    fn get(
        &mut self,
        connection: &Connection,
        id: &str,
    ) -> rusqlite::Result<Option<Arc<Operation>>> {
        if self.0.as_ref().is_none_or(|known| known.id != id) {
            self.0 = log::one(connection, id)?.map(Arc::new);
        }
        Ok(self.0.clone())
    }
}

fn event_of(
    connection: &Connection,
    row: &Row<'_>,
    operations: &mut SharedOperation,
) -> rusqlite::Result<Option<RecordedEvent>> {
    let mut event = RecordedEvent {
        seq: row.get(0)?,
        time: row.get(1)?,
        workspace: match row.get(5)? {
            Some(id) => Some(KnownWorkspace {
                id,
                root: path_of(&row.get::<_, Vec<u8>>(6)?),
            }),
            None => None,
        },
        session: row.get(7)?,
        client: row.get(8)?,
        fact: RecordedFact::Other(EventKind::Session, String::new()),
    };
    let kind = log::known(EventKind::of, row, 2)?;
    if kind != EventKind::Changed {
        let body: Option<String> = row.get(9)?;
        event.fact = RecordedFact::Other(kind, body.unwrap_or_default());
        return Ok(Some(event));
    }
    let at: i64 = row.get(4)?;
    let Some(operation) = operations.get(connection, &row.get::<_, String>(3)?)? else {
        return Ok(None);
    };
    let Some(file) = operation.files.iter().position(|file| file.at as i64 == at) else {
        return Ok(None);
    };
    event.workspace.clone_from(&operation.files[file].workspace);
    event.session = Some(operation.session.clone());
    event.client.clone_from(&operation.client);
    event.fact = RecordedFact::Changed { operation, file };
    Ok(Some(event))
}

/// The number of the last event of an operation.
pub(super) fn last_of(connection: &Connection, operation: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT max(seq) FROM events WHERE operation = ?1")?
        .query_row([operation], |row| row.get(0))
}

/// Removes the events of questions and sessions up to the last change that was removed, and those that are too old. Those of
/// changes go with their operations.
pub(super) fn prune(connection: &Connection, limit: &Limit) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM events WHERE operation IS NULL
             AND (seq <= (SELECT upto FROM removed_events) OR time < ?1)",
        [limit.oldest()],
    )?;
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
    connection.prepare(
        "SELECT process, session, client, workspace, body, time, version FROM open_sessions",
    )?;
    Ok(())
}
