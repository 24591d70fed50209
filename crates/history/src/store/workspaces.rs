//! The table `workspaces`: the roots that files were recorded with, by a small number.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::paths::{bounds_below, path_bytes, path_from_bytes};
use super::transaction::WriteTransaction;
use crate::workspace::{KnownWorkspace, WorkspaceRef};

/// Returns the number of a root; a new root gets one.
pub(super) fn workspace_number(
    transaction: &WriteTransaction<'_>,
    workspace: &WorkspaceRef<'_>,
) -> rusqlite::Result<i64> {
    if let Some(number) = find_workspace(transaction, &workspace.id)? {
        return Ok(number);
    }
    transaction
        .prepare_cached("INSERT INTO workspaces (id, root) VALUES (?1, ?2)")?
        .execute(params![workspace.id, path_bytes(workspace.root)])?;
    Ok(transaction.last_insert_rowid())
}

fn find_workspace(connection: &Connection, id: &[u8; 32]) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT number FROM workspaces WHERE id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()
}

/// Returns the numbers of these roots, those that have one.
pub(super) fn find_workspace_numbers(
    connection: &Connection,
    ids: &[[u8; 32]],
) -> rusqlite::Result<Vec<i64>> {
    let numbers = ids
        .iter()
        .filter_map(|id| find_workspace(connection, id).transpose());
    numbers.collect()
}

/// Returns the condition that a row of `files` was recorded with one of these roots.
pub(super) fn recorded_with_condition(alias: &str, roots: &[i64]) -> String {
    let list: Vec<String> = roots.iter().map(i64::to_string).collect();
    format!("coalesce({alias}.workspace IN ({}), 0)", list.join(", "))
}

/// Returns the known roots at, below or above one of these folders.
pub(super) fn workspaces_near(
    connection: &Connection,
    folders: &[PathBuf],
) -> rusqlite::Result<Vec<KnownWorkspace>> {
    let mut found: Vec<KnownWorkspace> = Vec::new();
    let mut add = |sql: &str, from: &[u8], to: &[u8]| -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![from, to])?;
        while let Some(row) = rows.next()? {
            let known = KnownWorkspace {
                id: row.get(0)?,
                root: path_from_bytes(&row.get::<_, Vec<u8>>(1)?),
            };
            if !found.contains(&known) {
                found.push(known);
            }
        }
        Ok(())
    };
    for folder in folders {
        let (from, to) = bounds_below(folder);
        add(
            "SELECT id, root FROM workspaces WHERE root > ?1 AND root < ?2",
            &from,
            &to,
        )?;
        for above in folder.ancestors().map(Path::as_os_str) {
            let above = path_bytes(Path::new(above));
            add(
                "SELECT id, root FROM workspaces WHERE root = ?1 AND root = ?2",
                above,
                above,
            )?;
        }
    }
    Ok(found)
}

/// Fails if a column that the statements need is missing.
pub(super) fn check_columns(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare("SELECT number, id, root FROM workspaces")?;
    connection.prepare("SELECT workspace FROM files WHERE operation = ''")?;
    Ok(())
}
