//! The tables `looks`, `first_look` and `parts_taken_back`: what the user has reviewed, and which hunks were undone.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, params, params_from_iter};

use super::clock::now_in_milliseconds;
use super::paths::{bounds_below, path_bytes, path_from_bytes};
use super::transaction::WriteTransaction;
use super::workspaces::{self, recorded_with_condition};
use crate::operation::OperationKind;
use crate::review::{
    LastLook, NewLook, PAGE_CLIENT, PartialUndo, ReplacedLook, SHELL_CLIENT, UnseenFile,
    UnseenQuery,
};

/// The largest number of files that one query returns.
const MAX_FILES: usize = 100_000;

/// The changes of files that were not looked at, as `FROM` and `WHERE` clauses of a query, with the values of its
/// parameters.
struct UnseenChanges {
    sql: String,
    values: Vec<Value>,
    others: String,
}

impl UnseenChanges {
    fn for_query(connection: &Connection, query: &UnseenQuery) -> rusqlite::Result<Self> {
        let others = workspaces::find_workspace_numbers(connection, &query.without)?;
        let list: Vec<String> = others.iter().map(i64::to_string).collect();
        let list = list.join(", ");
        let first: i64 = first_look_sequence(connection)?;
        let mut sql = format!(
            "FROM operations o JOIN files f ON f.operation = o.id
             WHERE o.sequence > {first} AND o.kind <> {late} AND NOT {foreign}
               AND o.sequence > coalesce((SELECT max(l.sequence) FROM looks l
                   WHERE l.path = f.path AND l.workspace NOT IN ({list})), {first})
               AND o.id NOT IN (SELECT id FROM begun)",
            late = OperationKind::Late.database_number(),
            foreign = recorded_with_condition("f", &others),
        );
        let mut values = Vec::new();
        if let Some(path) = &query.path {
            sql.push_str(" AND f.path = ?");
            values.push(Value::Blob(path_bytes(path).to_vec()));
        }
        if !query.below.is_empty() {
            let one = vec!["(f.path > ? AND f.path < ?)"; query.below.len()].join(" OR ");
            sql.push_str(&format!(" AND ({one})"));
            for folder in &query.below {
                let (from, to) = bounds_below(folder);
                values.extend([Value::Blob(from), Value::Blob(to)]);
            }
        }
        Ok(Self {
            sql,
            values,
            others: recorded_with_condition("m", &others),
        })
    }

    /// Returns the query for the files that are to be reviewed: another author than the user made one of the changes,
    /// and the file was not moved away since.
    fn files_query(&self) -> String {
        let (undo, redo) = (
            OperationKind::Undo.database_number(),
            OperationKind::Redo.database_number(),
        );
        // In SQLite, columns next to the only max() come from the row that has the maximum.
        format!(
            "SELECT u.path, u.number, u.newest, u.id, u.session, u.at FROM (
                 SELECT f.path AS path, count(*) AS number, max(o.sequence) AS newest, o.id AS id, o.session AS session, f.at AS at,
                     sum(CASE WHEN o.client = '{PAGE_CLIENT}' THEN 0
                         WHEN o.client = '{SHELL_CLIENT}' AND (o.kind IN ({undo}, {redo}) OR o.tool = 'Restore') THEN 0
                         ELSE 1 END) AS by_others
                 {} GROUP BY f.path) u
             WHERE u.by_others > 0
               AND NOT EXISTS (SELECT 1 FROM files m JOIN operations n ON n.id = m.operation
                   WHERE m.moved_from = u.path AND n.sequence > u.newest AND NOT {}
                     AND n.id NOT IN (SELECT id FROM begun))",
            self.sql, self.others
        )
    }
}

fn first_look_sequence(connection: &Connection) -> rusqlite::Result<i64> {
    let found = connection
        .prepare_cached("SELECT sequence FROM first_look")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(0))
}

