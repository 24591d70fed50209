//! The table `comments`: the user's comments that are to be delivered to a session.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};

use super::clock::now_in_milliseconds;
use super::log::enum_from_column;
use super::paths::{bounds_below, path_bytes, path_from_bytes};
use super::transaction::WriteTransaction;
use crate::review::{
    Comment, CommentDraft, CommentKind, CommentQuery, DeliveredWith, MAX_WAITING_COMMENTS,
};

/// Comments are removed after this many milliseconds: thirty days.
const COMMENT_RETENTION: i64 = 30 * 24 * 60 * 60 * 1_000;
/// The largest number of comments that one query returns.
const MAX_COMMENTS: usize = 1_000;
/// The query for comments, without its conditions.
const SELECT_COMMENTS: &str =
    "SELECT c.id, c.kind, c.time, c.session, c.path, c.first, c.last, c.revision, c.words,
                           c.operation, c.delivered, c.way FROM comments c";

/// Adds a comment and returns its number; none if too many wait for the session.
pub(super) fn insert_comment(
    transaction: &WriteTransaction<'_>,
    draft: &CommentDraft<'_>,
) -> rusqlite::Result<Option<i64>> {
    prune_comments(transaction)?;
    let waiting: i64 = transaction
        .prepare_cached("SELECT count(*) FROM comments WHERE session = ?1 AND delivered IS NULL")?
        .query_row([draft.session], |row| row.get(0))?;
    if waiting >= MAX_WAITING_COMMENTS as i64 {
        return Ok(None);
    }
    transaction
        .prepare_cached(
            "INSERT INTO comments (kind, time, session, path, first, last, revision, words, operation)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            draft.kind.database_number(),
            now_in_milliseconds(),
            draft.session,
            path_bytes(draft.path),
            draft.first as i64,
            draft.last as i64,
            draft.revision,
            draft.words,
            draft.operation
        ])?;
    Ok(Some(transaction.last_insert_rowid()))
}

pub(super) fn list_comments(
    connection: &Connection,
    query: &CommentQuery,
) -> rusqlite::Result<Vec<Comment>> {
    let mut sql = format!("{SELECT_COMMENTS} WHERE 1");
    let mut values = Vec::new();
    if let Some(session) = &query.session {
        sql.push_str(" AND c.session = ?");
        values.push(Value::Text(session.clone()));
    }
    if query.waiting {
        sql.push_str(" AND c.delivered IS NULL");
    }
    if !query.below.is_empty() {
        let one = vec!["(c.path > ? AND c.path < ?)"; query.below.len()].join(" OR ");
        sql.push_str(&format!(" AND ({one})"));
        for folder in &query.below {
            let (from, to) = bounds_below(folder);
            values.extend([Value::Blob(from), Value::Blob(to)]);
        }
    }
    let most = query.limit.unwrap_or(MAX_COMMENTS).min(MAX_COMMENTS);
    sql.push_str(&format!(" ORDER BY c.id DESC LIMIT {most}"));
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), comment_from_row)?;
    rows.collect()
}

/// Returns the comments that wait for a session, oldest first.
pub(super) fn waiting_comments(
    connection: &Connection,
    session: &str,
) -> rusqlite::Result<Vec<Comment>> {
    let mut statement = connection.prepare_cached(&format!(
        "{SELECT_COMMENTS} WHERE c.session = ?1 AND c.delivered IS NULL
             AND NOT EXISTS (SELECT 1 FROM files f WHERE f.operation = c.operation AND f.undone IS NOT NULL)"
    ))?;
    let rows = statement.query_map([session], comment_from_row)?;
    let mut waiting = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    // With ORDER BY, SQLite prepares the statement again at every answer: 196,000 of the 637,000 instructions of an
    // Edit.
    waiting.sort_by_key(|comment| comment.id);
    Ok(waiting)
}

/// Marks a comment as delivered and returns it; none if that was done already.
pub(super) fn mark_delivered(
    transaction: &WriteTransaction<'_>,
    id: i64,
    with: DeliveredWith,
) -> rusqlite::Result<Option<Comment>> {
    let changed = transaction
        .prepare_cached(
            "UPDATE comments SET delivered = ?2, way = ?3 WHERE id = ?1 AND delivered IS NULL",
        )?
        .execute(params![id, now_in_milliseconds(), with.database_number()])?;
    if changed == 0 {
        return Ok(None);
    }
    transaction
        .prepare_cached(&format!("{SELECT_COMMENTS} WHERE c.id = ?1"))?
        .query_row([id], comment_from_row)
        .map(Some)
}

pub(super) fn withdraw_comment(connection: &Connection, id: i64) -> rusqlite::Result<bool> {
    let changed = connection
        .prepare_cached("DELETE FROM comments WHERE id = ?1 AND delivered IS NULL")?
        .execute([id])?;
    Ok(changed == 1)
}

/// Removes the comments that are too old.
pub(super) fn prune_comments(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM comments WHERE time < ?1")?
        .execute([now_in_milliseconds() - COMMENT_RETENTION])?;
    Ok(())
}

fn comment_from_row(row: &Row<'_>) -> rusqlite::Result<Comment> {
    let delivered: Option<i64> = row.get(10)?;
    let way: Option<i64> = row.get(11)?;
    Ok(Comment {
        id: row.get(0)?,
        kind: enum_from_column(CommentKind::from_number, row, 1)?,
        time: row.get(2)?,
        session: row.get(3)?,
        path: path_from_bytes(&row.get::<_, Vec<u8>>(4)?),
        first: row.get::<_, i64>(5)?.unsigned_abs(),
        last: row.get::<_, i64>(6)?.unsigned_abs(),
        revision: row.get(7)?,
        words: row.get(8)?,
        operation: row.get(9)?,
        delivered: delivered.map(|time| (time, DeliveredWith::from_number(way.unwrap_or(0)))),
    })
}
