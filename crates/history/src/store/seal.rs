//! Compressing contents when there is time, oldest first: small ones in the database, some in one transaction, large
//! ones file by file without one.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::blobs::{self, Packed};
use super::contents::{self, COMPRESSED, FILE, FORM, INCOMPRESSIBLE, Row, SPANS};
use super::prune::give_back;
use super::writing::Writing;
use crate::operation::Sealed;

/// Contents that one step compresses.
const STEP: usize = 50;
/// How hard compression tries.
pub(super) const LEVEL: i32 = 3;

/// Compresses contents.
pub(super) fn seal(
    connection: &mut Connection,
    state: &Path,
    budget: Duration,
) -> rusqlite::Result<Sealed> {
    let deadline = Instant::now() + budget;
    let mut sealed = Sealed::default();
    loop {
        let began = Instant::now();
        let ids: Vec<(i64, i64)> = {
            let mut statement = connection.prepare_cached(
                "SELECT id, form FROM contents WHERE form < 16 ORDER BY id LIMIT ?1",
            )?;
            let rows = statement.query_map([STEP as i64], |row| row.try_into())?;
            rows.collect::<rusqlite::Result<_>>()?
        };
        if ids.is_empty() {
            break;
        }
        let (files, rows): (Vec<_>, Vec<_>) =
            ids.into_iter().partition(|(_, form)| form & FORM == FILE);
        seal_rows(
            connection,
            state,
            rows.iter().map(|(id, _)| *id),
            &mut sealed,
        )?;
        for (id, _) in files {
            seal_file(connection, state, id, &mut sealed)?;
            if Instant::now() >= deadline {
                break;
            }
        }
        give_back(connection)?;
        if Instant::now() >= deadline {
            break;
        }
        // Whoever waits for the database has a turn as long as this step.
        sleep(began.elapsed());
    }
    sealed.left = connection
        .prepare_cached("SELECT count(*) FROM contents WHERE form < 16")?
        .query_row([], |row| row.get::<_, i64>(0))?
        .unsigned_abs();
    if sealed.left == 0 {
        bring_over(connection)?;
    }
    Ok(sealed)
}

/// Takes what is in the log over into the database, as far as nobody still reads it. Waits for nobody; without a log there
/// is nothing to do.
fn bring_over(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}

fn seal_rows(
    connection: &mut Connection,
    state: &Path,
    ids: impl Iterator<Item = i64>,
    sealed: &mut Sealed,
) -> rusqlite::Result<()> {
    let transaction = Writing::begin(connection)?;
    for id in ids {
        // Another process may have been quicker.
        if let Some(row) = contents::row(&transaction, id)?.filter(|row| row.form < COMPRESSED) {
            seal_row(&transaction, state, &row, sealed)?;
        }
    }
    transaction.commit()
}

fn seal_row(
    connection: &Connection,
    state: &Path,
    row: &Row,
    sealed: &mut Sealed,
) -> rusqlite::Result<()> {
    let data = contents::unpacked(state, row);
    // A content that is not what its name says is left for whoever looks into it.
    let whole = row.form & FORM == SPANS
        || data
            .as_ref()
            .is_some_and(|data| *blake3::hash(data).as_bytes() == row.revision);
    let packed = data.as_deref().filter(|_| whole).and_then(compressed);
    let Some(packed) = packed else {
        return mark(connection, row.id, INCOMPRESSIBLE);
    };
    connection
        .prepare_cached(
            "UPDATE contents SET form = form | ?2, stored = ?3, data = ?4 WHERE id = ?1",
        )?
        .execute(params![row.id, COMPRESSED, packed.len() as i64, packed])?;
    sealed.contents += 1;
    sealed.before += data.map_or(0, |data| data.len() as u64);
    sealed.after += packed.len() as u64;
    Ok(())
}

/// A file is packed before its row says so: whoever reads it in between tells by its bytes.
fn seal_file(
    connection: &Connection,
    state: &Path,
    id: i64,
    sealed: &mut Sealed,
) -> rusqlite::Result<()> {
    let Some(row) = contents::row(connection, id)?.filter(|row| row.form < COMPRESSED) else {
        return Ok(());
    };
    match blobs::pack(state, &row.revision, LEVEL) {
        Ok(Packed::Smaller { before, after }) => {
            connection
                .prepare_cached(
                    "UPDATE contents SET form = form | ?2, stored = ?3 WHERE id = ?1 AND form < 16",
                )?
                .execute(params![id, COMPRESSED, after as i64])?;
            sealed.contents += 1;
            sealed.before += before;
            sealed.after += after;
            Ok(())
        }
        // Not there yet, damaged, or as small as it gets.
        Ok(Packed::No) | Err(_) => mark(connection, id, INCOMPRESSIBLE),
    }
}

fn mark(connection: &Connection, id: i64, form: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE contents SET form = form | ?2 WHERE id = ?1")?
        .execute(params![id, form])?;
    Ok(())
}

/// Smaller by a tenth at least, or not at all.
pub(super) fn compressed(bytes: &[u8]) -> Option<Vec<u8>> {
    let packed = zstd::bulk::compress(bytes, LEVEL).ok()?;
    (packed.len() + bytes.len() / 10 < bytes.len()).then_some(packed)
}
