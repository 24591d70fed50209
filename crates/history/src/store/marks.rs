//! The tables `marks` and `agent_processes`.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params, params_from_iter};

use super::age::Limit;
use super::clock::{now, now_in_milliseconds};
use super::ledger_tables::DAY;
use super::log::Filter;
use super::records::newest_sequence;
use super::transaction::WriteTransaction;
use super::{HistoryError, Store, sub_agents};
use crate::mark::{Mark, MarkQuery, MarkStore};
use crate::sub_agent::ConversationReport;

/// The largest number of marks that one query returns, and that are stored of one session.
const MOST: usize = 1_000;

impl MarkStore for Store {
    fn mark(&self, session: &str, prompt: &str) -> Result<(), HistoryError> {
        let kept = Mark::stored_line(prompt);
        self.run(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            transaction
                .prepare_cached(
                    "INSERT INTO marks (session, time, sequence, prompt) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![
                    session,
                    now_in_milliseconds(),
                    newest_sequence(&transaction)?,
                    kept
                ])?;
            transaction
                .prepare_cached(
                    "DELETE FROM marks WHERE session = ?1 AND id <=
                         (SELECT id FROM marks WHERE session = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
                )?
                .execute(params![session, MOST as i64])?;
            transaction.commit()
        })?;
        Ok(())
    }

    fn marks(&self, query: &MarkQuery) -> Result<Vec<Mark>, HistoryError> {
        Ok(self.run(|connection| marks(connection, query))?.0)
    }

    fn report_session(&self, process: &str, session: &str) -> Result<(), HistoryError> {
        self.run(|connection| {
            let known = reported(connection, process)?;
            // Most reports repeat what is known, and need no write lock.
            if known.is_some_and(|(known, time)| known == session && time > now() - DAY) {
                return Ok(());
            }
            sub_agents::report(connection, process, session, ConversationReport::Switch).map(drop)
        })?;
        Ok(())
    }

    fn reported_session(&self, process: &str) -> Result<Option<String>, HistoryError> {
        let (found, _) = self.run(|connection| reported(connection, process))?;
        Ok(found.map(|(session, _)| session))
    }
}

fn marks(connection: &Connection, query: &MarkQuery) -> rusqlite::Result<Vec<Mark>> {
    let mut values: Vec<Value> = Vec::new();
    let mut sql = "SELECT id, session, time, sequence, prompt FROM marks WHERE 1".to_owned();
    if let Some(session) = &query.session {
        sql.push_str(" AND session = ?");
        values.push(Value::Text(session.clone()));
    }
    if !query.below.is_empty() {
        let mut changed = Filter::default();
        changed.below(&query.below);
        sql.push_str(&format!(
            " AND session IN (WITH RECURSIVE changed (session) AS (
                SELECT o.session FROM operations o WHERE {}
                UNION SELECT a.parent FROM sub_agents a JOIN changed ON a.session = changed.session)
                SELECT session FROM changed)",
            changed.sql
        ));
        values.extend(changed.values);
    }
    let most = query.limit.unwrap_or(MOST).min(MOST);
    sql.push_str(&format!(" ORDER BY id DESC LIMIT {most}"));
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(Mark {
            id: row.get(0)?,
            session: row.get(1)?,
            time: row.get(2)?,
            sequence: row.get(3)?,
            prompt: row.get(4)?,
        })
    })?;
    rows.collect()
}

fn reported(connection: &Connection, process: &str) -> rusqlite::Result<Option<(String, i64)>> {
    connection
        .prepare_cached("SELECT session, time FROM agent_processes WHERE process = ?1")?
        .query_row([process], |row| row.try_into())
        .optional()
}

/// Removes the marks that are too old and whose session has no operation any more.
pub(super) fn prune(connection: &Connection, limit: &Limit) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM marks WHERE time < ?1 AND session NOT IN (SELECT session FROM operations)",
        [limit.oldest()],
    )?;
    Ok(())
}
