//! The tables `marks` and `agent_processes`.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params, params_from_iter};

use super::age::AgeLimit;
use super::clock::{now, now_in_milliseconds};
use super::ledger_tables::DAY_SECONDS;
use super::records::newest_sequence;
use super::sql_filter::SqlFilter;
use super::transaction::WriteTransaction;
use super::{HistoryError, Store, sub_agents};
use crate::mark::{MarkQuery, MarkStore, PromptMark};
use crate::sub_agent::ConversationReport;

/// The largest number of marks that one query returns, and that are stored of one session.
const MAX_MARKS: usize = 1_000;

impl MarkStore for Store {
    fn record_prompt(&self, session: &str, prompt: &str) -> Result<(), HistoryError> {
        let kept = PromptMark::stored_line(prompt);
        self.run_on_database(|connection| {
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
                .execute(params![session, MAX_MARKS as i64])?;
            transaction.commit()
        })?;
        Ok(())
    }

    fn prompt_marks(&self, query: &MarkQuery) -> Result<Vec<PromptMark>, HistoryError> {
        Ok(self
            .run_on_database(|connection| list_marks(connection, query))?
            .0)
    }

    fn report_session(&self, process: &str, session: &str) -> Result<(), HistoryError> {
        self.run_on_database(|connection| {
            let known = reported_session_and_time(connection, process)?;
            // Most reports repeat what is known, and need no write lock.
            if known.is_some_and(|(known, time)| known == session && time > now() - DAY_SECONDS) {
                return Ok(());
            }
            sub_agents::record_report(connection, process, session, ConversationReport::Switch)
                .map(drop)
        })?;
        Ok(())
    }

    fn reported_session(&self, process: &str) -> Result<Option<String>, HistoryError> {
        let (found, _) =
            self.run_on_database(|connection| reported_session_and_time(connection, process))?;
        Ok(found.map(|(session, _)| session))
    }
}

fn list_marks(connection: &Connection, query: &MarkQuery) -> rusqlite::Result<Vec<PromptMark>> {
    let mut values: Vec<Value> = Vec::new();
    let mut sql = "SELECT id, session, time, sequence, prompt FROM marks WHERE 1".to_owned();
    if let Some(session) = &query.session {
        sql.push_str(" AND session = ?");
        values.push(Value::Text(session.clone()));
    }
    if !query.below.is_empty() {
        let mut changed = SqlFilter::default();
        changed.require_file_below(&query.below);
        sql.push_str(&format!(
            " AND session IN (WITH RECURSIVE changed (session) AS (
                SELECT o.session FROM operations o WHERE {}
                UNION SELECT a.parent FROM sub_agents a JOIN changed ON a.session = changed.session)
                SELECT session FROM changed)",
            changed.sql
        ));
        values.extend(changed.values);
    }
    let most = query.limit.unwrap_or(MAX_MARKS).min(MAX_MARKS);
    sql.push_str(&format!(" ORDER BY id DESC LIMIT {most}"));
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(PromptMark {
            id: row.get(0)?,
            session: row.get(1)?,
            time: row.get(2)?,
            sequence: row.get(3)?,
            prompt: row.get(4)?,
        })
    })?;
    rows.collect()
}

fn reported_session_and_time(
    connection: &Connection,
    process: &str,
) -> rusqlite::Result<Option<(String, i64)>> {
    connection
        .prepare_cached("SELECT session, time FROM agent_processes WHERE process = ?1")?
        .query_row([process], |row| row.try_into())
        .optional()
}

/// Removes the marks that are too old and whose session has no operation any more.
pub(super) fn prune_marks(connection: &Connection, limit: &AgeLimit) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM marks WHERE time < ?1 AND session NOT IN (SELECT session FROM operations)",
        [limit.oldest_time()],
    )?;
    Ok(())
}
