//! The tables `questions` and `question_files`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::clock::now_in_milliseconds;
use super::events::{self, NewEvent};
use super::ledgers::{entry_of, flags_of};
use super::transaction::WriteTransaction;
use super::{Store, StoreError, process, workspaces};
use crate::event::EventKind;
use crate::operation::ChangeKind;
use crate::question::{
    Asked, Decided, Digest, MOST_OPEN, MOST_OPEN_OF_A_SESSION, QuestionDraft, QuestionFile,
    QuestionQuery, QuestionRecord, QuestionState, QuestionStore, RecordedDecision,
};

const DAY: i64 = 24 * 60 * 60 * 1_000;
/// Undecided questions are removed after this time.
const UNDECIDED: i64 = 7 * DAY;
/// Decided questions are removed after this time: a yes is valid for a day.
const DECIDED: i64 = 2 * DAY;
/// The largest number of questions that one query returns.
const MOST_FOUND: usize = 2_000;
/// The compression level of what a question shows.
const LEVEL: i32 = 3;
/// The largest question that is read, in bytes.
const LARGEST: usize = 256 << 20;

/// The query for questions, without its conditions.
const ROWS: &str = "SELECT id, plan, time, session, client, call_id, tool, process, shown, state,
                           decision, decided_by, decided, delivered, followed_by, answer FROM questions";

