//! Pruning: the oldest operations beyond the limits are removed, and the contents that no operation needs any more.
//! Each step is a transaction of a bounded number of operations, so that no other process waits long for the
//! database.

use std::collections::HashSet;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::clock::now;
use super::contents::{self, BYTES, COMPRESSED, FILE, FORM, INCOMPRESSIBLE, INLINE_LIMIT};
use super::transaction::WriteTransaction;
use super::{age, blobs, comments, compress, events, looks, marks, old_checkpoints, sub_agents};
use crate::entry::Revision;
use crate::operation::{Limits, OperationKind, Removed};

/// The number of operations that one step examines.
const STEP: usize = 100;
/// The number of free pages that one step returns to the file system.
const FREED: i64 = 256;
/// Active sessions are searched among this many of the last operations.
const RECENT: i64 = 10_000;
/// A session is active for this many seconds after its last change.
const AT_WORK: i64 = 60 * 60;

/// Removes the operations beyond the limits.
pub(super) fn prune(
    connection: &mut Connection,
    state: &Path,
    limits: &Limits,
    budget: Duration,
) -> rusqlite::Result<Removed> {
    let deadline = Instant::now() + budget;
    let mut removed = Removed::default();
    let age = age::Limit::now(limits);
    age::forget_early(connection, &age)?;
    let at_work = sessions_at_work(connection)?;
    // Checkpoints are removed before operations.
    old_checkpoints::prune(connection, state, age.oldest(), limits, &mut removed)?;
    let mut after = -1;
    loop {
        let began = Instant::now();
        let size_limit = if size(connection)? > limits.size {
            SizeLimit::Exceeded
        } else {
            SizeLimit::Within
        };
        let step = step(
            connection,
            state,
            after,
            &mut removed,
            &at_work,
            &age,
            size_limit,
        )?;
        let Some(last) = step else {
            break;
        };
        after = last;
        if Instant::now() >= deadline {
            removed.unfinished = true;
            break;
        }
        // The pause is as long as the step, so that other processes get the database half of the time.
        sleep(began.elapsed());
    }
    age::prune_refusals(connection, &age)?;
    marks::prune(connection, &age)?;
    sub_agents::prune(connection, age.oldest())?;
    events::prune(connection, &age)?;
    comments::prune(connection)?;
    looks::prune(connection)?;
    shrink(connection)?;
    removed.left = size(connection)?;
    Ok(removed)
}

/// Returns the bytes that the history takes: database pages in use, and content files.
pub(super) fn size(connection: &Connection) -> rusqlite::Result<u64> {
    let pages = pragma(connection, "page_count")? - pragma(connection, "freelist_count")?;
    let pages = (pages * pragma(connection, "page_size")?).unsigned_abs();
    Ok(pages + content_files(connection)?)
}

/// Returns the bytes of the contents that are stored as separate files.
pub(super) fn content_files(connection: &Connection) -> rusqlite::Result<u64> {
    let files: i64 = connection
        .prepare_cached("SELECT coalesce(sum(stored), 0) FROM contents WHERE form & 15 = 1")?
        .query_row([], |row| row.get(0))?;
    Ok(files.unsigned_abs())
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}

/// Returns the sessions that changed something in the last hour. The first operation of each on a file is not
/// removed, whatever the size.
pub(super) fn sessions_at_work(connection: &Connection) -> rusqlite::Result<HashSet<String>> {
    let since = (now() - AT_WORK) * 1000;
    // The search does not stop at the first older operation: the clock may have been set back when that was recorded.
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT session FROM
             (SELECT session, time FROM operations ORDER BY sequence DESC LIMIT ?2) WHERE time >= ?1",
    )?;
    let rows = statement.query_map([since, RECENT], |row| row.get(0))?;
    rows.collect()
}

/// Whether the history is within its limit of size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SizeLimit {
    /// The history is small enough; only the age of operations counts.
    Within,
    /// The history is too large; the oldest operations are removed whatever their age.
    Exceeded,
}

/// An operation that may be removed.
struct Candidate {
    id: String,
    sequence: i64,
    session: String,
    age: age::Age,
}

