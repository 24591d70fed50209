//! Queries of operations: the log with its filters, one operation by its full id, and the changes that an operation
//! reverses.

use std::path::PathBuf;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::paths::{bounds_below, path_bytes, path_from_bytes};
use super::sql_filter::SqlFilter;
use super::{log_search, looks, recorded_calls, workspaces};
use crate::operation::{
    CallerFilter, ChangeKind, FileChange, FilesBelow, LogQuery, Operation, OperationKind,
    OperationState, ParentFilter, RecordedState, ReversalDirection, ReversedChange,
    UNATTRIBUTED_TOOL, WATCHED_CLIENT,
};
use crate::workspace::KnownWorkspace;

/// The sessions of a tree, as a subquery: the one of the parameter, and its sub-agents and theirs.
const SELECT_SESSION_TREE: &str = "(WITH RECURSIVE tree (session) AS (
        SELECT ? UNION SELECT a.session FROM sub_agents a JOIN tree ON a.parent = tree.session)
    SELECT session FROM tree)";

const SELECT_OPERATIONS: &str =
    "SELECT o.id, o.time, o.kind, o.state, o.session, o.client, o.version, o.turn, o.call, o.tool,
    o.rungs, o.approved, o.sequence, o.parent FROM operations o";
/// The largest number of operations that one query returns.
const MAX_OPERATIONS: usize = 1_000_000;

/// Fails if a table or column that the statements need is missing.
pub(super) fn check_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .prepare_cached("SELECT id, revision, form, base, data FROM contents WHERE id = ?1")?;
    connection.prepare_cached("DELETE FROM begun WHERE id = ?1")?;
    connection.prepare(&format!("{SELECT_OPERATIONS} WHERE o.id = ?1"))?;
    connection
        .prepare("SELECT path, kind, before, after, undone FROM files WHERE operation = ''")?;
    connection.prepare("SELECT file, earlier, at FROM taken_back WHERE operation = ''")?;
    connection.prepare("SELECT file FROM parted WHERE operation = ''")?;
    connection.prepare("SELECT id, session, time, sequence, prompt FROM marks")?;
    connection.prepare("SELECT process, session, time, turn FROM agent_processes")?;
    connection
        .prepare("SELECT session, parent, kind, time, process, running, beside FROM sub_agents")?;
    connection.prepare("SELECT id, key, session, several, time FROM announced_calls")?;
    connection.prepare("SELECT agent, event, time FROM heard_hooks")?;
    looks::check_columns(connection)
}

/// Returns the operations that match a query, newest first.
pub(super) fn query_log(
    connection: &Connection,
    query: &LogQuery,
) -> rusqlite::Result<Vec<Operation>> {
    let mut filter = SqlFilter::default();
    filter.add("o.id NOT IN (SELECT id FROM begun)", []);
    if let Some(session) = &query.session {
        filter.add("o.session = ?", [Value::Text(session.clone())]);
    }
    if let Some(session) = &query.tree {
        let condition = format!("o.session IN {}", SELECT_SESSION_TREE);
        filter.add(&condition, [Value::Text(session.clone())]);
    }
    add_caller_condition(&mut filter, query);
    if let Some(turn) = &query.turn {
        filter.add("o.turn = ?", [Value::Text(turn.clone())]);
    }
    add_period_condition(&mut filter, query);
    if let Some(words) = query.words.as_deref().filter(|words| !words.is_empty()) {
        let (condition, values) = log_search::search_condition(connection, words)?;
        filter.add(&condition, values);
    }
    if let Some(path) = &query.path {
        let (path, from, to) = (
            path_bytes(path).to_vec(),
            bounds_below(path).0,
            bounds_below(path).1,
        );
        filter.add(
            "o.id IN (SELECT operation FROM files WHERE path = ? OR (path > ? AND path < ?)
                OR moved_from = ? OR (moved_from > ? AND moved_from < ?))",
            [path.clone(), from.clone(), to.clone(), path, from, to].map(Value::Blob),
        );
    }
    match &query.parentage {
        Some(ParentFilter::Of(parent)) => filter.add("o.parent = ?", [Value::Text(parent.clone())]),
        Some(ParentFilter::None) => filter.add(
            "(o.parent IS NULL OR o.parent NOT IN (SELECT id FROM operations))",
            [],
        ),
        None => {}
    }
    if query.moves_head {
        let condition = "o.id IN (SELECT operation FROM recorded_calls WHERE head_to IS NOT NULL)";
        filter.add(condition, []);
    }
    if query.without_files {
        let condition = "o.id IN (SELECT operation FROM recorded_calls)
             AND NOT EXISTS (SELECT 1 FROM files f WHERE f.operation = o.id)";
        filter.add(condition, []);
    }
    match query.files_below {
        FilesBelow::All => filter.restrict_to_folders(&query.below),
        FilesBelow::Any => filter.require_file_below(&query.below),
    }
    let others = workspaces::find_workspace_numbers(connection, &query.without)?;
    filter.exclude_roots(&others);
    add_reversible_condition(&mut filter, query, &others);
    let most = query.limit.unwrap_or(MAX_OPERATIONS).min(MAX_OPERATIONS);
    let sql = format!(
        "{SELECT_OPERATIONS} WHERE {} ORDER BY o.sequence DESC LIMIT {most}",
        filter.sql
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(filter.values))?;
    let mut operations = Vec::new();
    while let Some(row) = rows.next()? {
        operations.push(operation_from_row(connection, row)?);
    }
    Ok(operations)
}

