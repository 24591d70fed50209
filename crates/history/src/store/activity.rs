//! The active sessions: those of running processes, and what ledgers and operations say about a session.

use std::path::Path;

use lancet_local_state::process;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::paths::{path_bytes, path_from_bytes};
use super::transaction::WriteTransaction;
use super::{HistoryError, Store, stops};
use crate::activity::{ActivityStore, ChangedPath, OpenSession, SessionActivity, SessionStop};
use crate::workspace::KnownWorkspace;

/// The largest number of sessions that one query returns.
const MAX_SESSIONS: usize = 500;

/// Counts the operations of a session.
const COUNT_OPERATIONS: &str =
    "SELECT count(*) FROM operations WHERE session = ?1 AND id NOT IN (SELECT id FROM begun)";
/// The files that a session changed last.
const CHANGED_FILES: &str =
    "SELECT f.path, count(*), max(o.time), count(*) OVER () FROM operations o JOIN files f ON f.operation = o.id
     WHERE o.session = ?1 AND o.id NOT IN (SELECT id FROM begun)
     GROUP BY f.path ORDER BY max(o.sequence) DESC LIMIT ?2";

impl ActivityStore for Store {
    fn stop_session(
        &self,
        session: &str,
        by: &str,
        words: Option<&str>,
    ) -> Result<bool, HistoryError> {
        let (stopped, _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let stopped = stops::insert_stop(&transaction, session, by, words)?;
            transaction.commit()?;
            Ok(stopped)
        })?;
        Ok(stopped)
    }

    fn resume_session(&self, session: &str, by: &str) -> Result<bool, HistoryError> {
        let (resumed, _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let resumed = stops::remove_stop(&transaction, session, by)?;
            transaction.commit()?;
            Ok(resumed)
        })?;
        Ok(resumed)
    }

    fn session_stop(&self, session: &str) -> Result<Option<SessionStop>, HistoryError> {
        Ok(self
            .run_on_database(|connection| stops::stop_of_session(connection, session))?
            .0)
    }

    fn all_stops(&self) -> Result<Vec<SessionStop>, HistoryError> {
        Ok(self
            .run_on_database(|connection| stops::all_stops(connection))?
            .0)
    }

    fn open_sessions(&self) -> Result<Vec<OpenSession>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT o.process, o.session, o.client, o.version, o.time, w.id, w.root, o.body
                 FROM open_sessions o LEFT JOIN workspaces w ON w.number = o.workspace
                 ORDER BY o.time DESC, o.session LIMIT ?1",
            )?;
            let rows = statement.query_map([MAX_SESSIONS as i64], |row| {
                let workspace = match row.get(5)? {
                    Some(id) => Some(KnownWorkspace {
                        id,
                        root: path_from_bytes(&row.get::<_, Vec<u8>>(6)?),
                    }),
                    None => None,
                };
                let open = OpenSession {
                    session: row.get(1)?,
                    client: row.get(2)?,
                    version: row.get(3)?,
                    since: row.get(4)?,
                    workspace,
                    body: row.get(7)?,
                };
                Ok((row.get::<_, String>(0)?, open))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let alive = found
            .into_iter()
            .filter(|(name, _)| process::is_alive(self.folder(), name));
        Ok(alive.map(|(_, open)| open).collect())
    }

    fn recent_sessions(&self, since: i64) -> Result<Vec<String>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT name FROM sessions WHERE used >= ?1 ORDER BY used DESC, name LIMIT ?2",
            )?;
            let rows =
                statement.query_map(params![since, MAX_SESSIONS as i64], |row| row.get(0))?;
            rows.collect::<rusqlite::Result<Vec<String>>>()
        })?;
        Ok(found)
    }

    fn session_activity(
        &self,
        session: &str,
        most: usize,
    ) -> Result<SessionActivity, HistoryError> {
        Ok(self
            .run_on_database(|connection| read_activity(connection, session, most))?
            .0)
    }

    fn has_file_in_ledger(&self, session: &str, path: &Path) -> Result<bool, HistoryError> {
        let (known, _) = self.run_on_database(|connection| {
            connection
                .prepare_cached(
                    "SELECT 1 FROM sessions s JOIN ledger l ON l.session = s.id
                     WHERE s.name = ?1 AND l.path = ?2",
                )?
                .exists(params![session, path_bytes(path)])
        })?;
        Ok(known)
    }
}

