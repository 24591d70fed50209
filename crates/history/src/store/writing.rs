//! A transaction that has the right to write from its beginning. Its first and its last word are prepared once and not
//! parsed anew at every call: the parser is much code for two words, and cold by then.

use std::ops::Deref;

use rusqlite::Connection;

/// A transaction under way. Dropped before [`Writing::commit`], it leaves nothing behind.
pub(super) struct Writing<'c>(&'c Connection);

impl<'c> Writing<'c> {
    /// Takes the connection for itself, so that nothing else gets into the transaction.
    pub(super) fn begin(connection: &'c mut Connection) -> rusqlite::Result<Self> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        Ok(Self(connection))
    }

    pub(super) fn commit(self) -> rusqlite::Result<()> {
        self.0.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        // Not after a commit, nor after a failure that has rolled it back already.
        if !self.0.is_autocommit() {
            let _ = self.0.execute_batch("ROLLBACK");
        }
    }
}

impl Deref for Writing<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.0
    }
}
