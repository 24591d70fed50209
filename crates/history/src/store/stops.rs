//! The table `stopped_sessions`: sessions whose writes the user has stopped. It is read in the transaction that
//! announces an operation, by the query that numbers the operation; while it is empty, it needs no separate
//! statement. The same query says whether comments or open writes wait, and as long as nothing is committed it is not
//! run again (`facts.rs`).

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::clock::now_in_milliseconds;
use super::events::next_event_sql;
use super::facts::Facts;
use super::records::{newest_sequence, newest_sequence_sql};
use super::transaction::WriteTransaction;
use crate::activity::SessionStop;
use crate::event::EventKind;
use crate::operation::{OperationDraft, OperationKind};

/// The longest message for the model that is stored, in characters.
const MAX_MESSAGE_CHARACTERS: usize = 500;

/// Whether an operation may be announced.
pub(super) enum Admission {
    /// It may be announced, with this sequence number.
    Granted(i64),
    /// The user has stopped its session, or the one whose question it answers.
    Stopped(SessionStop),
}

/// Returns the sequence number of a new operation, unless its session is stopped.
pub(super) fn admit_operation(
    transaction: &WriteTransaction<'_>,
    draft: &OperationDraft<'_>,
    facts: &mut Facts,
) -> rusqlite::Result<Admission> {
    if let Some(newest) = facts.sequence {
        facts.sequence = Some(newest + 1);
        return Ok(Admission::Granted(newest + 1));
    }
    // A late write is only recorded; lancet does not write it.
    if draft.kind == OperationKind::Late {
        return Ok(Admission::Granted(newest_sequence(transaction)? + 1));
    }
    // The stopped session is queried only if any session is stopped: a condition with OR would make SQLite build a
    // table in memory at each call, which took 26,700 of the 501,989 instructions of an Edit of 10 KB.
    let (newest, is_anyone_stopped, waits): (i64, bool, bool) = transaction
        .prepare_cached(concat!(
            "SELECT ",
            newest_sequence_sql!(),
            ", EXISTS (SELECT 1 FROM stopped_sessions)",
            ", EXISTS (SELECT 1 FROM comments WHERE delivered IS NULL) OR EXISTS (SELECT 1 FROM journal)"
        ))?
        .query_row([], |row| row.try_into())?;
    if !is_anyone_stopped {
        facts.sequence = (!waits).then_some(newest + 1);
        return Ok(Admission::Granted(newest + 1));
    }
    // An approval may be carried out in another session than the one that asked, and both may be stopped.
    let stop = transaction
        .prepare_cached(
            "SELECT session, time, decided_by, words FROM stopped_sessions
             WHERE session = ?1 OR session = (SELECT session FROM questions WHERE id = ?2)",
        )?
        .query_row(params![draft.author.session, draft.question], stop_from_row)
        .optional()?;
    Ok(stop.map_or(Admission::Granted(newest + 1), Admission::Stopped))
}

/// Records a stop with its event; returns false if there is one already.
pub(super) fn insert_stop(
    transaction: &WriteTransaction<'_>,
    session: &str,
    by: &str,
    words: Option<&str>,
) -> rusqlite::Result<bool> {
    let words: Option<String> =
        words.map(|words| words.chars().take(MAX_MESSAGE_CHARACTERS).collect());
    let added = transaction.execute(
        "INSERT OR IGNORE INTO stopped_sessions (session, time, decided_by, words) VALUES (?1, ?2, ?3, ?4)",
        params![session, now_in_milliseconds(), by, words],
    )?;
    if added == 1 {
        append_event(transaction, session, "stopped", by, words.as_deref())?;
    }
    Ok(added == 1)
}

/// Removes a stop and records the event; returns false if there is none.
pub(super) fn remove_stop(
    transaction: &WriteTransaction<'_>,
    session: &str,
    by: &str,
) -> rusqlite::Result<bool> {
    let removed =
        transaction.execute("DELETE FROM stopped_sessions WHERE session = ?1", [session])?;
    if removed == 1 {
        append_event(transaction, session, "resumed", by, None)?;
    }
    Ok(removed == 1)
}

/// Adds the event, with client, workspace, roots and process of the session if it is open.
fn append_event(
    transaction: &WriteTransaction<'_>,
    session: &str,
    state: &str,
    by: &str,
    words: Option<&str>,
) -> rusqlite::Result<()> {
    transaction.execute(
        concat!(
            "INSERT INTO events (seq, time, kind, workspace, session, client, body)
         SELECT ",
            next_event_sql!(),
            ", ?2, ?3, o.workspace, ?1, o.client,
                json_set(coalesce(o.body, '{}'), '$.state', ?4, '$.by', ?5, '$.words', ?6)
         FROM (SELECT 1) LEFT JOIN
              (SELECT * FROM open_sessions WHERE session = ?1 ORDER BY time DESC LIMIT 1) o"
        ),
        params![
            session,
            now_in_milliseconds(),
            EventKind::Session.database_number(),
            state,
            by,
            words
        ],
    )?;
    Ok(())
}

/// Returns the stop of a session.
pub(super) fn stop_of_session(
    connection: &Connection,
    session: &str,
) -> rusqlite::Result<Option<SessionStop>> {
    connection
        .prepare_cached(
            "SELECT session, time, decided_by, words FROM stopped_sessions WHERE session = ?1",
        )?
        .query_row([session], stop_from_row)
        .optional()
}

/// Returns all stops, newest first.
pub(super) fn all_stops(connection: &Connection) -> rusqlite::Result<Vec<SessionStop>> {
    let mut statement = connection.prepare_cached(
        "SELECT session, time, decided_by, words FROM stopped_sessions ORDER BY time DESC, session",
    )?;
    let rows = statement.query_map([], stop_from_row)?;
    rows.collect()
}

fn stop_from_row(row: &Row<'_>) -> rusqlite::Result<SessionStop> {
    Ok(SessionStop {
        session: row.get(0)?,
        time: row.get(1)?,
        by: row.get(2)?,
        words: row.get(3)?,
    })
}

/// Fails if a table or column that the statements need is missing.
pub(super) fn check_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare("SELECT session, time, decided_by, words FROM stopped_sessions")?;
    Ok(())
}