fn read_activity(
    connection: &mut Connection,
    session: &str,
    most: usize,
) -> rusqlite::Result<SessionActivity> {
    // One transaction, so that the counts fit the lists.
    let transaction = connection.transaction()?;
    let mut found = SessionActivity::default();
    let ledger: Option<(i64, i64)> = transaction
        .prepare_cached("SELECT id, used FROM sessions WHERE name = ?1")?
        .query_row([session], |row| row.try_into())
        .optional()?;
    if let Some((number, used)) = ledger {
        found.used = Some(used);
        let files: i64 = transaction
            .prepare_cached("SELECT count(*) FROM ledger WHERE session = ?1")?
            .query_row([number], |row| row.get(0))?;
        found.known_files = Some(files as u64);
        let mut statement = transaction.prepare_cached(
            "SELECT path FROM ledger WHERE session = ?1 ORDER BY used DESC, path LIMIT ?2",
        )?;
        let rows = statement.query_map(params![number, most as i64], |row| {
            Ok(path_from_bytes(&row.get::<_, Vec<u8>>(0)?))
        })?;
        found.latest = rows.collect::<rusqlite::Result<_>>()?;
    }
    let operations: i64 = transaction
        .prepare_cached(COUNT_OPERATIONS)?
        .query_row([session], |row| row.get(0))?;
    found.operations = operations as u64;
    let mut statement = transaction.prepare_cached(CHANGED_FILES)?;
    let mut rows = statement.query(params![session, most as i64])?;
    while let Some(row) = rows.next()? {
        found.changed.push(ChangedPath {
            path: path_from_bytes(&row.get::<_, Vec<u8>>(0)?),
            operations: row.get::<_, i64>(1)? as u64,
            time: row.get(2)?,
        });
        found.changed_files = row.get::<_, i64>(3)? as u64;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::schema::{MIGRATIONS, apply_migrations};

    fn migrated_database() -> Connection {
        let mut connection = Connection::open_in_memory().expect("opens");
        apply_migrations(&mut connection, MIGRATIONS).expect("the current schema");
        connection
    }

    #[test]
    fn finds_operations_of_session_by_index() {
        let connection = migrated_database();
        for query in [COUNT_OPERATIONS, CHANGED_FILES] {
            let query = query.replace("?1", "'s'").replace("?2", "5");
            let plan: Vec<String> = connection
                .prepare(&format!("EXPLAIN QUERY PLAN {query}"))
                .and_then(|mut plan| plan.query_map([], |row| row.get(3))?.collect())
                .expect("a plan");
            let by_index = plan.iter().any(|step| {
                step.starts_with("SEARCH") && step.contains("operations_by_session (session=?)")
            });
            assert!(by_index, "{plan:?}");
        }
    }

    /// With 20,000 operations of 400 sessions. Without the index each session read all operations.
    #[test]
    fn lists_changes_of_many_sessions_quickly() {
        let mut connection = migrated_database();
        connection
            .execute_batch(
                "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)
                 INSERT INTO operations (id, time, kind, state, session, tool, rungs, sequence)
                 SELECT printf('op%010d', n), n, 0, 1, 'session ' || (n % 400), 'Edit', '', n FROM number;
                 INSERT INTO files (operation, at, path, kind, before_mode, after_mode, added, removed, folders)
                 SELECT id, 0, CAST('/p/' || (sequence % 1000) AS BLOB), 1, 0, 0, 1, 1, x'' FROM operations;",
            )
            .expect("filled");
        for number in 0..400 {
            let found =
                read_activity(&mut connection, &format!("session {number}"), 5).expect("read");
            assert_eq!(found.operations, 50);
            assert_eq!(found.changed.len(), 5);
        }
    }
}