/// Examines the next operations after `after`, in the order of recording, and removes those that are beyond the limits.
/// Returns the last one examined; none if there are no more, or if none of them is beyond a limit.
fn step(
    connection: &mut Connection,
    state: &Path,
    after: i64,
    removed: &mut Removed,
    at_work: &HashSet<String>,
    age: &age::Limit,
    size_limit: SizeLimit,
) -> rusqlite::Result<Option<i64>> {
    // A plain read first: most of the time there is nothing to remove, and no write transaction is needed.
    let candidates: Vec<Candidate> = {
        let mut statement = connection.prepare_cached(
            "SELECT id, sequence, session, time, overdue FROM operations
             WHERE sequence > ?1 ORDER BY sequence LIMIT ?2",
        )?;
        let rows = statement.query_map(params![after, STEP as i64], |row| {
            Ok(Candidate {
                id: row.get(0)?,
                sequence: row.get(1)?,
                session: row.get(2)?,
                age: age.age_of(row.get(3)?, row.get(4)?),
            })
        })?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let Some(last) = candidates.last().map(|last| last.sequence) else {
        return Ok(None);
    };
    let beyond: Vec<&Candidate> = candidates
        .iter()
        .filter(|found| size_limit == SizeLimit::Exceeded || found.age != age::Age::Young)
        .collect();
    if beyond.is_empty() {
        return Ok(None);
    }
    let idle =
        |found: &&Candidate| size_limit == SizeLimit::Within && found.age == age::Age::Waiting;
    if beyond.iter().all(idle) {
        removed.waiting += beyond.len() as u64;
        return Ok(Some(last));
    }
    let transaction = WriteTransaction::begin(connection)?;
    let mut needless = Vec::new();
    for found in beyond {
        if is_newest(&transaction, &found.id)? {
            continue;
        }
        if size_limit == SizeLimit::Within && found.age != age::Age::Overdue {
            age::note(&transaction, &found.id, age, found.age)?;
            removed.waiting += 1;
            continue;
        }
        if at_work.contains(&found.session) && is_first(&transaction, found)? {
            removed.spared += 1;
            continue;
        }
        needless.extend(contents_of(&transaction, &found.id)?);
        transaction
            .prepare_cached("DELETE FROM taken_back WHERE operation = ?1 OR earlier = ?1")?
            .execute([&found.id])?;
        transaction
            .prepare_cached("DELETE FROM operations WHERE id = ?1")?
            .execute([&found.id])?;
        removed.operations += 1;
    }
    let files = release(&transaction, state, needless, removed)?;
    transaction.commit()?;
    remove_files(state, &files);
    Ok(Some(last))
}

/// Returns whether the operation is the first of its session on some file: it leads back to how the session found
/// that file.
fn is_first(connection: &Connection, found: &Candidate) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM files f WHERE f.operation = ?1
                 AND NOT EXISTS (SELECT 1 FROM files before JOIN operations o ON o.id = before.operation
                     WHERE before.path = f.path AND o.sequence < ?3 AND o.session = ?2
                       AND (before.workspace = f.workspace OR before.workspace IS NULL OR f.workspace IS NULL)))",
        )?
        .query_row(params![found.id, found.session, found.sequence], |row| {
            row.get(0)
        })
}

/// Returns whether the operation is only announced, or is the newest of some file. A late write never was the content
/// of the file's name, so it does not count as a newer operation.
fn is_newest(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM begun WHERE id = ?1)
             OR EXISTS (SELECT 1 FROM files f WHERE f.operation = ?1
                 AND NOT EXISTS (SELECT 1 FROM files later JOIN operations l ON l.id = later.operation AND l.kind <> ?2
                     WHERE later.path = f.path
                       AND (later.workspace = f.workspace OR later.workspace IS NULL OR f.workspace IS NULL)
                       AND l.sequence > (SELECT sequence FROM operations WHERE id = ?1)))",
        )?
        .query_row(params![id, OperationKind::Late.number()], |row| row.get(0))
}

/// Returns the row ids of the contents that an operation refers to.
pub(super) fn contents_of(connection: &Connection, id: &str) -> rusqlite::Result<Vec<i64>> {
    let mut statement =
        connection.prepare_cached("SELECT before, after FROM files WHERE operation = ?1")?;
    let mut rows = statement.query([id])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.extend(row.get::<_, Option<i64>>(0)?);
        found.extend(row.get::<_, Option<i64>>(1)?);
    }
    Ok(found)
}

