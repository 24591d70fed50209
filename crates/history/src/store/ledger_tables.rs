//! The tables of the ledgers, `sessions` and `ledger`: whether they are as expected, and the removal of old sessions.

use rusqlite::Connection;

use super::clock::now;

/// A session that was not used for this many seconds is removed.
const UNUSED: i64 = 30 * DAY;
pub(super) const DAY: i64 = 24 * 60 * 60;

/// The query for the rows of the table `ledger`, without its conditions.
pub(super) const ROWS: &str =
    "SELECT path, revision, size, stamp, seen, flags, wrote, numbers FROM ledger";

/// Fails if a table or column that the statements need is missing.
pub(super) fn check(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare("SELECT id, name, used, turn FROM sessions")?;
    connection.prepare(&format!(
        "{ROWS} WHERE session = 0 AND used = 0 AND writer = 0"
    ))?;
    Ok(())
}

/// Removes sessions that were not used for a month.
pub(super) fn prune(connection: &Connection) -> rusqlite::Result<()> {
    let before = now() - UNUSED;
    let any: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM sessions WHERE used < ?1)",
        [before],
        |row| row.get(0),
    )?;
    if any {
        connection.execute("DELETE FROM sessions WHERE used < ?1", [before])?;
    }
    Ok(())
}
