//! The table `events`: what happened, in the order in which it was recorded. An event is added in the transaction
//! that records the fact itself, and SQLite lets one transaction write at a time: a reader that has seen an event has
//! seen all with smaller numbers. The event of a change is one row that names the operation; its number is also in the
//! row of `files`, so there is no index by operation.
//!
//! inotify reports writes to SQLite's write-ahead log, but a commit becomes visible through shared memory, which it
//! does not report. The writer therefore touches the database after committing. If it is killed before that, the
//! readers' retries within a second find the event. A removed operation takes its events along; a trigger records up to
//! which number events are missing, so that no number is assigned again.

use std::sync::Arc;

use rusqlite::{Connection, Row, params};

use super::age::AgeLimit;
use super::clock::now_in_milliseconds;
use super::facts::Facts;
use super::paths::path_from_bytes;
use super::transaction::WriteTransaction;
use super::{log, records, workspaces};
use crate::event::{EventKind, EventPage, RecordedEvent, RecordedFact};
use crate::operation::{Operation, OperationKind};
use crate::workspace::{KnownWorkspace, WorkspaceRef};

/// An event that is not a change of a file: a question or a session.
pub(super) struct NewEvent<'e> {
    pub(super) kind: EventKind,
    pub(super) workspace: Option<WorkspaceRef<'e>>,
    pub(super) session: Option<&'e str>,
    pub(super) client: Option<&'e str>,
    /// The fields that belong to this kind, as a JSON object. A path in it is the value of a key `path`, so that
    /// readers can leave out those that may not be shown.
    pub(super) body: &'e str,
}

/// The expression for the highest number assigned so far; 0 if there is none.
macro_rules! newest_event_sql {
    () => {
        "max(coalesce((SELECT max(seq) FROM events), 0), coalesce((SELECT upto FROM removed_events), 0))"
    };
}

/// The expression for the number of the next event.
macro_rules! next_event_sql {
    () => {
        concat!($crate::store::events::newest_event_sql!(), " + 1")
    };
}
pub(super) use {newest_event_sql, next_event_sql};

/// Adds an event and returns its number.
pub(super) fn append_event(
    transaction: &WriteTransaction<'_>,
    event: &NewEvent<'_>,
) -> rusqlite::Result<i64> {
    let workspace = event.workspace.as_ref();
    let workspace = workspace.map(|found| workspaces::workspace_number(transaction, found));
    transaction
        .prepare_cached(concat!(
            "INSERT INTO events (seq, time, kind, workspace, session, client, body)
             VALUES (",
            next_event_sql!(),
            ", ?1, ?2, ?3, ?4, ?5, ?6)"
        ))?
        .execute(params![
            now_in_milliseconds(),
            event.kind.database_number(),
            workspace.transpose()?,
            event.session,
            event.client,
            event.body
        ])?;
    Ok(transaction.last_insert_rowid())
}

/// Adds the event of one file. It takes its values from the caller and reads no table: if a parameter is compared
/// with an indexed column, SQLite (with STAT4) prepares the statement again at each call. An Edit of 10 KB took
/// 522,565 instructions with `INSERT … SELECT`, and takes 396,909 with this.
const APPEND_CHANGE: &str = concat!(
    "INSERT INTO events (seq, time, kind, operation, file) VALUES (coalesce(?5, ",
    next_event_sql!(),
    "), ?1, ?2, ?3, ?4)"
);

/// A file of an operation that is now known to be changed.
pub(super) struct MadeChange {
    /// The index of the file in the operation.
    pub(super) at: usize,
    /// The inode number of the file that the change left, if it was not recorded before.
    pub(super) inode: Option<u64>,
}

impl From<usize> for MadeChange {
    fn from(at: usize) -> Self {
        Self { at, inode: None }
    }
}

/// Adds an event for each of these files of an operation that is now known to be carried out, and records its number
/// with the file. A late write is not a change of the file, since its bytes were never the content of the file's name.
pub(super) fn append_changes(
    transaction: &WriteTransaction<'_>,
    operation: &str,
    kind: OperationKind,
    files: impl IntoIterator<Item = MadeChange>,
    facts: &mut Facts,
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(APPEND_CHANGE)?;
    let time = now_in_milliseconds();
    for MadeChange { at, inode } in files {
        let event = match kind {
            OperationKind::Late => None,
            _ => {
                let changed = EventKind::Changed.database_number();
                let next = facts.event.map(|newest| newest + 1);
                statement.execute(params![time, changed, operation, at as i64, next])?;
                facts.event = Some(transaction.last_insert_rowid());
                facts.event
            }
        };
        records::note_change(transaction, operation, at, event, inode)?;
    }
    Ok(())
}

/// Returns at most `most` events after `since`, read in one transaction.
pub(super) fn read_page(
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
    let newest = number(concat!("SELECT ", newest_event_sql!()))?;
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
            events.extend(event_from_row(&transaction, row, &mut operations)?);
        }
    }
    Ok(EventPage {
        events,
        removed_to,
        newest,
    })
}

/// The operation that was read last, since the events of its files are adjacent.
#[derive(Default)]
struct SharedOperation(Option<Arc<Operation>>);

impl SharedOperation {
    fn get(
        &mut self,
        connection: &Connection,
        id: &str,
    ) -> rusqlite::Result<Option<Arc<Operation>>> {
        if self.0.as_ref().is_none_or(|known| known.id != id) {
            self.0 = log::find_operation(connection, id)?.map(Arc::new);
        }
        Ok(self.0.clone())
    }
}

