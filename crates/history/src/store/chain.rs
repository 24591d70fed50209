//! The chain of states of a file: what later operations found at a path, and what other operations made of the same
//! state.

use std::path::Path;

use rusqlite::{Connection, params};

use super::paths::path_bytes;
use crate::operation::{LaterState, Operation, OperationKind, RivalState};

/// Returns the states that the operations after this one found at a path, oldest first. A change that moved a file to
/// the path found no file there.
pub(super) fn find_later_states(
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
            path_bytes(path),
            operation.sequence,
            OperationKind::Late.database_number(),
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

/// Returns the states that other operations, not undone since, made of the content that this one found at a path.
pub(super) fn find_rival_states(
    connection: &Connection,
    operation: &Operation,
    at: usize,
    path: &Path,
) -> rusqlite::Result<Vec<RivalState>> {
    // At a path that a file was moved to there was no file before; at the path that it was moved from there is none
    // after. Two operations found the same state if it has the same row of `contents`, or no row in both cases.
    let mut statement = connection.prepare_cached(
        "WITH at_path AS (
             SELECT f.operation, o.sequence, f.undone,
                 CASE WHEN f.moved_from IS NOT NULL AND f.path = ?1 THEN NULL ELSE f.before END AS before,
                 CASE WHEN f.moved_from = ?1 THEN NULL ELSE f.after END AS after
             FROM files f JOIN operations o ON o.id = f.operation
             WHERE (f.path = ?1 OR f.moved_from = ?1) AND o.kind <> ?2
               AND f.workspace IS (SELECT workspace FROM files WHERE operation = ?3 AND at = ?4))
         SELECT c.revision, EXISTS (
                 SELECT 1 FROM at_path l WHERE l.sequence > r.sequence AND l.before IS r.after)
         FROM at_path own JOIN at_path r ON r.before IS own.before AND r.operation <> own.operation
             LEFT JOIN contents c ON c.id = r.after
         WHERE own.operation = ?3 AND r.undone IS NULL AND r.after IS NOT own.before",
    )?;
    let rows = statement.query_map(
        params![
            path_bytes(path),
            OperationKind::Late.database_number(),
            operation.id,
            at as i64
        ],
        |row| {
            Ok(RivalState {
                revision: row.get(0)?,
                is_followed: row.get(1)?,
            })
        },
    )?;
    rows.collect()
}
