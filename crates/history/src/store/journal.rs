//! The journal of changes of several files at once. An intent is flushed to the disk before the first file is changed, and
//! removed when nothing is left to do. Its bytes are opaque here; the caller encodes and decodes them.

use rusqlite::{Connection, params};

use super::files::file_in;
use super::transaction::WriteTransaction;
use super::{Store, StoreError, process};

/// An intent of a process that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftIntent {
    /// The row id of the intent.
    pub id: i64,
    /// The encoded intent.
    pub intent: Vec<u8>,
    /// Whether all files were changed, so that the intent is to be completed and not rolled back.
    pub decided: bool,
}

impl Store {
    /// Records an intent and flushes it; returns its row id.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn open_intent(&self, intent: &[u8]) -> Result<i64, StoreError> {
        let write = |connection: &Connection| {
            connection
                .prepare_cached(
                    "INSERT INTO journal (process, decided, intent) VALUES (?1, 0, ?2)",
                )?
                .execute(params![self.process(), intent])?;
            Ok(connection.last_insert_rowid())
        };
        Ok(self
            .run(|connection| flushed(connection, || write(connection)))?
            .0)
    }

    /// Records that all files were changed, and flushes that.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn decide_intent(&self, id: i64) -> Result<(), StoreError> {
        let write = |connection: &Connection| {
            connection
                .prepare_cached("UPDATE journal SET decided = 1 WHERE id = ?1")?
                .execute([id])
        };
        self.run(|connection| flushed(connection, || write(connection)))?;
        Ok(())
    }

    /// Removes an intent that is completed or rolled back.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn close_intent(&self, id: i64) -> Result<(), StoreError> {
        self.run(|connection| {
            connection
                .prepare_cached("DELETE FROM journal WHERE id = ?1")?
                .execute([id])
        })?;
        Ok(())
    }

    /// Takes over the intents of processes that have ended; no other process gets them. Creates no database if there is
    /// none.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn left_intents(&self) -> Result<Vec<LeftIntent>, StoreError> {
        if !file_in(self.folder()).exists() {
            return Ok(Vec::new());
        }
        Ok(self.run(|connection| take_left(connection, self))?.0)
    }

    /// The intents of all processes, running ones included, that are not decided; none where there is no database.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn undecided_intents(&self) -> Result<Vec<LeftIntent>, StoreError> {
        if !self.is_open() && !file_in(self.folder()).exists() {
            return Ok(Vec::new());
        }
        let read = |connection: &mut Connection| {
            let mut statement =
                connection.prepare_cached("SELECT id, intent FROM journal WHERE decided = 0")?;
            let rows = statement.query_map([], |row| {
                Ok(LeftIntent {
                    id: row.get(0)?,
                    intent: row.get(1)?,
                    decided: false,
                })
            })?;
            rows.collect()
        };
        Ok(self.run(read)?.0)
    }

    /// Releases an intent, so that another process can take it over.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn let_go_intent(&self, id: i64) -> Result<(), StoreError> {
        self.run(|connection| {
            connection.execute("UPDATE journal SET process = '' WHERE id = ?1", [id])
        })?;
        Ok(())
    }
}

/// Runs a write with `synchronous = FULL`, so that it survives a power cut; other rows are not flushed.
fn flushed<T>(
    connection: &Connection,
    write: impl FnOnce() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    let written = write();
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    written
}

fn take_left(connection: &mut Connection, store: &Store) -> rusqlite::Result<Vec<LeftIntent>> {
    let is_empty: bool =
        connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM journal)", [], |row| {
            row.get(0)
        })?;
    if is_empty {
        return Ok(Vec::new());
    }
    let transaction = WriteTransaction::begin(connection)?;
    let all: Vec<(LeftIntent, String)> = {
        let mut statement =
            transaction.prepare("SELECT id, intent, decided, process FROM journal ORDER BY id")?;
        let rows = statement.query_map([], |row| {
            let left = LeftIntent {
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
                params![store.process(), intent.id],
            )?;
            left.push(intent);
        }
    }
    transaction.commit()?;
    Ok(left)
}