fn event_from_row(
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
                root: path_from_bytes(&row.get::<_, Vec<u8>>(6)?),
            }),
            None => None,
        },
        session: row.get(7)?,
        client: row.get(8)?,
        fact: RecordedFact::Other(EventKind::Session, String::new()),
    };
    let kind = log::enum_from_column(EventKind::from_number, row, 2)?;
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

/// Returns the number of the last event of an operation.
pub(super) fn last_event_of_operation(
    connection: &Connection,
    operation: &str,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT max(event) FROM files WHERE operation = ?1")?
        .query_row([operation], |row| row.get(0))
}

/// Removes the events of questions and sessions up to the last change that was removed, and those that are too old.
/// Events of changes are removed with their operations.
pub(super) fn prune_events(connection: &Connection, limit: &AgeLimit) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM events WHERE operation IS NULL
             AND (seq <= (SELECT upto FROM removed_events) OR time < ?1)",
        [limit.oldest_time()],
    )?;
    Ok(())
}

/// Makes the numbers continue above all that were assigned before, in a database that replaces a damaged one. The
/// damaged one may not have been readable, and a reader continues after the last number that it has seen.
pub(super) fn continue_numbers_after_loss(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute(
        concat!(
            "UPDATE removed_events SET upto = max(",
            newest_event_sql!(),
            ", ?1)"
        ),
        [now_in_milliseconds()],
    )?;
    Ok(())
}

/// Fails if a column that the statements need is missing.
pub(super) fn check_columns(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare(
        "SELECT seq, time, kind, operation, file, workspace, session, client, body FROM events",
    )?;
    connection.prepare("SELECT event FROM files WHERE operation = ''")?;
    connection.prepare("SELECT upto FROM removed_events")?;
    connection.prepare(
        "SELECT process, session, client, workspace, body, time, version FROM open_sessions",
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rusqlite::StatementStatus;

    use super::*;
    use crate::event::EventStore as _;
    use crate::operation::{
        ChangeKind, ContentDraft, DraftState, FileDraft, OperationAuthor, OperationDraft,
        RecordStore as _,
    };
    use crate::store::Store;

    fn announce_operation(store: &Store, id: &str, kind: OperationKind, paths: &[&str]) {
        let files = paths.iter().map(|path| FileDraft {
            path: Path::new(path),
            kind: ChangeKind::Create,
            moved_from: None,
            before: None,
            after: Some(DraftState {
                revision: *blake3::hash(b"new").as_bytes(),
                size: 3,
                mode: 0o100_644,
                link: None,
                inode: None,
                content: ContentDraft::Whole(b"new"),
            }),
            added: 1,
            removed: 0,
            folders: Vec::new(),
            workspace: None,
        });
        let draft = OperationDraft {
            parent: None,
            id,
            time: 1_000,
            kind,
            author: OperationAuthor {
                session: "talk",
                ..OperationAuthor::default()
            },
            tool: "Edit",
            rungs: Vec::new(),
            approved: None,
            files: files.collect(),
            question: None,
            takes_back: Vec::new(),
            takes_part_of: Vec::new(),
        };
        assert_eq!(store.begin(&draft).expect("begun").set_aside, None);
    }

    fn confirm_operation(store: &Store, id: &str, kind: OperationKind, files: usize) {
        let confirmed = store
            .confirm(id, kind, &vec![None; files])
            .expect("confirmed");
        assert_eq!(confirmed, crate::operation::ConfirmOutcome::Done);
    }

    /// Returns the events after a number, as number, operation and path.
    fn events_after(store: &Store, since: i64) -> Vec<(i64, String, String)> {
        let page = store.events(since, 10).expect("read");
        let told = page.events.into_iter().map(|event| {
            let RecordedFact::Changed { operation, file } = event.fact else {
                panic!("only changes were made");
            };
            let path = operation.files[file].path.display().to_string();
            (event.seq, operation.id.clone(), path)
        });
        told.collect()
    }

    #[test]
    fn confirmed_operation_emits_one_event_per_file_in_order() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let store = Store::new(folder.path());
        announce_operation(&store, "one", OperationKind::Change, &["/p/b", "/p/a"]);
        announce_operation(&store, "two", OperationKind::Undo, &["/p/c"]);
        announce_operation(&store, "three", OperationKind::Late, &["/p/d"]);
        assert_eq!(events_after(&store, 0), [], "nothing was carried out yet");
        confirm_operation(&store, "two", OperationKind::Undo, 1);
        confirm_operation(&store, "three", OperationKind::Late, 1);
        confirm_operation(&store, "one", OperationKind::Change, 2);
        let event = |seq, id: &str, path: &str| (seq, id.to_owned(), path.to_owned());
        let expected = [
            event(1, "two", "/p/c"),
            event(2, "one", "/p/b"),
            event(3, "one", "/p/a"),
        ];
        assert_eq!(events_after(&store, 0), expected);
        assert_eq!(events_after(&store, 2), expected[2..]);
    }

    #[test]
    fn prepares_insert_event_statement_once() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let store = Store::new(folder.path());
        for id in ["one", "two", "three"] {
            announce_operation(&store, id, OperationKind::Change, &["/p/a"]);
            confirm_operation(&store, id, OperationKind::Change, 1);
        }
        let counted = store.run_on_database(|connection| {
            let statement = connection.prepare_cached(APPEND_CHANGE)?;
            let runs = statement.get_status(StatementStatus::Run);
            Ok((runs, statement.get_status(StatementStatus::RePrepare)))
        });
        assert_eq!(counted.expect("asked").0, (3, 0));
    }
}
