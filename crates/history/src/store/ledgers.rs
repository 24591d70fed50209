//! The ledgers in SQLite: the statements, and the conversion of entries to and from columns.

use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::hash::{BuildHasher, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::clock::now;
use super::ledger_tables::{DAY_SECONDS, SELECT_LEDGER_ROWS};
use super::transaction::WriteTransaction;
use super::{HistoryError, LedgerStore, LoadCursor, LoadedRows, SaveOutcome, Store};
use crate::entry::{FileVersion, LedgerEntry};
use crate::ledger::LedgerBudget;
use crate::line_numbers::LineNumbers;
use crate::seen::SeenRanges;
use crate::session::SessionName;
use crate::stamp::StampRecord;

/// The rows beyond the budget are removed once in this many saves.
const SAVES_PER_SWEEP: i64 = 256;
/// The bit of the column `flags` for a partial view.
const PARTIAL_VIEW_FLAG: i64 = 1;

/// Identifies the store that saved a row. A store does not load its own rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WriterId(i64);

impl WriterId {
    /// Returns a random value, different in every process.
    pub(super) fn new() -> Self {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u32(std::process::id());
        Self(hasher.finish() as i64)
    }
}

impl LedgerStore for Store {
    fn load_rows(
        &self,
        session: &SessionName,
        since: LoadCursor,
    ) -> Result<LoadedRows, HistoryError> {
        let ((rows, cursor), set_aside) =
            self.run_on_database(|connection| load(connection, session, since, self.writer_id()))?;
        Ok(LoadedRows {
            rows,
            cursor,
            set_aside,
        })
    }

    fn save_entries(
        &self,
        session: &SessionName,
        entries: &[(&Path, &LedgerEntry)],
    ) -> Result<SaveOutcome, HistoryError> {
        let ((), set_aside) = self
            .run_on_database(|connection| save(connection, session, entries, self.writer_id()))?;
        Ok(SaveOutcome::new(set_aside))
    }

    fn forget_file(&self, session: &SessionName, path: &Path) -> Result<SaveOutcome, HistoryError> {
        let ((), set_aside) =
            self.run_on_database(|connection| forget(connection, session, path))?;
        Ok(SaveOutcome::new(set_aside))
    }
}

type Rows = (Vec<(PathBuf, LedgerEntry)>, LoadCursor);

fn load(
    connection: &mut Connection,
    session: &SessionName,
    since: LoadCursor,
    writer: WriterId,
) -> rusqlite::Result<Rows> {
    // One transaction reads cursor and rows; otherwise a row saved in between would never be loaded.
    let transaction = connection.transaction()?;
    let found = transaction
        .prepare_cached("SELECT id, turn, used FROM sessions WHERE name = ?1")?
        .query_row([session.as_str()], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, i64>(1)?,
                row.get::<_, i64>(2)?,
            ))
        })
        .optional()?;
    let Some((id, turn, used)) = found else {
        return Ok((Vec::new(), LoadCursor::default()));
    };
    // A cursor ahead of the database belongs to a database that was set aside meanwhile.
    let since = if since.0 > turn {
        LoadCursor::default()
    } else {
        since
    };
    let mut rows = Vec::new();
    if since.0 < turn {
        let mut statement = transaction.prepare_cached(&format!(
            "{SELECT_LEDGER_ROWS} WHERE session = ?1 AND used > ?2 AND (?2 = 0 OR writer <> ?3) ORDER BY used"
        ))?;
        let mut found = statement.query(params![id, since.0, writer.0])?;
        while let Some(row) = found.next()? {
            // A row that cannot be decoded is dropped; the file then counts as not read.
            rows.extend(ledger_entry_from_row(row)?);
        }
    }
    transaction.commit()?;
    // A load counts as a use, recorded at most once a day.
    if used < now() - DAY_SECONDS {
        connection.execute(
            "UPDATE sessions SET used = ?2 WHERE id = ?1",
            params![id, now()],
        )?;
    }
    Ok((rows, LoadCursor(turn)))
}

fn save(
    connection: &mut Connection,
    session: &SessionName,
    entries: &[(&Path, &LedgerEntry)],
    writer: WriterId,
) -> rusqlite::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let transaction = WriteTransaction::begin(connection)?;
    let (id, last) = reserve_save_numbers(&transaction, session, entries.len() as i64)?;
    let first = last - entries.len() as i64 + 1;
    for (turn, (path, entry)) in (first..).zip(entries) {
        save_row(&transaction, id, turn, path, entry, writer)?;
    }
    if first / SAVES_PER_SWEEP != (last + 1) / SAVES_PER_SWEEP {
        remove_rows_over_budget(&transaction, id)?;
    }
    transaction.commit()
}

