//! The settings of a connection to the database: journal, durability, schema.

use std::time::Duration;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::schema::{MIGRATIONS, MigrateError, apply_migrations};
use super::{events, ledger_tables, log, recorded_calls, stops, workspaces};

/// The size in bytes to which the write-ahead log is truncated after a checkpoint.
const MAX_LOG_BYTES: i64 = 4 << 20;

/// The size in bytes of the pages of a new database. A change writes eleven pages to the log, each with a checksum over
/// all of it: with the usual 4,096 bytes a change took 13,000 instructions more, and twice the bytes.
const PAGE_SIZE: i64 = 2_048;

/// The number of prepared statements that are cached.
const CACHED_STATEMENTS: usize = 64;

/// Sets a new connection up: brings the schema up to date, checks that it is whole, and prunes old ledgers.
pub(super) fn prepare_connection(
    mut connection: Connection,
    patience: Duration,
) -> Result<Connection, MigrateError> {
    connection.busy_timeout(patience)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    // Both must be set before the first table is created; `auto_vacuum` allows freed pages to be returned in small steps.
    // Setting it again would be a write with its flushes, which took most of the time of a `lancet log`.
    if connection.pragma_query_value(None, "page_count", |row| row.get::<_, i64>(0))? == 0 {
        connection.pragma_update(None, "page_size", PAGE_SIZE)?;
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    let journal = connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    if journal != "wal" {
        // A file system without shared memory, such as a network one, cannot use WAL; this mode is slower and as safe.
        connection.pragma_update_and_check(None, "journal_mode", "TRUNCATE", |row| {
            row.get::<_, String>(0)
        })?;
    }
    // By default the last connection to close checkpoints the log, with two flushes, and the next one begins a new
    // log with two more. Instead the log stays, and is checkpointed after compression (compress.rs) or at its
    // thousandth page.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update_and_check(None, "journal_size_limit", MAX_LOG_BYTES, |_| Ok(()))?;
    // Without this, SQLite prepares a statement again whenever a parameter that was compared with the condition of a
    // partial index gets another value. An undo over sixty changes did that 185 times, once for each record it read.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // The log is not flushed at each commit: after a power cut the last rows may be missing, and hashes still decide
    // what is true.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // A confined process may have no folder for SQLite's temporary files.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    apply_migrations(&mut connection, MIGRATIONS)?;
    ledger_tables::register_sql_functions(&connection)?;
    ledger_tables::check_tables(&connection)?;
    log::check_tables(&connection)?;
    workspaces::check_columns(&connection)?;
    events::check_columns(&connection)?;
    stops::check_tables(&connection)?;
    recorded_calls::check_columns(&connection)?;
    ledger_tables::prune_sessions(&connection)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use rusqlite::OpenFlags;

    use super::*;
    use crate::store::files::database_path;
    use crate::store::open::LOCK_PATIENCE;

    /// Opens a database as on a file system on which SQLite cannot share memory, such as some network file systems:
    /// it locks by files next to the database.
    fn open_without_shared_memory(file: &Path) -> Connection {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let opened = Connection::open_with_flags_and_vfs(file, flags, c"unix-dotfile");
        prepare_connection(opened.expect("opens"), LOCK_PATIENCE)
            .unwrap_or_else(|_| panic!("prepared"))
    }

    #[test]
    fn uses_rollback_journal_without_shared_memory() {
        let folder = tempfile::TempDir::new().expect("folder");
        let file = database_path(folder.path());
        for time in 0..3 {
            let mut connection = open_without_shared_memory(&file);
            let mode: String = connection
                .pragma_query_value(None, "journal_mode", |row| row.get(0))
                .expect("asked");
            assert_eq!(mode, "truncate");
            let insert = "INSERT INTO sessions (name, used, turn) VALUES (?1, unixepoch(), 0)";
            // A transaction that is not committed leaves nothing; a committed one stays.
            let given_up = connection.transaction().expect("begun");
            given_up
                .execute(insert, [format!("given up {time}")])
                .expect("inserted");
            drop(given_up);
            connection
                .execute(insert, [format!("kept {time}")])
                .expect("inserted");
            let left = fs::read_dir(folder.path()).expect("listed").flatten();
            let names: Vec<_> = left.map(|entry| entry.file_name()).collect();
            assert!(
                !names
                    .iter()
                    .any(|name| name.to_string_lossy().ends_with("-wal")),
                "{names:?}"
            );
        }
        let connection = open_without_shared_memory(&file);
        let mut names = connection
            .prepare("SELECT name FROM sessions ORDER BY name")
            .expect("prepared");
        let names = names.query_map([], |row| row.get(0)).expect("asked");
        let names: Vec<String> = names.collect::<rusqlite::Result<_>>().expect("read");
        assert_eq!(names, ["kept 0", "kept 1", "kept 2"]);
    }
}