impl QuestionStore for Store {
    fn ask(&self, draft: &QuestionDraft<'_>) -> Result<Asked, StoreError> {
        let shown = zstd::bulk::compress(draft.shown, LEVEL).unwrap_or_default();
        let (asked, _) = self.run(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let asked = insert(&transaction, draft, &shown, &self.process())?;
            if asked == Asked::Recorded {
                transaction.commit()?;
            }
            Ok(asked)
        })?;
        Ok(asked)
    }

    fn question_of_call(&self, call: &Digest) -> Result<Option<QuestionRecord>, StoreError> {
        let sql = format!("{ROWS} WHERE call = ?1 ORDER BY time DESC, id DESC LIMIT 1");
        Ok(self
            .run(|connection| one(connection, self.folder(), &sql, &call.as_slice()))?
            .0)
    }

    fn question(&self, id: &str) -> Result<Option<QuestionRecord>, StoreError> {
        let sql = format!("{ROWS} WHERE id = ?1");
        Ok(self
            .run(|connection| one(connection, self.folder(), &sql, &id))?
            .0)
    }

    fn questions(&self, query: &QuestionQuery) -> Result<Vec<QuestionRecord>, StoreError> {
        let most = query.limit.unwrap_or(MOST_FOUND).min(MOST_FOUND);
        let states = match query.decided {
            true => "",
            false => "WHERE state = 0",
        };
        let sql = format!("{ROWS} {states} ORDER BY time DESC, id DESC LIMIT {MOST_FOUND}");
        let (found, _) = self.run(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([], |row| record_of(row, self.folder()))?;
            let mut found = Vec::new();
            for record in rows {
                let mut record = record?;
                record.files = files_of(connection, &record.id)?;
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

    fn decide(
        &self,
        id: &str,
        approves: bool,
        decision: &[u8],
        by: &str,
        event: &str,
    ) -> Result<Decided, StoreError> {
        let state = match approves {
            true => QuestionState::Approved,
            false => QuestionState::Rejected,
        };
        let (decided, _) = self.run(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let changed = transaction
                .prepare_cached(
                    "UPDATE questions SET state = ?2, decision = ?3, decided_by = ?4, decided = ?5
                     WHERE id = ?1 AND state = 0",
                )?
                .execute(params![
                    id,
                    state.number(),
                    decision,
                    by,
                    now_in_milliseconds()
                ])?;
            if changed == 1 {
                append_decided(&transaction, id, event)?;
                transaction.commit()?;
                return Ok(Decided::Counts);
            }
            let found = transaction
                .prepare_cached("SELECT state FROM questions WHERE id = ?1")?
                .query_row([id], |row| row.get(0))
                .optional()?;
            Ok(found.map_or(Decided::Unknown, |state| {
                Decided::TooLate(QuestionState::of_number(state))
            }))
        })?;
        Ok(decided)
    }

    fn withdraw(&self, id: &str) -> Result<(), StoreError> {
        self.run(|connection| {
            connection
                .prepare_cached("UPDATE questions SET state = 4 WHERE id = ?1 AND state = 0")?
                .execute([id])
        })?;
        Ok(())
    }

    fn amend(&self, id: &str, decision: &[u8]) -> Result<bool, StoreError> {
        let (changed, _) = self.run(|connection| {
            connection
                .prepare_cached(
                    "UPDATE questions SET decision = ?2 WHERE id = ?1 AND state = 2 AND delivered = 0",
                )?
                .execute(params![id, decision])
        })?;
        Ok(changed == 1)
    }

    fn deliver(&self, id: &str) -> Result<bool, StoreError> {
        let (changed, _) = self.run(|connection| {
            connection
                .prepare_cached(
                    "UPDATE questions SET delivered = 1 WHERE id = ?1 AND delivered = 0",
                )?
                .execute([id])
        })?;
        Ok(changed == 1)
    }

    fn keep_answer(&self, id: &str, answer: &[u8]) -> Result<(), StoreError> {
        let answer = zstd::bulk::compress(answer, LEVEL).unwrap_or_default();
        self.run(|connection| {
            connection
                .prepare_cached("UPDATE questions SET answer = ?2 WHERE id = ?1")?
                .execute(params![id, answer])
        })?;
        Ok(())
    }

    fn no_longer_open(&self, ids: &[String]) -> Result<Vec<String>, StoreError> {
        let (found, _) = self.run(|connection| {
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

    fn prune_questions(&self) -> Result<u64, StoreError> {
        let (removed, _) = self.run(|connection| {
            let now = now_in_milliseconds();
            let mut statement = connection.prepare_cached(
                "SELECT DISTINCT process FROM questions WHERE state = 0 AND ended IS NULL",
            )?;
            let names = statement.query_map([], |row| row.get::<_, String>(0))?;
            let ended: Vec<String> = names
                .filter(|name| !matches!(name, Ok(name) if process::is_alive(self.folder(), name)))
                .collect::<rusqlite::Result<_>>()?;
            drop(statement);
            let any: bool = connection
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM questions
                     WHERE (state = 0 AND (time < ?1 OR ended < ?2)) OR (state <> 0 AND time < ?3))",
                )?
                .query_row(params![now - UNDECIDED, now - DAY, now - DECIDED], |row| row.get(0))?;
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
                params![now - UNDECIDED, now - DAY, now - DECIDED],
            )?;
            transaction.commit()?;
            Ok(removed as u64)
        })?;
        Ok(removed)
    }
}

/// Inserts a question; nothing is inserted where the same question waits already, or too many wait.
fn insert(
    transaction: &WriteTransaction<'_>,
    draft: &QuestionDraft<'_>,
    shown: &[u8],
    process: &str,
) -> rusqlite::Result<Asked> {
    let known = transaction
        .prepare_cached("SELECT id FROM questions WHERE call = ?1 AND plan = ?2 AND state = 0")?
        .query_row(params![draft.call, draft.plan], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(Asked::Known(id));
    }
    if let Some(earlier) = draft.renews {
        transaction
            .prepare_cached(
                "UPDATE questions SET state = ?3, followed_by = ?2 WHERE id = ?1 AND state IN (0, 1)",
            )?
            .execute(params![
                earlier,
                draft.id,
                QuestionState::Superseded.number()
            ])?;
    }
    let (of_session, all): (i64, i64) = transaction
        .prepare_cached(
            "SELECT count(*) FILTER (WHERE session = ?1), count(*) FROM questions WHERE state = 0",
        )?
        .query_row([draft.author.session], |row| row.try_into())?;
    if of_session >= MOST_OPEN_OF_A_SESSION as i64 {
        return Ok(Asked::TooManyOfSession);
    }
    if all >= MOST_OPEN as i64 {
        return Ok(Asked::TooMany);
    }
    let author = &draft.author;
    let workspace = draft.workspace.as_ref();
    let workspace = workspace.map(|found| workspaces::number_of(transaction, found));
    transaction
        .prepare_cached(
            "INSERT INTO questions (id, call, plan, time, workspace, session, client, call_id, tool, process, shown, state, delivered)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, 0)",
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
    events::append(transaction, &event)?;
    Ok(Asked::Recorded)
}

/// Adds the event of a decision, with the session, client and workspace of its question.
fn append_decided(
    transaction: &WriteTransaction<'_>,
    question: &str,
    body: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO events (time, kind, workspace, session, client, body)
             SELECT ?2, ?3, workspace, session, client, ?4 FROM questions WHERE id = ?1",
        )?
        .execute(params![
            question,
            now_in_milliseconds(),
            EventKind::Decided.number(),
            body
        ])?;
    Ok(())
}

fn insert_file(
    transaction: &WriteTransaction<'_>,
    question: &str,
    at: usize,
    file: &QuestionFile,
) -> rusqlite::Result<()> {
    let seen = file.seen.as_ref();
    transaction
        .prepare_cached(
            "INSERT INTO question_files (question, at, path, kind, added, removed, revision, size, stamp, seen, flags, wrote, numbers)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(params![
            question,
            at as i64,
            file.path.as_os_str().as_bytes(),
            file.kind.number(),
            file.added as i64,
            file.removed as i64,
            seen.map(|entry| entry.revision),
            seen.map(|entry| entry.size as i64),
            seen.map(|entry| entry.stamp.encode()),
            seen.map(|entry| entry.seen.encode()),
            seen.map(flags_of),
            seen.and_then(|entry| entry.wrote),
            seen.and_then(|entry| entry.numbers.encode()),
        ])?;
    Ok(())
}