/// Reserves numbers of saves; returns the session's row id and the last of the numbers.
fn reserve_save_numbers(
    transaction: &WriteTransaction<'_>,
    session: &SessionName,
    turns: i64,
) -> rusqlite::Result<(i64, i64)> {
    transaction
        .prepare_cached(
            "INSERT INTO sessions (name, used, turn) VALUES (?1, ?2, ?3)
             ON CONFLICT (name) DO UPDATE SET used = excluded.used, turn = turn + excluded.turn
             RETURNING id, turn",
        )?
        .query_row(params![session.as_str(), now(), turns], |row| {
            row.try_into()
        })
}

fn save_row(
    transaction: &WriteTransaction<'_>,
    session: i64,
    turn: i64,
    path: &Path,
    entry: &LedgerEntry,
    writer: WriterId,
) -> rusqlite::Result<()> {
    let path = path.as_os_str().as_bytes();
    // The row may contain ranges that another process saved and this one never loaded, so they are merged. A single
    // statement does this: querying the row first took a third of the time of a save of a hundred files.
    transaction
        .prepare_cached(
            "INSERT INTO ledger (session, path, revision, size, stamp, seen, flags, wrote, writer, used, numbers)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT (session, path) DO UPDATE SET
                 seen = CASE WHEN revision = excluded.revision AND flags = excluded.flags
                     THEN merge_seen(seen, excluded.seen) ELSE excluded.seen END,
                 revision = excluded.revision, size = excluded.size, stamp = excluded.stamp, flags = excluded.flags,
                 wrote = excluded.wrote, writer = excluded.writer, used = excluded.used, numbers = excluded.numbers",
        )?
        .execute(params![
            session,
            path,
            entry.revision,
            entry.size as i64,
            entry.stamp.encode(),
            entry.seen.encode(),
            entry_flags(entry),
            entry.wrote,
            writer.0,
            turn,
            entry.numbers.encode()
        ])?;
    Ok(())
}

/// Removes the oldest rows beyond the budget of a ledger.
fn remove_rows_over_budget(
    transaction: &WriteTransaction<'_>,
    session: i64,
) -> rusqlite::Result<()> {
    let most = i64::try_from(LedgerBudget::default().entries).unwrap_or(i64::MAX);
    transaction
        .prepare_cached(
            "DELETE FROM ledger WHERE session = ?1 AND used <=
             (SELECT used FROM ledger WHERE session = ?1 ORDER BY used DESC LIMIT 1 OFFSET ?2)",
        )?
        .execute(params![session, most])?;
    Ok(())
}

fn forget(connection: &mut Connection, session: &SessionName, path: &Path) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM ledger WHERE path = ?2 AND session = (SELECT id FROM sessions WHERE name = ?1)")?
        .execute(params![session.as_str(), path.as_os_str().as_bytes()])?;
    Ok(())
}

pub(super) fn entry_flags(entry: &LedgerEntry) -> i64 {
    if entry.partial_view {
        PARTIAL_VIEW_FLAG
    } else {
        0
    }
}

pub(super) fn ledger_entry_from_row(
    row: &Row<'_>,
) -> rusqlite::Result<Option<(PathBuf, LedgerEntry)>> {
    let path: Vec<u8> = row.get(0)?;
    let revision: Vec<u8> = row.get(1)?;
    let size: i64 = row.get(2)?;
    let stamp: Vec<u8> = row.get(3)?;
    let seen: Vec<u8> = row.get(4)?;
    let flags: i64 = row.get(5)?;
    let wrote: Option<Vec<u8>> = row.get(6)?;
    let numbers: Option<Vec<u8>> = row.get(7)?;
    let entry = || {
        let version = FileVersion {
            revision: revision.try_into().ok()?,
            size: size as u64,
            stamp: StampRecord::decode(&stamp)?,
        };
        let mut entry = LedgerEntry::new(version);
        entry.seen = SeenRanges::decode(&seen)?;
        entry.seen.truncate(version.size);
        entry.numbers = LineNumbers::decode(numbers.as_deref());
        entry.partial_view = flags & PARTIAL_VIEW_FLAG != 0;
        entry.wrote = wrote.and_then(|revision| revision.try_into().ok());
        Some(entry)
    };
    Ok(entry().map(|entry| (PathBuf::from(OsStr::from_bytes(&path)), entry)))
}
