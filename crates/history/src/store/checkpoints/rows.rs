//! Reads checkpoints and their entries from rows of the database.

use std::path::Path;

use lancet_local_state::process;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use crate::checkpoint::{
    Checkpoint, CheckpointEntry, CheckpointEntryKind, CheckpointKind, CheckpointQuery,
    ContentIdentity,
};
use crate::git_head::GitHead;
use crate::stamp::StampRecord;
use crate::store::log::enum_from_column;
use crate::store::paths::path_from_bytes;
use crate::workspace::KnownWorkspace;

/// The largest number of checkpoints that one query returns.
const MAX_CHECKPOINTS: usize = 1_000;

/// Reads an entry from a row of `SELECT_ENTRIES`.
pub(super) fn checkpoint_entry_from_row(row: &Row<'_>) -> rusqlite::Result<CheckpointEntry> {
    let identity: Option<Vec<u8>> = row.get(4)?;
    let identity = identity.unwrap_or_default();
    let stamp: Vec<u8> = row.get(6)?;
    Ok(CheckpointEntry {
        name: row.get(0)?,
        kind: enum_from_column(CheckpointEntryKind::from_number, row, 1)?,
        mode: row.get(2)?,
        size: row.get::<_, i64>(3)? as u64,
        identity: match (
            identity.as_slice().try_into(),
            identity.as_slice().try_into(),
        ) {
            (Ok(revision), _) => ContentIdentity::Revision(revision),
            (_, Ok(blob)) => ContentIdentity::Blob(blob),
            _ => ContentIdentity::Unknown,
        },
        link: row.get(5)?,
        stamp: StampRecord::decode(&stamp).unwrap_or_default(),
    })
}

/// Returns the checkpoints that match a query, newest first.
pub(super) fn checkpoints(
    connection: &Connection,
    state: &Path,
    query: &CheckpointQuery,
) -> rusqlite::Result<Vec<Checkpoint>> {
    let mut values: Vec<Value> = Vec::new();
    let mut sql = "SELECT c.number, c.id, c.time, c.kind, c.name, c.session, c.sequence, c.files, w.id, w.root, c.process, c.head
         FROM checkpoints c JOIN workspaces w ON w.number = c.workspace WHERE 1"
        .to_owned();
    if let Some(workspace) = query.workspace {
        sql.push_str(" AND w.id = ?");
        values.push(Value::Blob(workspace.to_vec()));
    }
    if let Some(called) = &query.called {
        sql.push_str(" AND (c.name = ? OR c.id = ?)");
        values.extend([called.clone(), called.clone()].map(Value::Text));
    }
    if let Some(number) = query.number {
        sql.push_str(" AND c.number = ?");
        values.push(Value::Integer(number));
    }
    let most = query.limit.unwrap_or(MAX_CHECKPOINTS).min(MAX_CHECKPOINTS);
    sql.push_str(&format!(" ORDER BY c.number DESC LIMIT {most}"));
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(Checkpoint {
            number: row.get(0)?,
            id: row.get(1)?,
            time: row.get(2)?,
            kind: enum_from_column(CheckpointKind::from_number, row, 3)?,
            name: row.get(4)?,
            session: row.get(5)?,
            sequence: row.get(6)?,
            files: row.get::<_, i64>(7)? as u64,
            workspace: KnownWorkspace {
                id: row.get(8)?,
                root: path_from_bytes(&row.get::<_, Vec<u8>>(9)?),
            },
            head: row
                .get::<_, Option<String>>(11)?
                .map(|head| GitHead::decode(&head)),
            is_left_open: row
                .get::<_, Option<String>>(10)?
                .is_some_and(|process| !process::is_alive(state, &process)),
        })
    })?;
    rows.collect()
}
