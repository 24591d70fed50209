//! Keeping the history within its limits: the oldest operations go, then contents that nothing needs, and what stays is
//! compressed. In steps of their own transactions, so that nobody waits long for the database.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior, params};

use super::contents::{self, BYTES, COMPRESSED, FILE, FORM, INCOMPRESSIBLE, INLINE, SPANS};
use super::open::now;
use super::{blobs, contents::Row};
use crate::entry::Revision;
use crate::operation::{Limits, Removed, Sealed};

/// Operations that one step removes.
const STEP: usize = 200;
/// Contents that one step compresses.
const SEALED_STEP: usize = 100;
/// Smaller contents are not worth compressing.
const LEAST: u64 = 256;
/// How hard compression tries.
const LEVEL: i32 = 3;
/// Larger contents are not compressed: they would have to be held in memory.
const LARGEST: u64 = 256 << 20;

/// Removes what is beyond the limits.
pub(super) fn prune(
    connection: &mut Connection,
    state: &Path,
    limits: &Limits,
    budget: Duration,
) -> rusqlite::Result<Removed> {
    let deadline = Instant::now() + budget;
    let mut removed = Removed::default();
    let oldest = now()
        .saturating_mul(1000)
        .saturating_sub(i64::try_from(limits.age.as_millis()).unwrap_or(i64::MAX));
    loop {
        let size = size(connection)?;
        let gone = remove_oldest(connection, |time| time < oldest || size > limits.size)?;
        removed.operations += gone;
        // The contents are looked at once where nothing was removed: an abandoned operation may have left some.
        remove_contents(connection, state, &mut removed)?;
        if gone == 0 {
            break;
        }
        if Instant::now() >= deadline {
            removed.unfinished = true;
            break;
        }
    }
    connection.execute(
        "DELETE FROM refusals WHERE hour < ?1",
        [oldest / 1000 / 3600],
    )?;
    removed.left = self::size(connection)?;
    Ok(removed)
}

/// Bytes that the history takes: pages in use, and files.
fn size(connection: &Connection) -> rusqlite::Result<u64> {
    let pragma = |name: &str| -> rusqlite::Result<i64> {
        connection.pragma_query_value(None, name, |row| row.get(0))
    };
    let pages = pragma("page_count")? - pragma("freelist_count")?;
    let files: i64 = connection.query_row(
        "SELECT coalesce(sum(stored), 0) FROM contents WHERE form & 15 = 1",
        [],
        |row| row.get(0),
    )?;
    Ok((pages * pragma("page_size")? + files).unsigned_abs())
}

