//! A transaction that takes the write lock when it begins. `BEGIN IMMEDIATE` and `COMMIT` are cached prepared
//! statements, so that they are not parsed at every call.

use std::ops::Deref;

use rusqlite::Connection;

use super::schema::{MIGRATIONS, NewerSchema};

/// An open write transaction. It is rolled back if it is dropped before [`WriteTransaction::commit`].
pub(super) struct WriteTransaction<'c>(&'c Connection);

impl<'c> WriteTransaction<'c> {
    /// Begins the transaction; fails with [`NewerSchema`] if a newer version of lancet has migrated the database. The
    /// mutable borrow prevents other statements on the connection.
    pub(super) fn begin(connection: &'c mut Connection) -> rusqlite::Result<Self> {
        let transaction = Self::lock(connection)?;
        transaction.check_version()?;
        Ok(transaction)
    }

    /// Begins the transaction without a check of the schema's version. The caller knows that nothing was committed since
    /// the last check, or checks it with [`WriteTransaction::check_version`].
    pub(super) fn lock(connection: &'c mut Connection) -> rusqlite::Result<Self> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        Ok(Self(connection))
    }

    /// Fails with [`NewerSchema`] if a newer version of lancet has migrated the database.
    pub(super) fn check_version(&self) -> rusqlite::Result<()> {
        // A newer version of lancet may have migrated the database while this process had it open. A write by the old
        // rules may be wrong by the new ones.
        let found: i64 = self
            .prepare_cached("PRAGMA user_version")?
            .query_row([], |row| row.get(0))?;
        if found > MIGRATIONS.len() as i64 {
            let newer = NewerSchema { found };
            return Err(rusqlite::Error::ToSqlConversionFailure(Box::new(newer)));
        }
        Ok(())
    }

    pub(super) fn commit(self) -> rusqlite::Result<()> {
        self.0.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    }
}

impl Drop for WriteTransaction<'_> {
    fn drop(&mut self) {
        // No rollback is needed after a commit, or after an error that has rolled back already.
        if !self.0.is_autocommit() {
            let _ = self.0.execute_batch("ROLLBACK");
        }
    }
}

impl Deref for WriteTransaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.0
    }
}