fn one(
    connection: &Connection,
    state: &Path,
    sql: &str,
    value: &dyn rusqlite::ToSql,
) -> rusqlite::Result<Option<QuestionRecord>> {
    let found = connection
        .prepare_cached(sql)?
        .query_row([value], |row| record_of(row, state))
        .optional()?;
    let Some(mut record) = found else {
        return Ok(None);
    };
    record.files = files_of(connection, &record.id)?;
    Ok(Some(record))
}

fn record_of(row: &Row<'_>, state: &Path) -> rusqlite::Result<QuestionRecord> {
    let process: String = row.get(7)?;
    let decision: Option<Vec<u8>> = row.get(10)?;
    let (by, time): (Option<String>, Option<i64>) = (row.get(11)?, row.get(12)?);
    let unpacked = |bytes: Vec<u8>| zstd::bulk::decompress(&bytes, LARGEST).unwrap_or_default();
    Ok(QuestionRecord {
        id: row.get(0)?,
        plan: row.get(1)?,
        time: row.get(2)?,
        session: row.get(3)?,
        client: row.get(4)?,
        call_id: row.get(5)?,
        tool: row.get(6)?,
        is_caller_alive: process::is_alive(state, &process),
        shown: unpacked(row.get(8)?),
        files: Vec::new(),
        state: QuestionState::of_number(row.get(9)?),
        decision: decision.map(|words| RecordedDecision {
            words,
            by: by.unwrap_or_default(),
            time: time.unwrap_or_default(),
        }),
        delivered: row.get(13)?,
        followed_by: row.get(14)?,
        answer: row.get::<_, Option<Vec<u8>>>(15)?.map(unpacked),
    })
}

fn files_of(connection: &Connection, question: &str) -> rusqlite::Result<Vec<QuestionFile>> {
    let mut statement = connection.prepare_cached(
        "SELECT path, revision, size, stamp, seen, flags, wrote, numbers, kind, added, removed
         FROM question_files WHERE question = ?1 ORDER BY at",
    )?;
    let rows = statement.query_map([question], |row| {
        let path: Vec<u8> = row.get(0)?;
        let seen = match row.get_ref(1)? {
            rusqlite::types::ValueRef::Null => None,
            _ => entry_of(row)?.map(|(_, entry)| entry),
        };
        Ok(QuestionFile {
            path: PathBuf::from(OsStr::from_bytes(&path)),
            kind: ChangeKind::of(row.get(8)?).unwrap_or_default(),
            added: row.get::<_, i64>(9)?.unsigned_abs(),
            removed: row.get::<_, i64>(10)?.unsigned_abs(),
            seen,
        })
    })?;
    rows.collect()
}

/// Uses a yes up for an operation, in the transaction that announces it. False if the yes is not there, or was used.
pub(super) fn use_up(
    transaction: &WriteTransaction<'_>,
    question: &str,
    operation: &str,
) -> rusqlite::Result<bool> {
    let changed = transaction
        .prepare_cached(
            "UPDATE questions SET state = 3, followed_by = ?2 WHERE id = ?1 AND state = 1 AND decided > ?3",
        )?
        .execute(params![question, operation, now_in_milliseconds() - DAY])?;
    Ok(changed == 1)
}

/// Gives the yes back that an operation used up and did not need, because nothing was written.
pub(super) fn give_back(
    transaction: &WriteTransaction<'_>,
    operation: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE questions SET state = 1, followed_by = NULL WHERE followed_by = ?1 AND state = 3",
        )?
        .execute([operation])?;
    Ok(())
}