/// Adds the conditions on the client that made the operations, and on whether it is known.
fn add_caller_condition(filter: &mut SqlFilter, query: &LogQuery) {
    if let Some(client) = &query.client {
        let condition = match query.reversible {
            // The client filter applies to the client whose changes the undo reversed, not to the one that made the
            // undo.
            Some(ReversalDirection::Redoable) => {
                "EXISTS (SELECT 1 FROM taken_back t JOIN operations e ON e.id = t.earlier
                    WHERE t.operation = o.id AND e.client = ?)"
            }
            Some(ReversalDirection::Undoable | ReversalDirection::UndoableOrRedone) | None => {
                "o.client = ?"
            }
        };
        filter.add(condition, [Value::Text(client.clone())]);
    }
    if query.callers == CallerFilter::Known {
        let (tool, client) = (UNATTRIBUTED_TOOL.to_owned(), WATCHED_CLIENT.to_owned());
        filter.add(
            "o.tool <> ? AND (o.client IS NULL OR o.client <> ?)",
            [tool, client].map(Value::Text),
        );
    }
}

/// Adds the conditions on when the operations were recorded: by the clock, and by the order of recording.
fn add_period_condition(filter: &mut SqlFilter, query: &LogQuery) {
    if let Some(since) = query.since {
        filter.add("o.time >= ?", [Value::Integer(since)]);
    }
    if let Some(until) = query.until {
        filter.add("o.time <= ?", [Value::Integer(until)]);
    }
    if let Some(before) = query.before_sequence {
        filter.add("o.sequence < ?", [Value::Integer(before)]);
    }
    if let Some(after) = query.after {
        filter.add("o.sequence > ?", [Value::Integer(after)]);
    }
    if let Some(before) = &query.before {
        filter.add(
            "o.sequence < (SELECT sequence FROM operations WHERE id = ?)",
            [Value::Text(before.clone())],
        );
    }
}

