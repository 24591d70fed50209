//! The tables `questions` and `question_files`.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::clock::{DAY_MILLISECONDS, now_in_milliseconds};
use super::events::{self, NewEvent, next_event_sql};
use super::question_rows::{
    SELECT_QUESTIONS, decompress_column, insert_file, question_files, question_from_row,
};
use super::transaction::WriteTransaction;
use super::{HistoryError, Store, workspaces};
use crate::event::EventKind;
use crate::question::{
    AskOutcome, DecideOutcome, Digest, MAX_OPEN, MAX_OPEN_PER_SESSION, QuestionDraft,
    QuestionQuery, QuestionRecord, QuestionState, QuestionStore,
};

/// Undecided questions are removed after this time.
const UNDECIDED_RETENTION: i64 = 7 * DAY_MILLISECONDS;
/// Decided questions are removed after this time; an approval is valid for a day.
const DECIDED_RETENTION: i64 = 2 * DAY_MILLISECONDS;
/// The largest number of questions that one query returns.
const MAX_QUESTIONS: usize = 2_000;
/// The compression level of what a question shows.
const ZSTD_LEVEL: i32 = 3;

impl QuestionStore for Store {
    fn record_question(&self, draft: &QuestionDraft<'_>) -> Result<AskOutcome, HistoryError> {
        let packed = |bytes: &[u8]| zstd::bulk::compress(bytes, ZSTD_LEVEL).unwrap_or_default();
        let (shown, arguments) = (packed(draft.shown), packed(draft.arguments));
        let (asked, _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let asked = insert_question(
                &transaction,
                draft,
                (&shown, &arguments),
                &self.process_name(),
            )?;
            if asked == AskOutcome::Recorded {
                transaction.commit()?;
            }
            Ok(asked)
        })?;
        Ok(asked)
    }

    fn find_question_of_call(&self, call: &Digest) -> Result<Option<QuestionRecord>, HistoryError> {
        let sql = format!("{SELECT_QUESTIONS} WHERE call = ?1 ORDER BY rowid DESC LIMIT 1");
        Ok(self
            .run_on_database(|connection| {
                find_question_by(connection, self.folder(), &sql, &call.as_slice())
            })?
            .0)
    }

    fn find_question(&self, id: &str) -> Result<Option<QuestionRecord>, HistoryError> {
        let sql = format!("{SELECT_QUESTIONS} WHERE id = ?1");
        Ok(self
            .run_on_database(|connection| find_question_by(connection, self.folder(), &sql, &id))?
            .0)
    }

    fn list_questions(&self, query: &QuestionQuery) -> Result<Vec<QuestionRecord>, HistoryError> {
        let most = query.limit.unwrap_or(MAX_QUESTIONS).min(MAX_QUESTIONS);
        let states = match query.decided {
            true => "",
            false => "WHERE state = 0",
        };
        let sql = format!(
            "{SELECT_QUESTIONS} {states} ORDER BY time DESC, id DESC LIMIT {MAX_QUESTIONS}"
        );
        let (found, _) = self.run_on_database(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([], |row| question_from_row(row, self.folder()))?;
            let mut found = Vec::new();
            for record in rows {
                let mut record = record?;
                record.files = question_files(connection, &record.id)?;
                if record.is_below(&query.below) {
                    found.push(record);
                }
                if found.len() == most {
                    break;
                }
            }
            Ok(found)
        })?;
        Ok(found)
    }

    fn open_question_ids(&self, below: &[PathBuf]) -> Result<Vec<String>, HistoryError> {
        let sql = format!(
            "SELECT id FROM questions WHERE state = 0 ORDER BY time DESC, id DESC LIMIT {MAX_QUESTIONS}"
        );
        let (found, _) = self.run_on_database(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let ids = statement.query_map([], |row| row.get::<_, String>(0))?;
            let mut found = Vec::new();
            for id in ids {
                let id = id?;
                let is_below = below.is_empty()
                    || question_files(connection, &id)?
                        .iter()
                        .any(|file| below.iter().any(|folder| file.path.starts_with(folder)));
                if is_below {
                    found.push(id);
                }
            }
            Ok(found)
        })?;
        Ok(found)
    }

    fn record_decision(
        &self,
        id: &str,
        approves: bool,
        decision: &[u8],
        by: &str,
        event: &str,
    ) -> Result<DecideOutcome, HistoryError> {
        let state = match approves {
            true => QuestionState::Approved,
            false => QuestionState::Rejected,
        };
        let (decided, _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let changed = transaction
                .prepare_cached(
                    "UPDATE questions SET state = ?2, decision = ?3, decided_by = ?4, decided = ?5
                     WHERE id = ?1 AND state = 0",
                )?
                .execute(params![
                    id,
                    state.database_number(),
                    decision,
                    by,
                    now_in_milliseconds()
                ])?;
            if changed == 1 {
                append_decided(&transaction, id, event)?;
                transaction.commit()?;
                return Ok(DecideOutcome::Counts);
            }
            let found = transaction
                .prepare_cached("SELECT state FROM questions WHERE id = ?1")?
                .query_row([id], |row| row.get(0))
                .optional()?;
            Ok(found.map_or(DecideOutcome::Unknown, |state| {
                DecideOutcome::TooLate(QuestionState::from_number(state))
            }))
        })?;
        Ok(decided)
    }

    fn withdraw_question(&self, id: &str) -> Result<(), HistoryError> {
        self.run_on_database(|connection| {
            connection
                .prepare_cached(
                    "UPDATE questions SET state = 4, decided = ?2 WHERE id = ?1 AND state IN (0, 1)",
                )?
                .execute(params![id, now_in_milliseconds()])
        })?;
        Ok(())
    }

    fn amend_rejection(&self, id: &str, decision: &[u8]) -> Result<bool, HistoryError> {
        let (changed, _) = self.run_on_database(|connection| {
            connection
                .prepare_cached(
                    "UPDATE questions SET decision = ?2 WHERE id = ?1 AND state = 2 AND delivered = 0",
                )?
                .execute(params![id, decision])
        })?;
        Ok(changed == 1)
    }

    fn mark_rejection_delivered(&self, id: &str) -> Result<bool, HistoryError> {
        let (changed, _) = self.run_on_database(|connection| {
            connection
                .prepare_cached(
                    "UPDATE questions SET delivered = 1 WHERE id = ?1 AND delivered = 0",
                )?
                .execute([id])
        })?;
        Ok(changed == 1)
    }

    fn store_answer(&self, id: &str, answer: &[u8]) -> Result<(), HistoryError> {
        let answer = zstd::bulk::compress(answer, ZSTD_LEVEL).unwrap_or_default();
        self.run_on_database(|connection| {
            connection
                .prepare_cached("UPDATE questions SET answer = ?2 WHERE id = ?1")?
                .execute(params![id, answer])
        })?;
        Ok(())
    }

    fn closed_questions(&self, ids: &[String]) -> Result<Vec<String>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT 1 FROM questions WHERE id = ?1 AND state = 0")?;
            let mut closed = Vec::new();
            for id in ids {
                if !statement.exists([id])? {
                    closed.push(id.clone());
                }
            }
            Ok(closed)
        })?;
        Ok(found)
    }

    fn call_arguments(&self, id: &str) -> Result<Option<Vec<u8>>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            connection
                .prepare_cached("SELECT arguments FROM questions WHERE id = ?1")?
                .query_row([id], |row| row.get::<_, Vec<u8>>(0))
                .optional()
        })?;
        Ok(found.map(decompress_column))
    }

    fn prune_questions(&self) -> Result<u64, HistoryError> {
        let (removed, _) = self.run_on_database(|connection| {
            let now = now_in_milliseconds();
            let mut statement = connection.prepare_cached(
                "SELECT DISTINCT process FROM questions WHERE state = 0 AND ended IS NULL",
            )?;
            let names = statement.query_map([], |row| row.get::<_, String>(0))?;
            let ended: Vec<String> = names
                .filter(|name| !matches!(name, Ok(name) if self.is_alive(name)))
                .collect::<rusqlite::Result<_>>()?;
            drop(statement);
            let any: bool = connection
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM questions
                     WHERE (state = 0 AND (time < ?1 OR ended < ?2)) OR (state <> 0 AND coalesce(decided, time) < ?3))",
                )?
                .query_row(params![now - UNDECIDED_RETENTION, now - DAY_MILLISECONDS, now - DECIDED_RETENTION], |row| row.get(0))?;
            if ended.is_empty() && !any {
                return Ok(0);
            }
            let transaction = WriteTransaction::begin(connection)?;
            for name in ended {
                transaction.execute(
                    "UPDATE questions SET ended = ?2 WHERE process = ?1 AND state = 0 AND ended IS NULL",
                    params![name, now],
                )?;
            }
            let removed = transaction.execute(
                "DELETE FROM questions
                 WHERE (state = 0 AND (time < ?1 OR ended < ?2)) OR (state <> 0 AND coalesce(decided, time) < ?3)",
                params![now - UNDECIDED_RETENTION, now - DAY_MILLISECONDS, now - DECIDED_RETENTION],
            )?;
            transaction.commit()?;
            Ok(removed as u64)
        })?;
        Ok(removed)
    }
}

