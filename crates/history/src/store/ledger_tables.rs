//! The tables of the ledgers, `sessions` and `ledger`: whether they are as expected, the function that their
//! statements need, and the removal of old sessions.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

use super::clock::now;
use crate::seen::SeenRanges;

/// A session that was not used for this many seconds is removed.
const UNUSED_SESSION_AGE: i64 = 30 * DAY_SECONDS;
pub(super) const DAY_SECONDS: i64 = 24 * 60 * 60;

/// The query for the rows of the table `ledger`, without its conditions.
pub(super) const SELECT_LEDGER_ROWS: &str =
    "SELECT path, revision, size, stamp, seen, flags, wrote, numbers FROM ledger";

/// Fails if a table or column that the statements need is missing.
pub(super) fn check_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare("SELECT id, name, used, turn FROM sessions")?;
    connection.prepare(&format!(
        "{SELECT_LEDGER_ROWS} WHERE session = 0 AND used = 0 AND writer = 0"
    ))?;
    Ok(())
}

/// Makes the function `merge_seen(stored, new)` known to a connection: the ranges of both, or the new ones where the
/// stored ones cannot be decoded.
pub(super) fn register_sql_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("merge_seen", 2, flags, |arguments| {
        let stored = arguments.get_raw(0).as_blob()?;
        let new = arguments.get_raw(1).as_blob()?;
        Ok(
            match (SeenRanges::decode(stored), SeenRanges::decode(new)) {
                (Some(mut seen), Some(new)) => {
                    seen.add_all(&new);
                    seen.encode()
                }
                _ => new.to_vec(),
            },
        )
    })
}

/// Removes sessions that were not used for a month.
pub(super) fn prune_sessions(connection: &Connection) -> rusqlite::Result<()> {
    let before = now() - UNUSED_SESSION_AGE;
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
