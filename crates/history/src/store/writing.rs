//! A transaction that has the right to write from its beginning, for what every call does: its first and its last word are
//! prepared once and not parsed anew (an Edit of 10 KB: 8,000 instructions less, and none of the parser's code).

use std::ops::Deref;

use rusqlite::Connection;

/// A transaction under way. Dropped before [`Writing::commit`], it leaves nothing behind.
pub(super) struct Writing<'c> {
    connection: &'c Connection,
    is_open: bool,
}

impl<'c> Writing<'c> {
    /// Takes the connection for itself, so that nothing else gets into the transaction.
    pub(super) fn begin(connection: &'c mut Connection) -> rusqlite::Result<Self> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        Ok(Self {
            connection,
            is_open: true,
        })
    }

    pub(super) fn commit(mut self) -> rusqlite::Result<()> {
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        self.is_open = false;
        Ok(())
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        // Some failures have rolled it back already.
        if self.is_open && !self.connection.is_autocommit() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

impl Deref for Writing<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}