/// Inserts a question, compressed. Nothing is inserted if the same question waits already, or if too many wait.
fn insert_question(
    transaction: &WriteTransaction<'_>,
    draft: &QuestionDraft<'_>,
    (shown, arguments): (&[u8], &[u8]),
    process: &str,
) -> rusqlite::Result<AskOutcome> {
    let known = transaction
        .prepare_cached("SELECT id FROM questions WHERE call = ?1 AND plan = ?2 AND state = 0")?
        .query_row(params![draft.call, draft.plan], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(AskOutcome::Known(id));
    }
    let is_taken = transaction
        .prepare_cached("SELECT 1 FROM questions WHERE id = ?1")?
        .exists([draft.id])?;
    if is_taken {
        return Ok(AskOutcome::Taken);
    }
    if let Some(earlier) = draft.renews {
        transaction
            .prepare_cached(
                "UPDATE questions SET state = ?3, followed_by = ?2, decided = ?4 WHERE id = ?1 AND state IN (0, 1)",
            )?
            .execute(params![
                earlier,
                draft.id,
                QuestionState::Superseded.database_number(),
                now_in_milliseconds()
            ])?;
    }
    let (of_session, all): (i64, i64) = transaction
        .prepare_cached(
            "SELECT count(*) FILTER (WHERE session = ?1), count(*) FROM questions WHERE state = 0",
        )?
        .query_row([draft.author.session], |row| row.try_into())?;
    if of_session >= MAX_OPEN_PER_SESSION as i64 {
        return Ok(AskOutcome::TooManyOfSession);
    }
    if all >= MAX_OPEN as i64 {
        return Ok(AskOutcome::TooMany);
    }
    let author = &draft.author;
    let root = draft.workspace.as_ref();
    let workspace = root.map(|found| workspaces::workspace_number(transaction, found));
    transaction
        .prepare_cached(
            "INSERT INTO questions (id, call, plan, time, workspace, session, client, call_id, tool, process, shown, arguments, state, delivered)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, 0)",
        )?
        .execute(params![
            draft.id,
            draft.call,
            draft.plan,
            now_in_milliseconds(),
            workspace.transpose()?,
            author.session,
            author.client,
            author.call,
            draft.tool,
            process,
            shown,
            arguments,
        ])?;
    for (at, file) in draft.files.iter().enumerate() {
        insert_file(transaction, draft.id, at, file)?;
    }
    let event = NewEvent {
        kind: EventKind::Waiting,
        workspace: draft.workspace,
        session: Some(author.session),
        client: author.client,
        body: draft.event,
    };
    events::append_event(transaction, &event).map(|_| AskOutcome::Recorded)
}

/// Adds the event of a decision, with the session, client and workspace of its question.
fn append_decided(
    transaction: &WriteTransaction<'_>,
    question: &str,
    body: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(concat!(
            "INSERT INTO events (seq, time, kind, workspace, session, client, body) SELECT ",
            next_event_sql!(),
            ", ?2, ?3, workspace, session, client, ?4 FROM questions WHERE id = ?1"
        ))?
        .execute(params![
            question,
            now_in_milliseconds(),
            EventKind::Decided.database_number(),
            body
        ])?;
    Ok(())
}

fn find_question_by(
    connection: &Connection,
    state: &Path,
    sql: &str,
    value: &dyn rusqlite::ToSql,
) -> rusqlite::Result<Option<QuestionRecord>> {
    let found = connection
        .prepare_cached(sql)?
        .query_row([value], |row| question_from_row(row, state))
        .optional()?;
    let Some(mut record) = found else {
        return Ok(None);
    };
    record.files = question_files(connection, &record.id)?;
    Ok(Some(record))
}
