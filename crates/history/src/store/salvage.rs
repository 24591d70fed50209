//! Copies what can still be read of a damaged database into the new one: row by row, from both ends of each table.
//! Operations with a missing part are then removed, since undoing half an operation would be wrong.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, TransactionBehavior, params_from_iter};

use super::blobs;
use super::schema::{MIGRATIONS, schema_version};
use crate::entry::Revision;

/// The tables that are not copied, each with the reason. All others are: the list is read from the schema, so that a
/// new table is not forgotten.
const TABLES_NOT_COPIED: [(&str, &str); 2] = [
    (
        "first_look",
        "the new database has its one row, which is updated",
    ),
    (
        "removed_events",
        "the new database has its one row, which is set when events go on after a loss",
    ),
];
/// The time limit, since a tool call is waiting. Rows that are not copied by then stay in the file that was set aside.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// The number of rows between two checks of the time limit.
const ROWS_PER_TIME_CHECK: usize = 256;

/// Removes contents whose chain of deltas is broken, then operations with a missing content.
const REMOVE_INCOMPLETE: &str = "
    WITH RECURSIVE sound (id) AS (
        SELECT id FROM contents WHERE base IS NULL
        UNION SELECT c.id FROM contents c JOIN sound ON c.base = sound.id
    )
    DELETE FROM contents WHERE id NOT IN (SELECT id FROM sound);
    DELETE FROM operations WHERE id NOT IN (SELECT operation FROM files) OR id IN (
        SELECT operation FROM files
        WHERE (before IS NOT NULL AND before NOT IN (SELECT id FROM contents))
           OR (after IS NOT NULL AND after NOT IN (SELECT id FROM contents)));
    DELETE FROM begun WHERE id NOT IN (SELECT id FROM operations);
    DELETE FROM events WHERE operation NOT IN (SELECT id FROM operations);
    UPDATE questions SET workspace = NULL WHERE workspace NOT IN (SELECT number FROM workspaces);
    DELETE FROM taken_back WHERE operation NOT IN (SELECT id FROM operations);
    UPDATE checkpoint_files SET content = NULL WHERE content NOT IN (SELECT id FROM contents);
    DELETE FROM loose_contents WHERE content NOT IN (SELECT id FROM contents);
";

