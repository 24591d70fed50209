//! A read-only check of the database, for `lancet doctor`.

use std::fs;
use std::io;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::HistoryError;
use super::error::{not_writable_error, store_error};
use super::files::{database_path, log_path};
use super::open::LOCK_PATIENCE;
use super::prune;
use super::schema::{MIGRATIONS, schema_version};

/// Counts and sizes of a sound database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreFacts {
    /// The number of sessions.
    pub sessions: u64,
    /// The bytes of records and contents in use: what pruning counts, and what the limit of the history is compared
    /// with.
    pub used: u64,
    /// The bytes on the disk: the database with its free pages and write-ahead log, and the content files.
    pub on_disk: u64,
    /// The number of operations.
    pub operations: u64,
    /// The number of contents that are not compressed yet.
    pub waiting: u64,
}

/// Examines the database in a state folder; none if there is no database yet. A damaged one is an error and is not
/// set aside.
///
/// # Errors
/// The database cannot be read, is damaged, or was made by a newer version of lancet.
pub fn examine_store(folder: &Path) -> Result<Option<StoreFacts>, HistoryError> {
    let file = database_path(folder);
    let bytes = match fs::metadata(&file) {
        Ok(found) => found.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(not_writable_error(&file, error)),
    };
    let failed = |error| store_error(&file, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&file, flags).map_err(failed)?;
    connection.busy_timeout(LOCK_PATIENCE).map_err(failed)?;
    let (found, known) = (
        schema_version(&connection).map_err(failed)?,
        MIGRATIONS.len() as i64,
    );
    if found > known {
        return Err(HistoryError::Newer {
            store: file.into(),
            found,
            known,
        });
    }
    let verdict: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(failed)?;
    if verdict != "ok" {
        return Err(HistoryError::Damaged {
            store: file.into(),
            reason: verdict,
        });
    }
    // A database of an older schema version lacks some tables. A content whose form is below 16 is not compressed
    // (`contents.rs`).
    let count = |since: i64, sql: &str| match found {
        _ if found < since => Ok(0),
        _ => connection
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .map(i64::unsigned_abs)
            .map_err(failed),
    };
    let log = fs::metadata(log_path(&file)).map_or(0, |log| log.len());
    let (used, files) = match found == known {
        true => {
            let files = prune::content_file_bytes(&connection).map_err(failed)?;
            (prune::database_size(&connection).map_err(failed)?, files)
        }
        false => (bytes + log, 0),
    };
    Ok(Some(StoreFacts {
        sessions: count(1, "SELECT count(*) FROM sessions")?,
        operations: count(2, "SELECT count(*) FROM operations")?,
        waiting: count(4, "SELECT count(*) FROM contents WHERE form < 16")?,
        used,
        on_disk: bytes + log + files,
    }))
}

/// Returns the times at which hooks of agents were last run, in a state folder: agent, event and time in seconds
/// since 1970. Empty if the database does not exist or cannot be read.
pub fn examine_hooks(folder: &Path) -> Vec<(String, String, i64)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let heard = || {
        let connection = Connection::open_with_flags(database_path(folder), flags)?;
        connection.busy_timeout(LOCK_PATIENCE)?;
        let mut statement = connection.prepare("SELECT agent, event, time FROM heard_hooks")?;
        let rows = statement.query_map([], |row| row.try_into())?;
        rows.collect::<rusqlite::Result<_>>()
    };
    heard().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LedgerStore, LoadCursor, SessionName, Store};

    #[test]
    fn examines_intact_store_and_creates_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state");
        assert_eq!(examine_store(&state).expect("examined"), None);
        assert!(!state.exists());
        let name = SessionName::new("talk").expect("a name");
        let store = Store::new(&state);
        let _ = store.load_rows(&name, LoadCursor::default()).expect("made");
        let facts = examine_store(&state).expect("sound").expect("there");
        assert_eq!(facts.sessions, 0);
        // The tables are still in the log, which counts.
        let file = fs::metadata(state.join("lancet.db")).expect("there").len();
        assert!(facts.on_disk > file, "{facts:?}");
        assert!(facts.used > 0 && facts.used < facts.on_disk, "{facts:?}");
    }

    #[test]
    fn reports_damaged_store_without_moving_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("lancet.db");
        let damaged = "no database at all, ".repeat(500);
        fs::write(&file, &damaged).expect("written");
        assert!(examine_store(folder.path()).is_err());
        assert_eq!(fs::read_to_string(&file).expect("there"), damaged);
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1);
    }
}
