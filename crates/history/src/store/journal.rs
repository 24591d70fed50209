//! What is about to be done to several files at once, in words that only whoever does it understands: on the disk itself
//! before the first file is touched, and gone when nothing is left to do.

use rusqlite::{Connection, params};

use super::open::file_in;
use super::writing::Writing;
use super::{Store, StoreError, process};

/// An intent that a process left which has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftIntent {
    /// Its number.
    pub id: i64,
    /// What was to be done.
    pub intent: Vec<u8>,
    /// Whether all of it stands.
    pub decided: bool,
}

impl Store {
    /// Writes an intent down, flushed; its number.
    ///
    /// # Errors
    /// The store takes no bytes.
    pub fn open_intent(&self, intent: &[u8]) -> Result<i64, StoreError> {
        let process = self.process();
        let write = |connection: &Connection| {
            connection
                .prepare_cached(
                    "INSERT INTO journal (process, decided, intent) VALUES (?1, 0, ?2)",
                )?
                .execute(params![process, intent])?;
            Ok(connection.last_insert_rowid())
        };
        Ok(self
            .run(|connection| flushed(connection, || write(connection)))?
            .0)
    }

    /// Writes down, flushed, that all of it stands.
    ///
    /// # Errors
    /// The store takes no bytes.
    pub fn decide_intent(&self, id: i64) -> Result<(), StoreError> {
        let write = |connection: &Connection| {
            connection
                .prepare_cached("UPDATE journal SET decided = 1 WHERE id = ?1")?
                .execute([id])
        };
        self.run(|connection| flushed(connection, || write(connection)))?;
        Ok(())
    }

    /// Nothing is left to do.
    ///
    /// # Errors
    /// The store takes no bytes.
    pub fn close_intent(&self, id: i64) -> Result<(), StoreError> {
        self.run(|connection| {
            connection
                .prepare_cached("DELETE FROM journal WHERE id = ?1")?
                .execute([id])
        })?;
        Ok(())
    }

    /// The intents of processes that have ended, which this process has to itself from now on. Makes no database where
    /// there is none.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn left_intents(&self) -> Result<Vec<LeftIntent>, StoreError> {
        if !file_in(self.folder()).exists() {
            return Ok(Vec::new());
        }
        Ok(self
            .run(|connection| take_left(connection, self.process()))?
            .0)
    }

    /// Lets go of an intent of [`left_intents`](Self::left_intents): another process may take it.
    ///
    /// # Errors
    /// The store takes no bytes.
    pub fn let_go_intent(&self, id: i64) -> Result<(), StoreError> {
        self.run(|connection| {
            connection.execute("UPDATE journal SET process = '' WHERE id = ?1", [id])
        })?;
        Ok(())
    }
}

/// The one kind of row that a power cut must not take: flushed with its transaction, as other rows are not.
fn flushed<T>(
    connection: &Connection,
    write: impl FnOnce() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    let written = write();
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    written
}

fn take_left(connection: &mut Connection, own: &str) -> rusqlite::Result<Vec<LeftIntent>> {
    let is_empty: bool =
        connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM journal)", [], |row| {
            row.get(0)
        })?;
    if is_empty {
        return Ok(Vec::new());
    }
    let transaction = Writing::begin(connection)?;
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
        if !process::is_alive(&name) {
            transaction.execute(
                "UPDATE journal SET process = ?1 WHERE id = ?2",
                params![own, intent.id],
            )?;
            left.push(intent);
        }
    }
    transaction.commit()?;
    Ok(left)
}