pub(super) fn list_unseen(
    connection: &Connection,
    query: &UnseenQuery,
) -> rusqlite::Result<Vec<UnseenFile>> {
    let unseen = UnseenChanges::for_query(connection, query)?;
    let most = query.limit.unwrap_or(MAX_FILES).min(MAX_FILES);
    let sql = format!(
        "{} ORDER BY u.newest DESC, u.path LIMIT {most}",
        unseen.files_query()
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(unseen.values), |row| {
        Ok(UnseenFile {
            path: path_from_bytes(&row.get::<_, Vec<u8>>(0)?),
            operations: row.get::<_, i64>(1)?.unsigned_abs(),
            newest: row.get(2)?,
            operation: row.get(3)?,
            session: row.get(4)?,
            at: row.get::<_, i64>(5)? as usize,
        })
    })?;
    rows.collect()
}

pub(super) fn find_last_look(
    connection: &Connection,
    path: &Path,
    without: &[[u8; 32]],
) -> rusqlite::Result<(Option<LastLook>, i64)> {
    let others = workspaces::find_workspace_numbers(connection, without)?;
    let list: Vec<String> = others.iter().map(i64::to_string).collect();
    let found = connection
        .prepare_cached(&format!(
            "SELECT revision, sequence, time FROM looks WHERE path = ?1 AND workspace NOT IN ({})
             ORDER BY sequence DESC LIMIT 1",
            list.join(", ")
        ))?
        .query_row([path_bytes(path)], look_from_row)
        .optional()?;
    let since = match &found {
        Some(look) => look.sequence,
        None => first_look_sequence(connection)?,
    };
    Ok((found, since))
}

pub(super) fn record_looks(
    transaction: &WriteTransaction<'_>,
    looks: &[NewLook],
) -> rusqlite::Result<Vec<ReplacedLook>> {
    let mut replaced = Vec::new();
    for look in looks {
        let workspace = workspace_number(transaction, look)?;
        let before = transaction
            .prepare_cached(
                "SELECT revision, sequence, time FROM looks WHERE path = ?1 AND workspace = ?2",
            )?
            .query_row(params![path_bytes(&look.path), workspace], look_from_row)
            .optional()?;
        let changed = transaction
            .prepare_cached(
                "INSERT INTO looks (path, workspace, revision, sequence, time) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (path, workspace) DO UPDATE
                 SET revision = excluded.revision, sequence = excluded.sequence, time = excluded.time
                 WHERE excluded.sequence > looks.sequence",
            )?
            .execute(params![
                path_bytes(&look.path),
                workspace,
                look.revision,
                look.sequence,
                now_in_milliseconds()
            ])?;
        if changed == 1 {
            let look = look.clone();
            replaced.push(ReplacedLook { look, before });
        }
    }
    Ok(replaced)
}

/// Takes looks back that are still the last ones.
pub(super) fn take_looks_back(
    transaction: &WriteTransaction<'_>,
    looks: &[ReplacedLook],
) -> rusqlite::Result<usize> {
    let mut number = 0;
    for ReplacedLook { look, before } in looks {
        let workspace = workspace_number(transaction, look)?;
        let path = path_bytes(&look.path);
        number += match before {
            Some(before) => transaction
                .prepare_cached(
                    "UPDATE looks SET revision = ?4, sequence = ?5, time = ?6
                     WHERE path = ?1 AND workspace = ?2 AND sequence = ?3",
                )?
                .execute(params![
                    path,
                    workspace,
                    look.sequence,
                    before.revision,
                    before.sequence,
                    before.time
                ])?,
            None => transaction
                .prepare_cached(
                    "DELETE FROM looks WHERE path = ?1 AND workspace = ?2 AND sequence = ?3",
                )?
                .execute(params![path, workspace, look.sequence])?,
        };
    }
    Ok(number)
}

fn workspace_number(transaction: &WriteTransaction<'_>, look: &NewLook) -> rusqlite::Result<i64> {
    let known = look.workspace.as_slice();
    let known = workspaces::find_workspace_numbers(transaction, known)?;
    Ok(known.first().copied().unwrap_or(0))
}

