//! Changes the paths of records: those of files that another program moved, and those of a root that was renamed.
//! Paths in the database are absolute, so that every query of the log, of an undo and of the review uses the present
//! name.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, ToSql, params};

use super::paths::{bounds_below, path_bytes, path_from_bytes};
use super::transaction::WriteTransaction;
use super::{HistoryError, Store, workspaces};
use crate::moves::{FormerRoot, HistoryPoint, MoveStore, RecordRename};
use crate::workspace::{KnownWorkspace, WorkspaceRef};

impl MoveStore for Store {
    fn current_point(&self) -> Result<HistoryPoint, HistoryError> {
        let (moment, _) = self.run_on_database(|connection| {
            let transaction = connection.transaction()?;
            let newest: Option<i64> = transaction
                .prepare_cached(
                    "SELECT sequence FROM operations WHERE id NOT IN (SELECT id FROM begun)
                     ORDER BY sequence DESC LIMIT 1",
                )?
                .query_row([], |row| row.get(0))
                .optional()?;
            let newest = newest.unwrap_or_default();
            let mut statement = transaction.prepare_cached("SELECT id FROM begun")?;
            let begun = statement.query_map([], |row| row.get(0))?;
            let begun = begun.collect::<rusqlite::Result<_>>()?;
            Ok(HistoryPoint { newest, begun })
        })?;
        Ok(moment)
    }

    fn paths_changed_since(&self, moment: &HistoryPoint) -> Result<HashSet<PathBuf>, HistoryError> {
        Ok(self
            .run_on_database(|connection| changed_since(connection, moment))?
            .0)
    }

    fn rename_records(
        &self,
        renames: &[RecordRename],
        since: &HistoryPoint,
    ) -> Result<(), HistoryError> {
        let ((), _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            // Every process announces a change before it writes, so operations that are not recorded here have
            // changed nothing yet.
            let changed = changed_since(&transaction, since)?;
            let is_same = |path: &PathBuf| !changed.contains(path);
            for rename in renames
                .iter()
                .filter(|rename| is_same(&rename.from) && is_same(&rename.to))
            {
                rename_record(&transaction, rename)?;
            }
            transaction.commit()
        })?;
        Ok(())
    }

    fn move_root(&self, from: &KnownWorkspace, to: &WorkspaceRef<'_>) -> Result<u64, HistoryError> {
        let (moved, _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let moved = move_root(&transaction, from, to)?;
            transaction.commit()?;
            Ok(moved)
        })?;
        Ok(moved)
    }

    fn former_roots(&self, id: &[u8; 32]) -> Result<Vec<FormerRoot>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT f.root, f.sequence FROM former_roots f JOIN workspaces w ON w.number = f.workspace
                 WHERE w.id = ?1 ORDER BY f.sequence DESC",
            )?;
            let rows = statement.query_map([id], |row| {
                Ok(FormerRoot {
                    root: path_from_bytes(&row.get::<_, Vec<u8>>(0)?),
                    newest: row.get(1)?,
                })
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(found)
    }

    fn other_roots(&self, path: &Path) -> Result<Vec<KnownWorkspace>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT id, root FROM workspaces WHERE root <> ?1")?;
            let rows = statement.query_map([path_bytes(path)], |row| {
                Ok(KnownWorkspace {
                    id: row.get(0)?,
                    root: path_from_bytes(&row.get::<_, Vec<u8>>(1)?),
                })
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(found)
    }
}

fn changed_since(
    connection: &Connection,
    moment: &HistoryPoint,
) -> rusqlite::Result<HashSet<PathBuf>> {
    let mut changed = HashSet::new();
    let mut gather = |statement: &str, value: &dyn ToSql| -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(statement)?;
        let mut rows = statement.query([value])?;
        while let Some(row) = rows.next()? {
            changed.insert(path_from_bytes(&row.get::<_, Vec<u8>>(0)?));
            changed.extend(
                row.get::<_, Option<Vec<u8>>>(1)?
                    .as_deref()
                    .map(path_from_bytes),
            );
        }
        Ok(())
    };
    gather(
        "SELECT f.path, f.moved_from FROM files f JOIN operations o ON o.id = f.operation
         WHERE o.sequence > ?1 OR o.id IN (SELECT id FROM begun)",
        &moment.newest,
    )?;
    for id in &moment.begun {
        let of_one = "SELECT path, moved_from FROM files WHERE operation = ?1";
        gather(of_one, id)?;
    }
    Ok(changed)
}