/// Adds the condition that a change can be undone or redone.
fn add_reversible_condition(filter: &mut SqlFilter, query: &LogQuery, others: &[i64]) {
    match query.reversible {
        Some(ReversalDirection::Undoable) => filter.add(
            "o.kind = 0 AND EXISTS (SELECT 1 FROM files f WHERE f.operation = o.id AND f.undone IS NULL)",
            [],
        ),
        Some(ReversalDirection::UndoableOrRedone) => filter.add(
            // A redo counts as long as a part of what it restored has not been undone separately.
            "EXISTS (SELECT 1 FROM files f WHERE f.operation = o.id AND f.undone IS NULL)
             AND (o.kind = 0 OR (o.kind = 2 AND EXISTS (SELECT 1 FROM taken_back r
                 JOIN taken_back u ON u.operation = r.earlier AND u.file = r.at
                 JOIN files x ON x.operation = u.earlier AND x.at = u.at AND x.undone IS NULL
                 WHERE r.operation = o.id)))",
            [],
        ),
        Some(ReversalDirection::Redoable) => filter.add(
            // A later change of the same file makes the undo impossible to redo.
            &format!(
                "o.kind = 1 AND EXISTS (SELECT 1 FROM files f WHERE f.operation = o.id AND f.undone IS NULL)
                 AND NOT EXISTS (SELECT 1 FROM files f JOIN files later
                     ON later.path IN (f.path, f.moved_from) OR later.moved_from IN (f.path, f.moved_from)
                     JOIN operations l ON l.id = later.operation AND l.kind = 0 AND l.sequence > o.sequence
                     WHERE f.operation = o.id AND NOT {})",
                workspaces::recorded_with_condition("later", others)
            ),
            [],
        ),
        None => {}
    }
}

/// Returns the operation of this id, announced or finished.
pub(super) fn find_operation(
    connection: &Connection,
    id: &str,
) -> rusqlite::Result<Option<Operation>> {
    let mut found = connection
        .prepare_cached(&format!("{SELECT_OPERATIONS} WHERE o.id = ?1"))?
        .query_row([id], |row| operation_from_row(connection, row))
        .optional()?;
    if let Some(found) = &mut found {
        let begun: bool = connection
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM begun WHERE id = ?1)")?
            .query_row([id], |row| row.get(0))?;
        if begun {
            found.state = OperationState::Begun;
        }
    }
    Ok(found)
}

/// Returns the file changes that an operation reverses.
pub(super) fn reversed_changes(
    connection: &Connection,
    operation: &str,
) -> rusqlite::Result<Vec<ReversedChange>> {
    let mut statement = connection
        .prepare_cached("SELECT file, earlier, at FROM taken_back WHERE operation = ?1")?;
    let rows = statement.query_map([operation], |row| {
        Ok(ReversedChange {
            by: usize::try_from(row.get::<_, i64>(0)?).ok(),
            operation: row.get(1)?,
            at: row.get::<_, i64>(2)? as usize,
        })
    })?;
    rows.collect()
}