/// Copies what can be read of a damaged file; returns the number of operations, 0 if the file cannot be opened or has
/// another schema version.
pub(super) fn copy_from_damaged_file(from: &Path, to: &mut Connection) -> u64 {
    // SQLite would remove the log of an empty database, and the log may be all that is left to examine.
    if fs::metadata(from).is_ok_and(|found| found.len() == 0) {
        return 0;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(old) = Connection::open_with_flags(from, flags) else {
        return 0;
    };
    copy_from_damaged_database(&old, to)
}

/// Like `copy_from_damaged_file`, but for an open database: after its file was truncated or removed, the log and the
/// page cache may still have everything.
pub(super) fn copy_from_damaged_database(old: &Connection, to: &mut Connection) -> u64 {
    if schema_version(old) != Ok(MIGRATIONS.len() as i64) {
        return 0;
    }
    copy_all(old, to).unwrap_or(0)
}

fn copy_all(old: &Connection, to: &mut Connection) -> rusqlite::Result<u64> {
    let deadline = Instant::now() + TIME_LIMIT;
    let transaction = to.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // The row ids are copied, so the new database must have no rows yet.
    let is_new: bool = transaction.query_row(
        "SELECT NOT EXISTS (SELECT 1 FROM operations) AND NOT EXISTS (SELECT 1 FROM contents)
             AND NOT EXISTS (SELECT 1 FROM sessions)",
        [],
        |row| row.get(0),
    )?;
    if !is_new {
        return Ok(0);
    }
    // Rows with a broken reference are copied, too, and removed with their operation afterwards.
    transaction.execute_batch("PRAGMA defer_foreign_keys = ON")?;
    for (table, order) in copied_tables(&transaction)? {
        let backwards = order.replace(',', " DESC,") + " DESC";
        for order in [&order, &backwards] {
            // After an error in one direction, the rows from the other end may still be readable.
            if copy_table(old, &transaction, &table, order, deadline).is_ok() {
                break;
            }
        }
    }
    // The new database has a row here already, which would make everything that was copied count as not yet reviewed.
    let seen = old.query_row("SELECT sequence FROM first_look", [], |row| {
        row.get::<_, i64>(0)
    });
    if let Ok(seen) = seen {
        transaction.execute("UPDATE first_look SET sequence = ?1", [seen])?;
    }
    let operations = remove_incomplete_operations(&transaction)?;
    transaction.commit()?;
    Ok(operations)
}

/// Removes the operations whose content files are no longer in the state folder; returns the number of operations
/// left. A row without its file would count as stored, and the next change of the user's file could not be undone.
pub(super) fn remove_operations_without_files(
    to: &mut Connection,
    state: &Path,
) -> rusqlite::Result<u64> {
    let transaction = to.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let in_files: Vec<(i64, Revision)> = {
        let mut statement =
            transaction.prepare("SELECT id, revision FROM contents WHERE form & 15 = 1")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    for (id, revision) in in_files {
        if !blobs::content_path(state, &revision).exists() {
            transaction.execute("DELETE FROM contents WHERE id = ?1", [id])?;
        }
    }
    let operations = remove_incomplete_operations(&transaction)?;
    transaction.commit()?;
    Ok(operations)
}

/// Returns all tables of the schema.
pub(super) fn list_tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@'
             ORDER BY name",
        )?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// Returns the tables that are copied, with the columns of their primary keys.
fn copied_tables(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let mut copied = Vec::new();
    for table in list_tables(connection)? {
        if TABLES_NOT_COPIED.iter().any(|(name, _)| *name == table) {
            continue;
        }
        let keys: Vec<String> = connection
            .prepare("SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk")?
            .query_map([&table], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        copied.push((table, keys.join(", ")));
    }
    Ok(copied)
}

/// Removes the rows that refer to a row that could not be copied. No table that is referred to refers to another one.
fn remove_dangling_rows(transaction: &Connection) -> rusqlite::Result<()> {
    for table in list_tables(transaction)? {
        let references: Vec<(String, String, String)> = transaction
            .prepare("SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list(?1)")?
            .query_map([&table], |row| row.try_into())?
            .collect::<rusqlite::Result<_>>()?;
        for (column, other, key) in references {
            let strays =
                format!("DELETE FROM {table} WHERE {column} NOT IN (SELECT {key} FROM {other})");
            transaction.execute(&strays, [])?;
        }
    }
    Ok(())
}

fn remove_incomplete_operations(transaction: &Connection) -> rusqlite::Result<u64> {
    transaction.execute_batch(REMOVE_INCOMPLETE)?;
    remove_dangling_rows(transaction)?;
    let operations: i64 =
        transaction.query_row("SELECT count(*) FROM operations", [], |row| row.get(0))?;
    Ok(operations.unsigned_abs())
}

fn copy_table(
    old: &Connection,
    to: &Connection,
    table: &str,
    order: &str,
    deadline: Instant,
) -> rusqlite::Result<()> {
    let mut statement = old.prepare(&format!("SELECT * FROM {table} ORDER BY {order}"))?;
    let columns = statement.column_count();
    let marks = vec!["?"; columns].join(", ");
    let mut insert = to.prepare(&format!("INSERT OR IGNORE INTO {table} VALUES ({marks})"))?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += 1;
        if count % ROWS_PER_TIME_CHECK == 0 && Instant::now() >= deadline {
            break;
        }
        let values: rusqlite::Result<Vec<Value>> = (0..columns).map(|at| row.get(at)).collect();
        // A row that violates a constraint is not copied.
        let _ = insert.execute(params_from_iter(values?));
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::store::schema::apply_migrations;

    fn new_database() -> Connection {
        let mut connection = Connection::open_in_memory().expect("opens");
        apply_migrations(&mut connection, MIGRATIONS).expect("the current schema");
        connection
    }

    /// Inserts one row into a table. Every column that must refer to another row refers to the only row of its table.
    pub(in crate::store) fn insert_test_row(connection: &Connection, table: &str) {
        let columns: Vec<(String, String, bool)> = connection
            .prepare("SELECT name, type, \"notnull\" OR pk FROM pragma_table_info(?1)")
            .and_then(|mut query| query.query_map([table], |row| row.try_into())?.collect())
            .expect("columns");
        let needed = columns.iter().filter(|(_, _, is_needed)| *is_needed);
        let (names, values): (Vec<&str>, Vec<&str>) = needed
            .map(|(name, kind, _)| {
                let value = match kind.as_str() {
                    "INTEGER" => "1",
                    "TEXT" => "'x'",
                    _ => "x'01'",
                };
                (name.as_str(), value)
            })
            .unzip();
        let insert = format!(
            "INSERT OR IGNORE INTO {table} ({}) VALUES ({})",
            names.join(", "),
            values.join(", ")
        );
        connection.execute(&insert, []).expect("inserted");
    }

    pub(in crate::store) fn count_rows(connection: &Connection, table: &str) -> i64 {
        let sql = format!("SELECT count(*) FROM {table}");
        connection
            .query_row(&sql, [], |row| row.get(0))
            .expect("counted")
    }

    #[test]
    fn copies_every_table_except_listed_ones() {
        let old = new_database();
        old.execute_batch("PRAGMA foreign_keys = OFF").expect("set");
        let all = list_tables(&old).expect("listed");
        assert!(all.len() > 20, "{all:?}");
        for table in &all {
            insert_test_row(&old, table);
            assert_eq!(count_rows(&old, table), 1, "{table}");
        }
        let mut to = new_database();
        assert_eq!(copy_from_damaged_database(&old, &mut to), 1);
        for table in &all {
            let is_left_out = TABLES_NOT_COPIED.iter().any(|(name, _)| name == table);
            assert_eq!(
                count_rows(&to, table),
                1,
                "{table}, left out: {is_left_out}"
            );
        }
        for (table, reason) in TABLES_NOT_COPIED {
            assert!(all.iter().any(|name| name == table), "{table} is no table");
            assert!(reason.len() > 20, "{table}");
        }
    }

    #[test]
    fn keeps_open_questions() {
        let old = new_database();
        for table in ["questions", "question_files"] {
            insert_test_row(&old, table);
        }
        old.execute("UPDATE questions SET state = 0", [])
            .expect("open");
        let mut to = new_database();
        let _ = copy_from_damaged_database(&old, &mut to);
        assert_eq!(count_rows(&to, "questions WHERE state = 0"), 1);
        assert_eq!(count_rows(&to, "question_files"), 1);
    }
}