/// Changes the path of one record, unless another process has done so meanwhile.
fn rename_record(
    transaction: &WriteTransaction<'_>,
    rename: &RecordRename,
) -> rusqlite::Result<()> {
    let changed = transaction
        .prepare_cached(
            "UPDATE files SET path = ?4 WHERE operation = ?1 AND at = ?2 AND path = ?3",
        )?
        .execute(params![
            rename.operation,
            rename.at as i64,
            path_bytes(&rename.from),
            path_bytes(&rename.to)
        ])?;
    if changed > 0 {
        // The original name is preserved, however often the file is moved.
        transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO former_names (operation, file, path) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![
                rename.operation,
                rename.at as i64,
                path_bytes(&rename.from)
            ])?;
    }
    Ok(())
}

/// A column with paths of a root's files.
struct PathColumn {
    /// Reads operation, index of the file, and path.
    select: &'static str,
    /// Sets the path.
    update: &'static str,
}

/// The columns whose rows are found by an operation. Ledgers are left out: a session reads a file again under its new
/// name.
const PATH_COLUMNS: [PathColumn; 3] = [
    PathColumn {
        select: "SELECT operation, at, path FROM files WHERE workspace = ?1 AND path > ?2 AND path < ?3",
        update: "UPDATE files SET path = ?3 WHERE operation = ?1 AND at = ?2",
    },
    PathColumn {
        select: "SELECT operation, at, moved_from FROM files
                 WHERE workspace = ?1 AND moved_from > ?2 AND moved_from < ?3",
        update: "UPDATE files SET moved_from = ?3 WHERE operation = ?1 AND at = ?2",
    },
    PathColumn {
        select: "SELECT n.operation, n.file, n.path FROM former_names n
                 JOIN files f ON f.operation = n.operation AND f.at = n.file
                 WHERE f.workspace = ?1 AND n.path > ?2 AND n.path < ?3",
        update: "UPDATE former_names SET path = ?3 WHERE operation = ?1 AND file = ?2",
    },
];

fn move_root(
    transaction: &WriteTransaction<'_>,
    from: &KnownWorkspace,
    to: &WorkspaceRef<'_>,
) -> rusqlite::Result<u64> {
    let numbers = workspaces::find_workspace_numbers(transaction, &[from.id])?;
    let Some(old) = numbers.first().copied() else {
        return Ok(0);
    };
    let new = workspaces::workspace_number(transaction, to)?;
    let (operations, newest): (i64, Option<i64>) = transaction.query_row(
        "SELECT count(DISTINCT o.id), max(o.sequence) FROM files f JOIN operations o ON o.id = f.operation
         WHERE f.workspace = ?1",
        [old],
        |row| row.try_into(),
    )?;
    for column in &PATH_COLUMNS {
        move_paths(transaction, column, old, &from.root, to.root)?;
    }
    move_looks(transaction, old, &from.root, to.root)?;
    move_folders(transaction, old, &from.root, to.root)?;
    for statement in [
        "UPDATE files SET workspace = ?2 WHERE workspace = ?1",
        "UPDATE OR REPLACE looks SET workspace = ?2 WHERE workspace = ?1",
        "UPDATE OR IGNORE former_roots SET workspace = ?2 WHERE workspace = ?1",
        "UPDATE questions SET workspace = ?2 WHERE workspace = ?1",
        "UPDATE events SET workspace = ?2 WHERE workspace = ?1",
        "UPDATE open_sessions SET workspace = ?2 WHERE workspace = ?1",
    ] {
        transaction.execute(statement, params![old, new])?;
    }
    for statement in [
        "DELETE FROM former_roots WHERE workspace = ?1",
        "DELETE FROM workspaces WHERE number = ?1",
    ] {
        transaction.execute(statement, [old])?;
    }
    if let Some(newest) = newest {
        transaction.execute(
            "INSERT OR REPLACE INTO former_roots (workspace, root, sequence) VALUES (?1, ?2, ?3)",
            params![new, path_bytes(&from.root), newest],
        )?;
    }
    transaction.execute(
        "DELETE FROM former_roots WHERE workspace = ?1 AND root = ?2",
        params![new, path_bytes(to.root)],
    )?;
    Ok(operations.unsigned_abs())
}

