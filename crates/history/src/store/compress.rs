//! Background compression of contents, oldest first: those in the database in transactions of a bounded number, those
//! in files one by one without a transaction.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::blobs::{self, PackResult};
use super::contents::{
    self, COMPRESSED, ContentRow, FORM_FILE, FORM_MASK, FORM_SPANS, INCOMPRESSIBLE,
};
use super::prune::release_free_pages;
use super::transaction::WriteTransaction;
use crate::operation::CompressResult;

/// The number of contents that one step compresses.
const CONTENTS_PER_STEP: usize = 50;
/// The compression level of zstd.
pub(super) const ZSTD_LEVEL: i32 = 3;

/// Compresses contents until none is left or the budget ends.
pub(super) fn compress_contents(
    connection: &mut Connection,
    state: &Path,
    budget: Duration,
) -> rusqlite::Result<CompressResult> {
    let deadline = Instant::now() + budget;
    let mut done = CompressResult::default();
    loop {
        let began = Instant::now();
        let ids: Vec<(i64, i64)> = {
            let mut statement = connection.prepare_cached(
                "SELECT id, form FROM contents WHERE form < 16 ORDER BY id LIMIT ?1",
            )?;
            let rows = statement.query_map([CONTENTS_PER_STEP as i64], |row| row.try_into())?;
            rows.collect::<rusqlite::Result<_>>()?
        };
        if ids.is_empty() {
            break;
        }
        let (files, rows): (Vec<_>, Vec<_>) = ids
            .into_iter()
            .partition(|(_, form)| form & FORM_MASK == FORM_FILE);
        compress_rows(connection, state, rows.iter().map(|(id, _)| *id), &mut done)?;
        for (id, _) in files {
            compress_file(connection, state, id, &mut done)?;
            if Instant::now() >= deadline {
                break;
            }
        }
        release_free_pages(connection)?;
        if Instant::now() >= deadline {
            break;
        }
        // The pause is as long as the step, so that other processes get the database half of the time.
        sleep(began.elapsed());
    }
    done.left = connection
        .prepare_cached("SELECT count(*) FROM contents WHERE form < 16")?
        .query_row([], |row| row.get::<_, i64>(0))?
        .unsigned_abs();
    if done.left == 0 {
        checkpoint_log(connection)?;
    }
    Ok(done)
}

/// Copies the write-ahead log into the database as far as no reader needs it (a passive checkpoint, which does not
/// wait).
fn checkpoint_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}

fn compress_rows(
    connection: &mut Connection,
    state: &Path,
    ids: impl Iterator<Item = i64>,
    done: &mut CompressResult,
) -> rusqlite::Result<()> {
    let transaction = WriteTransaction::begin(connection)?;
    for id in ids {
        // Another process may have compressed it meanwhile.
        if let Some(row) = contents::find_row(&transaction, id)?.filter(|row| row.form < COMPRESSED)
        {
            compress_row(&transaction, state, &row, done)?;
        }
    }
    transaction.commit()
}

fn compress_row(
    connection: &Connection,
    state: &Path,
    row: &ContentRow,
    done: &mut CompressResult,
) -> rusqlite::Result<()> {
    let data = contents::unpack_row(state, row);
    // A content that does not match its hash is left unchanged, so that it can be examined.
    let whole = row.form & FORM_MASK == FORM_SPANS
        || data
            .as_ref()
            .is_some_and(|data| *blake3::hash(data).as_bytes() == row.revision);
    let packed = data.as_deref().filter(|_| whole).and_then(compress_bytes);
    let Some(packed) = packed else {
        return set_form_flag(connection, row.id, INCOMPRESSIBLE);
    };
    connection
        .prepare_cached(
            "UPDATE contents SET form = form | ?2, stored = ?3, data = ?4 WHERE id = ?1",
        )?
        .execute(params![row.id, COMPRESSED, packed.len() as i64, packed])?;
    done.contents += 1;
    done.before += data.map_or(0, |data| data.len() as u64);
    done.after += packed.len() as u64;
    Ok(())
}

/// Compresses the file of a content. The file is replaced before its row is updated; a reader in between recognises the
/// compressed form by its first bytes.
fn compress_file(
    connection: &Connection,
    state: &Path,
    id: i64,
    done: &mut CompressResult,
) -> rusqlite::Result<()> {
    let Some(row) = contents::find_row(connection, id)?.filter(|row| row.form < COMPRESSED) else {
        return Ok(());
    };
    match blobs::compress_file(state, &row.revision, ZSTD_LEVEL) {
        Ok(PackResult::Smaller { before, after }) => {
            connection
                .prepare_cached(
                    "UPDATE contents SET form = form | ?2, stored = ?3 WHERE id = ?1 AND form < 16",
                )?
                .execute(params![id, COMPRESSED, after as i64])?;
            done.contents += 1;
            done.before += before;
            done.after += after;
            Ok(())
        }
        // The file is missing or damaged, or does not become smaller.
        Ok(PackResult::No) | Err(_) => set_form_flag(connection, id, INCOMPRESSIBLE),
    }
}

fn set_form_flag(connection: &Connection, id: i64, form: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE contents SET form = form | ?2 WHERE id = ?1")?
        .execute(params![id, form])?;
    Ok(())
}

/// Returns the compressed bytes if they are smaller by at least a tenth; none otherwise.
pub(super) fn compress_bytes(bytes: &[u8]) -> Option<Vec<u8>> {
    let packed = zstd::bulk::compress(bytes, ZSTD_LEVEL).ok()?;
    (packed.len() + bytes.len() / 10 < bytes.len()).then_some(packed)
}
