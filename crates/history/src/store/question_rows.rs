//! The rows of the tables `questions` and `question_files`, and how they are written and read.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use lancet_local_state::process;
use rusqlite::{Connection, Row, params};
use zstd::stream::read::Decoder;

use super::ledgers::{entry_flags, ledger_entry_from_row};
use super::transaction::WriteTransaction;
use crate::operation::ChangeKind;
use crate::question::{QuestionFile, QuestionRecord, QuestionState, RecordedDecision};

/// The largest question that is read, in bytes.
const MAX_QUESTION_BYTES: u64 = 256 << 20;

/// The query for questions, without its conditions.
pub(super) const SELECT_QUESTIONS: &str = "SELECT id, plan, time, session, client, call_id, tool, process, shown, state,
                           decision, decided_by, decided, delivered, followed_by, answer FROM questions";

pub(super) fn insert_file(
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
            file.kind.database_number(),
            file.added as i64,
            file.removed as i64,
            seen.map(|entry| entry.revision),
            seen.map(|entry| entry.size as i64),
            seen.map(|entry| entry.stamp.encode()),
            seen.map(|entry| entry.seen.encode()),
            seen.map(entry_flags),
            seen.and_then(|entry| entry.wrote),
            seen.and_then(|entry| entry.numbers.encode()),
        ])?;
    Ok(())
}

/// Decompresses a column; empty if it is damaged or too large.
pub(super) fn decompress_column(bytes: Vec<u8>) -> Vec<u8> {
    let mut whole = Vec::new();
    let read = Decoder::new(bytes.as_slice())
        .and_then(|decoder| decoder.take(MAX_QUESTION_BYTES).read_to_end(&mut whole));
    match read {
        Ok(length) if (length as u64) < MAX_QUESTION_BYTES => whole,
        _ => Vec::new(),
    }
}

pub(super) fn question_from_row(row: &Row<'_>, state: &Path) -> rusqlite::Result<QuestionRecord> {
    let process: String = row.get(7)?;
    let decision: Option<Vec<u8>> = row.get(10)?;
    let (by, time): (Option<String>, Option<i64>) = (row.get(11)?, row.get(12)?);
    Ok(QuestionRecord {
        id: row.get(0)?,
        plan: row.get(1)?,
        time: row.get(2)?,
        session: row.get(3)?,
        client: row.get(4)?,
        call_id: row.get(5)?,
        tool: row.get(6)?,
        is_caller_alive: process::is_alive(state, &process),
        shown: decompress_column(row.get(8)?),
        files: Vec::new(),
        state: QuestionState::from_number(row.get(9)?),
        decision: decision.map(|words| RecordedDecision {
            words,
            by: by.unwrap_or_default(),
            time: time.unwrap_or_default(),
        }),
        delivered: row.get(13)?,
        followed_by: row.get(14)?,
        answer: row.get::<_, Option<Vec<u8>>>(15)?.map(decompress_column),
    })
}

pub(super) fn question_files(
    connection: &Connection,
    question: &str,
) -> rusqlite::Result<Vec<QuestionFile>> {
    let mut statement = connection.prepare_cached(
        "SELECT path, revision, size, stamp, seen, flags, wrote, numbers, kind, added, removed
         FROM question_files WHERE question = ?1 ORDER BY at",
    )?;
    let rows = statement.query_map([question], |row| {
        let path: Vec<u8> = row.get(0)?;
        let seen = match row.get_ref(1)? {
            rusqlite::types::ValueRef::Null => None,
            _ => ledger_entry_from_row(row)?.map(|(_, entry)| entry),
        };
        Ok(QuestionFile {
            path: PathBuf::from(OsStr::from_bytes(&path)),
            kind: ChangeKind::from_number(row.get(8)?).unwrap_or_default(),
            added: row.get::<_, i64>(9)?.unsigned_abs(),
            removed: row.get::<_, i64>(10)?.unsigned_abs(),
            seen,
        })
    })?;
    rows.collect()
}