fn move_paths(
    connection: &Connection,
    column: &PathColumn,
    workspace: i64,
    from: &Path,
    to: &Path,
) -> rusqlite::Result<()> {
    let (first, last) = bounds_below(from);
    let mut select = connection.prepare(column.select)?;
    let rows = select.query_map(params![workspace, first, last], |row| {
        let path: Vec<u8> = row.get(2)?;
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, path))
    })?;
    let rows: Vec<(String, i64, Vec<u8>)> = rows.collect::<rusqlite::Result<_>>()?;
    let mut update = connection.prepare(column.update)?;
    for (key, number, path) in rows {
        let path = moved_path(&path_from_bytes(&path), from, to);
        update.execute(params![key, number, path_bytes(&path)])?;
    }
    Ok(())
}

fn move_looks(
    connection: &Connection,
    workspace: i64,
    from: &Path,
    to: &Path,
) -> rusqlite::Result<()> {
    let mut select = connection.prepare("SELECT path FROM looks WHERE workspace = ?1")?;
    let rows = select.query_map([workspace], |row| row.get(0))?;
    let rows: Vec<Vec<u8>> = rows.collect::<rusqlite::Result<_>>()?;
    let mut update = connection
        .prepare("UPDATE OR REPLACE looks SET path = ?2 WHERE path = ?1 AND workspace = ?3")?;
    for path in rows {
        let present = moved_path(&path_from_bytes(&path), from, to);
        update.execute(params![path, path_bytes(&present), workspace])?;
    }
    Ok(())
}

/// Moves the folders that were created for files, which are stored as one list in each row.
fn move_folders(
    connection: &Connection,
    workspace: i64,
    from: &Path,
    to: &Path,
) -> rusqlite::Result<()> {
    let mut select = connection.prepare(
        "SELECT operation, at, folders FROM files WHERE workspace = ?1 AND folders <> x''",
    )?;
    let rows = select.query_map([workspace], |row| {
        let folders: Vec<u8> = row.get(2)?;
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, folders))
    })?;
    let rows: Vec<(String, i64, Vec<u8>)> = rows.collect::<rusqlite::Result<_>>()?;
    let mut update =
        connection.prepare("UPDATE files SET folders = ?3 WHERE operation = ?1 AND at = ?2")?;
    for (operation, at, folders) in rows {
        let mut changed = Vec::with_capacity(folders.len());
        for folder in folders
            .split(|byte| *byte == 0)
            .filter(|one| !one.is_empty())
        {
            changed.extend_from_slice(path_bytes(&moved_path(&path_from_bytes(folder), from, to)));
            changed.push(0);
        }
        update.execute(params![operation, at, changed])?;
    }
    Ok(())
}

/// Returns a path below one folder as the same path below another.
fn moved_path(path: &Path, from: &Path, to: &Path) -> PathBuf {
    match path.strip_prefix(from) {
        Ok(rest) => to.join(rest),
        Err(_) => path.to_path_buf(),
    }
}