fn look_from_row(row: &Row<'_>) -> rusqlite::Result<LastLook> {
    Ok(LastLook {
        revision: row.get(0)?,
        sequence: row.get(1)?,
        time: row.get(2)?,
    })
}

/// Returns looks at all files of a query, in their state after the operation with the sequence `upto`.
pub(super) fn looks_at_all_files(
    connection: &Connection,
    query: &UnseenQuery,
    upto: i64,
) -> rusqlite::Result<Vec<NewLook>> {
    let unseen = UnseenChanges::for_query(connection, query)?;
    let sql = format!(
        "SELECT f.path, w.id, c.revision, max(o.sequence)
         {} AND o.sequence <= {upto} GROUP BY f.path",
        unseen.sql.replacen(
            "WHERE",
            "LEFT JOIN contents c ON c.id = f.after LEFT JOIN workspaces w ON w.number = f.workspace WHERE",
            1
        ),
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(unseen.values), |row| {
        Ok(NewLook {
            path: path_from_bytes(&row.get::<_, Vec<u8>>(0)?),
            workspace: row.get(1)?,
            revision: row.get(2)?,
            sequence: row.get(3)?,
        })
    })?;
    rows.collect()
}

/// Returns the ids of the operations that an operation undoes in part.
pub(super) fn partially_undone_operations(
    connection: &Connection,
    operation: &str,
) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection
        .prepare_cached("SELECT earlier FROM parts_taken_back WHERE operation = ?1 ORDER BY 1")?;
    let rows = statement.query_map([operation], |row| row.get(0))?;
    rows.collect()
}

/// Returns the operations that undid a part of a file's changes and are still in effect, newest first.
pub(super) fn partial_undos(
    connection: &Connection,
    path: &Path,
) -> rusqlite::Result<Vec<PartialUndo>> {
    let mut statement = connection.prepare_cached(
        "SELECT p.operation, p.file, b.revision, a.revision, p.earlier, p.at
         FROM files f JOIN operations o ON o.id = f.operation
             JOIN parts_taken_back p ON p.operation = f.operation AND p.file = f.at
             LEFT JOIN contents b ON b.id = f.before LEFT JOIN contents a ON a.id = f.after
         WHERE f.path = ?1 AND f.undone IS NULL AND o.id NOT IN (SELECT id FROM begun)
         ORDER BY o.sequence DESC",
    )?;
    let mut rows = statement.query([path_bytes(path)])?;
    let mut found: Vec<PartialUndo> = Vec::new();
    while let Some(row) = rows.next()? {
        let operation: String = row.get(0)?;
        let earlier = (row.get(4)?, row.get::<_, i64>(5)? as usize);
        match found.last_mut().filter(|last| last.operation == operation) {
            Some(last) => last.earlier.push(earlier),
            None => found.push(PartialUndo {
                operation,
                at: row.get::<_, i64>(1)? as usize,
                before: row.get(2)?,
                after: row.get(3)?,
                earlier: vec![earlier],
            }),
        }
    }
    Ok(found)
}

/// Removes the looks at files of which no operation is stored.
pub(super) fn prune_looks(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM looks WHERE NOT EXISTS (SELECT 1 FROM files f WHERE f.path = looks.path)
             AND NOT EXISTS (SELECT 1 FROM files f WHERE f.moved_from = looks.path)",
        [],
    )?;
    Ok(())
}

/// Fails if a column that the statements need is missing.
pub(super) fn check_columns(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare("SELECT path, workspace, revision, sequence, time FROM looks")?;
    connection.prepare("SELECT sequence FROM first_look")?;
    connection.prepare("SELECT operation, file, earlier, at FROM parts_taken_back")?;
    connection.prepare(
        "SELECT id, kind, time, session, path, first, last, revision, words, operation, delivered, way FROM comments",
    )?;
    Ok(())
}
