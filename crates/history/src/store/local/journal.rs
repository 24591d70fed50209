//! The rows of the journal of changes of several files at once.

use lancet_local_state::{OrphanedIntent, process};
use rusqlite::{Connection, params};

use crate::store::Store;
use crate::store::transaction::WriteTransaction;

/// Adds an intent of this process; returns its row id.
pub(super) fn insert_intent(
    connection: &Connection,
    intent: &[u8],
    process: &str,
) -> rusqlite::Result<i64> {
    with_full_sync(connection, || {
        connection
            .prepare_cached("INSERT INTO journal (process, decided, intent) VALUES (?1, 0, ?2)")?
            .execute(params![process, intent])?;
        Ok(connection.last_insert_rowid())
    })
}

pub(super) fn mark_decided(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    with_full_sync(connection, || {
        connection
            .prepare_cached("UPDATE journal SET decided = 1 WHERE id = ?1")?
            .execute([id])
    })?;
    Ok(())
}

pub(super) fn delete_intent(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM journal WHERE id = ?1")?
        .execute([id])?;
    Ok(())
}

pub(super) fn release_intent(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    connection.execute("UPDATE journal SET process = '' WHERE id = ?1", [id])?;
    Ok(())
}

pub(super) fn undecided_intents(connection: &Connection) -> rusqlite::Result<Vec<OrphanedIntent>> {
    let mut statement =
        connection.prepare_cached("SELECT id, intent FROM journal WHERE decided = 0")?;
    let rows = statement.query_map([], |row| {
        Ok(OrphanedIntent {
            id: row.get(0)?,
            intent: row.get(1)?,
            decided: false,
        })
    })?;
    rows.collect()
}

/// Runs a write with `synchronous = FULL`, so that it survives a power cut. Other rows are not flushed.
fn with_full_sync<T>(
    connection: &Connection,
    write: impl FnOnce() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    let written = write();
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    written
}

/// Assigns the intents of processes that have ended to this process.
pub(super) fn take_over_intents(
    connection: &mut Connection,
    store: &Store,
) -> rusqlite::Result<Vec<OrphanedIntent>> {
    let is_empty: bool =
        connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM journal)", [], |row| {
            row.get(0)
        })?;
    if is_empty {
        return Ok(Vec::new());
    }
    let transaction = WriteTransaction::begin(connection)?;
    let all: Vec<(OrphanedIntent, String)> = {
        let mut statement =
            transaction.prepare("SELECT id, intent, decided, process FROM journal ORDER BY id")?;
        let rows = statement.query_map([], |row| {
            let left = OrphanedIntent {
                id: row.get(0)?,
                intent: row.get(1)?,
                decided: row.get(2)?,
            };
            Ok((left, row.get(3)?))
        })?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let mut left = Vec::new();
    for (intent, name) in all {
        if !process::is_alive(store.folder(), &name) {
            transaction.execute(
                "UPDATE journal SET process = ?1 WHERE id = ?2",
                params![store.process_name(), intent.id],
            )?;
            left.push(intent);
        }
    }
    transaction.commit()?;
    Ok(left)
}