/// Removes those of the contents that no operation needs any more. Deltas based on a removed content become whole
/// contents first. Returns the content files to delete after the transaction is committed.
pub(super) fn release(
    transaction: &WriteTransaction<'_>,
    state: &Path,
    mut contents: Vec<i64>,
    removed: &mut Removed,
) -> rusqlite::Result<Vec<Revision>> {
    let mut files = Vec::new();
    // Newest first, so that a delta is removed before its base.
    contents.sort_unstable();
    contents.dedup();
    while let Some(id) = contents.pop() {
        if is_needed(transaction, id)? || !resolve_deltas(transaction, state, id)? {
            continue;
        }
        let Some((revision, form, base, stored)) = described(transaction, id)? else {
            continue;
        };
        transaction
            .prepare_cached("DELETE FROM contents WHERE id = ?1")?
            .execute([id])?;
        removed.contents += 1;
        removed.bytes += stored.unsigned_abs();
        if form & FORM == FILE {
            files.push(revision);
        }
        // The base may have been stored only for this delta.
        if let Some(base) = base
            && let Err(at) = contents.binary_search(&base)
        {
            contents.insert(at, base);
        }
    }
    Ok(files)
}

pub(super) fn remove_files(state: &Path, files: &[Revision]) {
    for revision in files {
        blobs::remove(state, revision);
    }
}

fn is_needed(connection: &Connection, id: i64) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM files WHERE before = ?1) OR EXISTS (SELECT 1 FROM files WHERE after = ?1)
             OR EXISTS (SELECT 1 FROM checkpoint_files WHERE content = ?1)",
        )?
        .query_row([id], |row| row.get(0))
}

type Described = (Revision, i64, Option<i64>, i64);

fn described(connection: &Connection, id: i64) -> rusqlite::Result<Option<Described>> {
    use rusqlite::OptionalExtension as _;
    connection
        .prepare_cached("SELECT revision, form, base, stored FROM contents WHERE id = ?1")?
        .query_row([id], |row| row.try_into())
        .optional()
}

/// Replaces the deltas based on this content by whole contents; returns whether none is left. A delta that cannot be
/// resolved keeps its base, since it might be repaired.
fn resolve_deltas(
    transaction: &WriteTransaction<'_>,
    state: &Path,
    id: i64,
) -> rusqlite::Result<bool> {
    let based: Vec<(i64, Revision)> = {
        let mut statement =
            transaction.prepare_cached("SELECT id, revision FROM contents WHERE base = ?1")?;
        let rows = statement.query_map([id], |row| row.try_into())?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let mut free = true;
    for (id, revision) in based {
        free &= match contents::get(transaction, state, &revision)? {
            Some(bytes) => store_whole(transaction, state, id, &revision, &bytes)?,
            None => false,
        };
    }
    Ok(free)
}

/// Replaces the delta of a row by the whole content; returns whether that succeeded.
fn store_whole(
    connection: &Connection,
    state: &Path,
    id: i64,
    revision: &Revision,
    bytes: &[u8],
) -> rusqlite::Result<bool> {
    let packed = compress::compressed(bytes);
    let data = packed.as_deref().unwrap_or(bytes);
    let mut form = if packed.is_some() {
        COMPRESSED
    } else {
        INCOMPRESSIBLE
    };
    let mut kept = Some(data);
    if data.len() as u64 > INLINE_LIMIT {
        if blobs::rewrite(state, revision, data).is_err() {
            return Ok(false);
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
    Ok(true)
}

/// Returns free pages to the file system (incremental vacuum), a bounded number at a time.
pub(super) fn shrink(connection: &Connection) -> rusqlite::Result<()> {
    let (pages, free) = (
        pragma(connection, "page_count")?,
        pragma(connection, "freelist_count")?,
    );
    // A few free pages will be reused soon; only many are returned.
    if free > FREED && free > pages / 8 {
        // The pragma frees one page for each row that is stepped over.
        let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({FREED})"))?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
    }
    Ok(())
}
