//! Pruning: the oldest operations beyond the limits are removed, and the contents that no operation needs any more.
//! Each step is a transaction of a bounded number of operations, so that no other process waits long for the
//! database.

use std::collections::HashSet;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::clock::now;
use super::contents::{
    self, COMPRESSED, FORM_BYTES, FORM_FILE, FORM_MASK, INCOMPRESSIBLE, INLINE_LIMIT,
};
use super::transaction::WriteTransaction;
use super::{
    age, blobs, comments, compress, dropped_objects, events, looks, marks, old_checkpoints,
    sub_agents,
};
use crate::entry::Revision;
use crate::operation::{HistoryLimits, OperationKind, PruneResult};

/// The number of operations that one step examines.
const OPERATIONS_PER_STEP: usize = 100;
/// The number of free pages that one step returns to the file system.
const FREED_PAGES_PER_STEP: i64 = 256;
/// Active sessions are searched among this many of the last operations.
const RECENT_OPERATIONS: i64 = 10_000;
/// A session is active for this many seconds after its last change.
const ACTIVE_SESSION_SECONDS: i64 = 60 * 60;

/// Removes the operations beyond the limits.
pub(super) fn prune_operations(
    connection: &mut Connection,
    state: &Path,
    limits: &HistoryLimits,
    budget: Duration,
) -> rusqlite::Result<PruneResult> {
    let deadline = Instant::now() + budget;
    let mut removed = PruneResult::default();
    let age = age::AgeLimit::from_limits(limits);
    age::clear_premature_overdue_marks(connection, &age)?;
    let at_work = active_sessions(connection)?;
    let taken = database_size(connection)?;
    let dropped = dropped_objects::prune_dropped(connection, state, limits, taken, &mut removed)?;
    // Checkpoints are removed before operations.
    old_checkpoints::prune_checkpoints(connection, state, age.oldest_time(), limits, &mut removed)?;
    old_checkpoints::prune_listings(connection, state)?;
    let mut after = -1;
    loop {
        let began = Instant::now();
        let size_limit = if database_size(connection)? > limits.size {
            SizeLimit::Exceeded
        } else {
            SizeLimit::Within
        };
        let step = prune_step(
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
    marks::prune_marks(connection, &age)?;
    sub_agents::prune_sub_agents(connection, age.oldest_time())?;
    events::prune_events(connection, &age)?;
    comments::prune_comments(connection)?;
    looks::prune_looks(connection)?;
    release_free_pages(connection)?;
    removed.left = database_size(connection)? + dropped;
    Ok(removed)
}

/// Returns the bytes that the history takes: database pages in use, and content files.
pub(super) fn database_size(connection: &Connection) -> rusqlite::Result<u64> {
    let pages = read_pragma(connection, "page_count")? - read_pragma(connection, "freelist_count")?;
    let pages = (pages * read_pragma(connection, "page_size")?).unsigned_abs();
    Ok(pages + content_file_bytes(connection)?)
}

/// Returns the bytes of the contents that are stored as separate files.
pub(super) fn content_file_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let files: i64 = connection
        .prepare_cached("SELECT coalesce(sum(stored), 0) FROM contents WHERE form & 15 = 1")?
        .query_row([], |row| row.get(0))?;
    Ok(files.unsigned_abs())
}

fn read_pragma(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}

/// Returns the sessions that changed something in the last hour. The first operation of each on a file is not
/// removed, whatever the size.
pub(super) fn active_sessions(connection: &Connection) -> rusqlite::Result<HashSet<String>> {
    let since = (now() - ACTIVE_SESSION_SECONDS) * 1000;
    // The search does not stop at the first older operation: the clock may have been set back when that was recorded.
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT session FROM
             (SELECT session, time FROM operations ORDER BY sequence DESC LIMIT ?2) WHERE time >= ?1",
    )?;
    let rows = statement.query_map([since, RECENT_OPERATIONS], |row| row.get(0))?;
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
struct PruneCandidate {
    id: String,
    sequence: i64,
    session: String,
    age: age::OperationAge,
}

/// Examines the next operations after `after`, in the order of recording, and removes those that are beyond the limits.
/// Returns the last one examined; none if there are no more, or if none of them is beyond a limit.
fn prune_step(
    connection: &mut Connection,
    state: &Path,
    after: i64,
    removed: &mut PruneResult,
    at_work: &HashSet<String>,
    age: &age::AgeLimit,
    size_limit: SizeLimit,
) -> rusqlite::Result<Option<i64>> {
    // A plain read first: most of the time there is nothing to remove, and no write transaction is needed.
    let candidates: Vec<PruneCandidate> = {
        let mut statement = connection.prepare_cached(
            "SELECT id, sequence, session, time, overdue FROM operations
             WHERE sequence > ?1 ORDER BY sequence LIMIT ?2",
        )?;
        let rows = statement.query_map(params![after, OPERATIONS_PER_STEP as i64], |row| {
            Ok(PruneCandidate {
                id: row.get(0)?,
                sequence: row.get(1)?,
                session: row.get(2)?,
                age: age.classify_age(row.get(3)?, row.get(4)?),
            })
        })?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let Some(last) = candidates.last().map(|last| last.sequence) else {
        return Ok(None);
    };
    let beyond: Vec<&PruneCandidate> = candidates
        .iter()
        .filter(|found| size_limit == SizeLimit::Exceeded || found.age != age::OperationAge::Young)
        .collect();
    if beyond.is_empty() {
        return Ok(None);
    }
    let idle = |found: &&PruneCandidate| {
        size_limit == SizeLimit::Within && found.age == age::OperationAge::Waiting
    };
    if beyond.iter().all(idle) {
        removed.waiting += beyond.len() as u64;
        return Ok(Some(last));
    }
    let transaction = WriteTransaction::begin(connection)?;
    let mut needless = Vec::new();
    for found in beyond {
        if is_announced_or_newest(&transaction, &found.id)? {
            continue;
        }
        if size_limit == SizeLimit::Within && found.age != age::OperationAge::Overdue {
            age::record_first_found(&transaction, &found.id, age, found.age)?;
            removed.waiting += 1;
            continue;
        }
        if at_work.contains(&found.session) && is_first_of_session(&transaction, found)? {
            removed.spared += 1;
            continue;
        }
        needless.extend(content_ids_of_operation(&transaction, &found.id)?);
        transaction
            .prepare_cached("DELETE FROM taken_back WHERE operation = ?1 OR earlier = ?1")?
            .execute([&found.id])?;
        transaction
            .prepare_cached("DELETE FROM operations WHERE id = ?1")?
            .execute([&found.id])?;
        removed.operations += 1;
    }
    let files = release_contents(&transaction, state, needless, removed)?;
    transaction.commit()?;
    remove_files(state, &files);
    Ok(Some(last))
}

/// Returns whether the operation is the first of its session on some file: it leads back to how the session found
/// that file.
fn is_first_of_session(connection: &Connection, found: &PruneCandidate) -> rusqlite::Result<bool> {
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
fn is_announced_or_newest(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM begun WHERE id = ?1)
             OR EXISTS (SELECT 1 FROM files f WHERE f.operation = ?1
                 AND NOT EXISTS (SELECT 1 FROM files later JOIN operations l ON l.id = later.operation AND l.kind <> ?2
                     WHERE later.path = f.path
                       AND (later.workspace = f.workspace OR later.workspace IS NULL OR f.workspace IS NULL)
                       AND l.sequence > (SELECT sequence FROM operations WHERE id = ?1)))",
        )?
        .query_row(params![id, OperationKind::Late.database_number()], |row| row.get(0))
}

/// Returns the row ids of the contents that an operation refers to.
pub(super) fn content_ids_of_operation(
    connection: &Connection,
    id: &str,
) -> rusqlite::Result<Vec<i64>> {
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
pub(super) fn release_contents(
    transaction: &WriteTransaction<'_>,
    state: &Path,
    mut contents: Vec<i64>,
    removed: &mut PruneResult,
) -> rusqlite::Result<Vec<Revision>> {
    let mut files = Vec::new();
    // Newest first, so that a delta is removed before its base.
    contents.sort_unstable();
    contents.dedup();
    while let Some(id) = contents.pop() {
        if is_needed(transaction, id)? || !resolve_deltas(transaction, state, id)? {
            continue;
        }
        let Some((revision, form, base, stored)) = content_description(transaction, id)? else {
            continue;
        };
        transaction
            .prepare_cached("DELETE FROM contents WHERE id = ?1")?
            .execute([id])?;
        removed.contents += 1;
        removed.bytes += stored.unsigned_abs();
        if form & FORM_MASK == FORM_FILE {
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
        blobs::remove_content(state, revision);
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

fn content_description(connection: &Connection, id: i64) -> rusqlite::Result<Option<Described>> {
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
        free &= match contents::read_content(transaction, state, &revision)? {
            Some(bytes) => store_whole_content(transaction, state, id, &revision, &bytes)?,
            None => false,
        };
    }
    Ok(free)
}

/// Replaces the delta of a row by the whole content; returns whether that succeeded.
fn store_whole_content(
    connection: &Connection,
    state: &Path,
    id: i64,
    revision: &Revision,
    bytes: &[u8],
) -> rusqlite::Result<bool> {
    let packed = compress::compress_bytes(bytes);
    let data = packed.as_deref().unwrap_or(bytes);
    let mut form = if packed.is_some() {
        COMPRESSED
    } else {
        INCOMPRESSIBLE
    };
    let mut kept = Some(data);
    if data.len() as u64 > INLINE_LIMIT {
        if blobs::rewrite_content(state, revision, data).is_err() {
            return Ok(false);
        }
        form |= FORM_FILE;
        kept = None;
    } else {
        form |= FORM_BYTES;
    }
    connection
        .prepare_cached(
            "UPDATE contents SET form = ?2, base = NULL, depth = 0, stored = ?3, data = ?4 WHERE id = ?1",
        )?
        .execute(params![id, form, data.len() as i64, kept])?;
    Ok(true)
}

/// Returns free pages to the file system (incremental vacuum), a bounded number at a time.
pub(super) fn release_free_pages(connection: &Connection) -> rusqlite::Result<()> {
    let (pages, free) = (
        read_pragma(connection, "page_count")?,
        read_pragma(connection, "freelist_count")?,
    );
    // A few free pages will be reused soon; only many are returned.
    if free > FREED_PAGES_PER_STEP && free > pages / 8 {
        // The pragma frees one page for each row that is stepped over.
        let mut statement = connection.prepare(&format!(
            "PRAGMA incremental_vacuum({FREED_PAGES_PER_STEP})"
        ))?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
    }
    Ok(())
}
