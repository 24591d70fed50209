//! The chain of states of a file: what later operations found at a path.

use std::path::Path;

use rusqlite::{Connection, params};

use super::paths::bytes_of;
use crate::operation::{LaterState, Operation, OperationKind};

/// What the operations after this one found at a path, oldest first. A change that moved a file to the path found nothing
/// there.
pub(super) fn later_states(
    connection: &Connection,
    operation: &Operation,
    at: usize,
    path: &Path,
) -> rusqlite::Result<Vec<LaterState>> {
    let mut statement = connection.prepare_cached(
        "SELECT CASE WHEN f.moved_from IS NOT NULL AND f.path = ?1 THEN NULL ELSE b.revision END,
                f.before_mode, o.id NOT IN (SELECT id FROM begun)
         FROM files f JOIN operations o ON o.id = f.operation LEFT JOIN contents b ON b.id = f.before
         WHERE (f.path = ?1 OR f.moved_from = ?1) AND o.sequence > ?2 AND o.kind <> ?3
           AND f.workspace IS (SELECT workspace FROM files WHERE operation = ?4 AND at = ?5)
         ORDER BY o.sequence",
    )?;
    let rows = statement.query_map(
        params![
            bytes_of(path),
            operation.sequence,
            OperationKind::Late.number(),
            operation.id,
            at as i64
        ],
        |row| {
            Ok(LaterState {
                revision: row.get(0)?,
                mode: row.get(1)?,
                is_finished: row.get(2)?,
            })
        },
    )?;
    rows.collect()
}