/// Returns whether one of the files was changed after an operation by a change that is not in `except` and was not
/// undone.
pub(super) fn find_later_changes(
    connection: &Connection,
    paths: &[PathBuf],
    after: &str,
    except: &[String],
    without: &[[u8; 32]],
) -> rusqlite::Result<bool> {
    let others = workspaces::find_workspace_numbers(connection, without)?;
    let mut statement = connection.prepare_cached(&format!(
        "SELECT l.id FROM files f JOIN operations l ON l.id = f.operation
         WHERE (f.path = ?1 OR f.moved_from = ?1) AND f.undone IS NULL AND l.kind = ?2
           AND l.sequence > (SELECT sequence FROM operations WHERE id = ?3)
           AND l.id NOT IN (SELECT id FROM begun) AND NOT {}",
        workspaces::recorded_with_condition("f", &others)
    ))?;
    for path in paths {
        let mut rows = statement.query(params![
            path_bytes(path),
            OperationKind::Change.database_number(),
            after
        ])?;
        while let Some(row) = rows.next()? {
            let id: String = row.get(0)?;
            if !except.contains(&id) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns the value of an enum from its number in a column. An unknown number, which a newer version of lancet might
/// write, is an error: if it were read as another kind, the operation could be undone wrongly.
pub(super) fn enum_from_column<T>(
    of: fn(i64) -> Option<T>,
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<T> {
    let number = row.get(column)?;
    of(number).ok_or(rusqlite::Error::IntegralValueOutOfRange(column, number))
}

/// Returns the operation of a row, with its files. The row does not contain whether it is only announced.
fn operation_from_row(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<Operation> {
    let id: String = row.get(0)?;
    let rungs: String = row.get(10)?;
    let kind = enum_from_column(OperationKind::from_number, row, 2)?;
    let mut takes_back: Vec<String> = match kind {
        OperationKind::Undo | OperationKind::Redo => reversed_changes(connection, &id)?
            .into_iter()
            .map(|taken| taken.operation)
            .chain(looks::partially_undone_operations(connection, &id)?)
            .collect(),
        OperationKind::Change | OperationKind::Late => Vec::new(),
    };
    takes_back.sort_unstable();
    takes_back.dedup();
    let state = enum_from_column(OperationState::from_number, row, 3)?;
    let recorded = recorded_calls::call_of_operation(connection, &id)?;
    Ok(Operation {
        files: file_changes(connection, &id)?,
        id,
        time: row.get(1)?,
        kind,
        state,
        session: row.get(4)?,
        client: row.get(5)?,
        version: row.get(6)?,
        turn: row.get(7)?,
        call: row.get(8)?,
        tool: row.get(9)?,
        rungs: rungs
            .split(',')
            .filter(|rung| !rung.is_empty())
            .map(str::to_owned)
            .collect(),
        approved: row.get(11)?,
        sequence: row.get(12)?,
        parent: row.get(13)?,
        takes_back,
        recorded,
    })
}

fn file_changes(connection: &Connection, id: &str) -> rusqlite::Result<Vec<FileChange>> {
    let mut statement = connection.prepare_cached(
        "SELECT f.at, f.path, f.kind, f.moved_from, b.revision, b.size, f.before_mode, f.before_link,
                a.revision, a.size, f.after_mode, f.after_link, f.added, f.removed, f.folders, f.undone, w.id, w.root,
                f.before_inode, f.inode, n.path
         FROM files f LEFT JOIN contents b ON b.id = f.before LEFT JOIN contents a ON a.id = f.after
             LEFT JOIN workspaces w ON w.number = f.workspace
             LEFT JOIN former_names n ON n.operation = f.operation AND n.file = f.at
         WHERE f.operation = ?1 ORDER BY f.at",
    )?;
    let rows = statement.query_map([id], |row| {
        let path = |at: usize| -> rusqlite::Result<Option<PathBuf>> {
            Ok(row
                .get::<_, Option<Vec<u8>>>(at)?
                .map(|bytes| path_from_bytes(&bytes)))
        };
        let kept = |at: usize| -> rusqlite::Result<Option<RecordedState>> {
            let Some(revision) = row.get(at)? else {
                return Ok(None);
            };
            Ok(Some(RecordedState {
                revision,
                size: row.get::<_, i64>(at + 1)? as u64,
                mode: row.get(at + 2)?,
                link: path(at + 3)?,
            }))
        };
        let folders: Vec<u8> = row.get(14)?;
        let mut folders: Vec<PathBuf> = folders
            .split(|byte| *byte == 0)
            .filter(|folder| !folder.is_empty())
            .map(path_from_bytes)
            .collect();
        // Folders that recovery added come last.
        folders.sort_by_key(|folder| folder.components().count());
        folders.dedup();
        Ok(FileChange {
            at: row.get::<_, i64>(0)? as usize,
            path: path(1)?.unwrap_or_default(),
            kind: enum_from_column(ChangeKind::from_number, row, 2)?,
            moved_from: path(3)?,
            before: kept(4)?,
            after: kept(8)?,
            added: row.get::<_, i64>(12)? as u64,
            removed: row.get::<_, i64>(13)? as u64,
            folders,
            undone_by: row.get(15)?,
            workspace: match row.get(16)? {
                Some(id) => Some(KnownWorkspace {
                    id,
                    root: path(17)?.unwrap_or_default(),
                }),
                None => None,
            },
            before_inode: row.get::<_, Option<i64>>(18)?.map(i64::cast_unsigned),
            inode: row.get::<_, Option<i64>>(19)?.map(i64::cast_unsigned),
            former_path: path(20)?,
        })
    })?;
    rows.collect()
}