/// Removes up to a step of the oldest operations for whose time `goes` holds and that are not the newest of any file.
fn remove_oldest(connection: &mut Connection, goes: impl Fn(i64) -> bool) -> rusqlite::Result<u64> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let candidates: Vec<(String, i64)> = {
        let mut statement = transaction.prepare(
            "SELECT o.id, o.time FROM operations o WHERE o.id NOT IN (SELECT id FROM begun)
             AND NOT EXISTS (SELECT 1 FROM files f WHERE f.operation = o.id
                 AND NOT EXISTS (SELECT 1 FROM files later WHERE later.path = f.path AND later.operation > o.id))
             ORDER BY o.id LIMIT ?1",
        )?;
        let rows = statement.query_map([STEP as i64], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let mut removed = 0;
    for (id, _) in candidates.iter().filter(|(_, time)| goes(*time)) {
        transaction.execute(
            "DELETE FROM taken_back WHERE operation = ?1 OR earlier = ?1",
            [id],
        )?;
        transaction.execute("DELETE FROM operations WHERE id = ?1", [id])?;
        removed += 1;
    }
    transaction.commit()?;
    Ok(removed)
}

/// Removes the contents that no operation needs. One that is the base of another is put into that other first.
fn remove_contents(
    connection: &mut Connection,
    state: &Path,
    removed: &mut Removed,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut needed: HashSet<i64> = HashSet::new();
    {
        let mut statement = transaction.prepare("SELECT before, after FROM files")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            needed.extend(row.get::<_, Option<i64>>(0)?);
            needed.extend(row.get::<_, Option<i64>>(1)?);
        }
    }
    let all: Vec<(i64, Option<i64>, Revision, i64, i64)> = {
        let mut statement =
            transaction.prepare("SELECT id, base, revision, form, stored FROM contents")?;
        let rows = statement.query_map([], |row| row.try_into())?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    for (id, base, revision, ..) in &all {
        if needed.contains(id) && base.is_some_and(|base| !needed.contains(&base)) {
            // What cannot be put together keeps its base: nothing that might be mended is thrown away.
            match contents::get(&transaction, state, revision)? {
                Some(bytes) => store_whole(&transaction, state, *id, revision, &bytes)?,
                None => {
                    let mut next = *base;
                    while let Some(base) = next {
                        if !needed.insert(base) {
                            break;
                        }
                        next = contents::row(&transaction, base)?.and_then(|row| row.base);
                    }
                }
            }
        }
    }
    let mut files = Vec::new();
    for (id, _, revision, form, stored) in &all {
        if !needed.contains(id) {
            transaction
                .prepare_cached("DELETE FROM contents WHERE id = ?1")?
                .execute([id])?;
            removed.contents += 1;
            removed.bytes += stored.unsigned_abs();
            if form & FORM == FILE {
                files.push(*revision);
            }
        }
    }
    transaction.commit()?;
    for revision in &files {
        blobs::remove(state, revision);
    }
    let known: HashSet<Revision> = all
        .iter()
        .filter(|(id, ..)| needed.contains(id))
        .map(|(_, _, revision, ..)| *revision)
        .collect();
    removed.bytes += blobs::sweep(state, &|revision| known.contains(revision));
    Ok(())
}

/// Turns spans into the whole content.
fn store_whole(
    connection: &Connection,
    state: &Path,
    id: i64,
    revision: &Revision,
    bytes: &[u8],
) -> rusqlite::Result<()> {
    let packed = compressed(bytes);
    let data = packed.as_deref().unwrap_or(bytes);
    let mut form = if packed.is_some() {
        COMPRESSED
    } else {
        INCOMPRESSIBLE
    };
    let mut kept = Some(data);
    if data.len() as u64 > INLINE {
        if blobs::rewrite(state, revision, data).is_err() {
            return Ok(());
        }
        form |= FILE;
        kept = None;
    } else {
        form |= BYTES;
    }
    connection
        .prepare_cached(
            "UPDATE contents SET form = ?2, base = NULL, depth = 0, stored = ?3, data = ?4 WHERE id = ?1",
        )?
        .execute(params![id, form, data.len() as i64, kept])?;
    Ok(())
}

/// Compresses contents, oldest first.
pub(super) fn seal(
    connection: &mut Connection,
    state: &Path,
    budget: Duration,
) -> rusqlite::Result<Sealed> {
    let deadline = Instant::now() + budget;
    let mut sealed = Sealed::default();
    loop {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let ids: Vec<i64> = {
            let mut statement = transaction.prepare(
                "SELECT id FROM contents WHERE form < 16 AND stored BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3",
            )?;
            let rows = statement.query_map(
                params![LEAST as i64, LARGEST as i64, SEALED_STEP as i64],
                |row| row.get(0),
            )?;
            rows.collect::<rusqlite::Result<_>>()?
        };
        let more = ids.len() == SEALED_STEP;
        for id in ids {
            if Instant::now() >= deadline {
                transaction.commit()?;
                return Ok(sealed);
            }
            if let Some(row) = contents::row(&transaction, id)? {
                seal_row(&transaction, state, &row, &mut sealed)?;
            }
        }
        transaction.commit()?;
        if !more {
            return Ok(sealed);
        }
    }
}

fn seal_row(
    connection: &Connection,
    state: &Path,
    row: &Row,
    sealed: &mut Sealed,
) -> rusqlite::Result<()> {
    let kind = row.form & FORM;
    let data = contents::unpacked(state, row);
    // A content that is not what its name says is left for whoever looks into it.
    let whole = kind == SPANS
        || data
            .as_ref()
            .is_some_and(|data| *blake3::hash(data).as_bytes() == row.revision);
    let packed = data.as_deref().filter(|_| whole).and_then(compressed);
    let Some(packed) = packed else {
        connection.execute(
            "UPDATE contents SET form = form | ?2 WHERE id = ?1",
            params![row.id, INCOMPRESSIBLE],
        )?;
        return Ok(());
    };
    let mut kept = Some(&packed);
    if kind == FILE {
        if blobs::rewrite(state, &row.revision, &packed).is_err() {
            return Ok(());
        }
        kept = None;
    }
    connection
        .prepare_cached(
            "UPDATE contents SET form = form | ?2, stored = ?3, data = ?4 WHERE id = ?1",
        )?
        .execute(params![row.id, COMPRESSED, packed.len() as i64, kept])?;
    sealed.contents += 1;
    sealed.before += data.map_or(0, |data| data.len() as u64);
    sealed.after += packed.len() as u64;
    Ok(())
}

/// Smaller by a tenth at least, or not at all.
fn compressed(bytes: &[u8]) -> Option<Vec<u8>> {
    let packed = zstd::bulk::compress(bytes, LEVEL).ok()?;
    (packed.len() + bytes.len() / 10 < bytes.len()).then_some(packed)
}
