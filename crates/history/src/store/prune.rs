//! Keeping the history within its limits: the oldest operations go, and with them the contents that nothing needs any
//! more. In steps of their own transactions, each as long as its operations are many, so that nobody waits long for the
//! database.

use std::collections::HashSet;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::contents::{self, BYTES, COMPRESSED, FILE, FORM, INCOMPRESSIBLE, INLINE};
use super::open::now;
use super::writing::Writing;
use super::{age, blobs, seal};
use crate::entry::Revision;
use crate::operation::{Limits, OperationKind, Removed};

/// Operations that one step looks at.
const STEP: usize = 100;
/// Free pages that one step gives back to the file system.
const FREED: i64 = 256;
/// Among so many of the last operations the sessions that are at work are looked for.
const RECENT: i64 = 10_000;
/// A session whose last change is younger is at work, in seconds.
const AT_WORK: i64 = 60 * 60;

/// Removes what is beyond the limits.
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
    let mut after = -1;
    loop {
        let began = Instant::now();
        let room = if size(connection)? > limits.size {
            Room::Short
        } else {
            Room::Enough
        };
        let step = step(connection, state, after, &mut removed, &at_work, &age, room)?;
        let Some(last) = step else {
            break;
        };
        after = last;
        if Instant::now() >= deadline {
            removed.unfinished = true;
            break;
        }
        // Whoever waits for the database has a turn as long as this step.
        sleep(began.elapsed());
    }
    age::prune_refusals(connection, &age)?;
    give_back(connection)?;
    removed.left = size(connection)?;
    Ok(removed)
}

/// Bytes that the history takes: pages in use, and files.
pub(super) fn size(connection: &Connection) -> rusqlite::Result<u64> {
    let pages = pragma(connection, "page_count")? - pragma(connection, "freelist_count")?;
    let files: i64 = connection
        .prepare_cached("SELECT coalesce(sum(stored), 0) FROM contents WHERE form & 15 = 1")?
        .query_row([], |row| row.get(0))?;
    Ok((pages * pragma(connection, "page_size")? + files).unsigned_abs())
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}

/// Sessions that have just changed something. How they found their files stays, whatever the size.
pub(super) fn sessions_at_work(connection: &Connection) -> rusqlite::Result<HashSet<String>> {
    let since = (now() - AT_WORK) * 1000;
    // Not only as far as the first that is older: the clock may have been set back when that was recorded.
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT session FROM
             (SELECT session, time FROM operations ORDER BY sequence DESC LIMIT ?2) WHERE time >= ?1",
    )?;
    let rows = statement.query_map([since, RECENT], |row| row.get(0))?;
    rows.collect()
}

/// Whether the history is within its size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    /// It is.
    Enough,
    /// The oldest operations have to go whatever their age.
    Short,
}

/// An operation that may have to go.
struct Candidate {
    id: String,
    sequence: i64,
    session: String,
    age: age::Age,
}

/// Looks at the next operations after `after`, in the order of recording, and removes those that are beyond the limits.
/// The last one looked at; none where there are no more, or where none of them is beyond a limit.
fn step(
    connection: &mut Connection,
    state: &Path,
    after: i64,
    removed: &mut Removed,
    at_work: &HashSet<String>,
    age: &age::Limit,
    room: Room,
) -> rusqlite::Result<Option<i64>> {
    // A look first: most of the time there is nothing to do, and nobody is to wait for that.
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
                age: age.of(row.get(3)?, row.get(4)?),
            })
        })?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let Some(last) = candidates.last().map(|last| last.sequence) else {
        return Ok(None);
    };
    let beyond: Vec<&Candidate> = candidates
        .iter()
        .filter(|found| room == Room::Short || found.age != age::Age::Young)
        .collect();
    if beyond.is_empty() {
        return Ok(None);
    }
    let idle = |found: &&Candidate| room == Room::Enough && found.age == age::Age::Waiting;
    if beyond.iter().all(idle) {
        removed.waiting += beyond.len() as u64;
        return Ok(Some(last));
    }
    let transaction = Writing::begin(connection)?;
    let mut needless = Vec::new();
    for found in beyond {
        if is_newest(&transaction, &found.id)? {
            continue;
        }
        if room == Room::Enough && found.age != age::Age::Overdue {
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

/// The first of its session for a file: the way back to how the session found it.
fn is_first(connection: &Connection, found: &Candidate) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM files f WHERE f.operation = ?1
                 AND NOT EXISTS (SELECT 1 FROM files before JOIN operations o ON o.id = before.operation
                     WHERE before.path = f.path AND o.sequence < ?3 AND o.session = ?2))",
        )?
        .query_row(params![found.id, found.session, found.sequence], |row| {
            row.get(0)
        })
}

/// Announced, or the newest of a file. What somebody wrote late into an old version never stood under the name, so it does not
/// make the change before it an older one.
fn is_newest(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM begun WHERE id = ?1)
             OR EXISTS (SELECT 1 FROM files f WHERE f.operation = ?1
                 AND NOT EXISTS (SELECT 1 FROM files later JOIN operations l ON l.id = later.operation AND l.kind <> ?2
                     WHERE later.path = f.path
                       AND l.sequence > (SELECT sequence FROM operations WHERE id = ?1)))",
        )?
        .query_row(params![id, OperationKind::Late.number()], |row| row.get(0))
}

/// The contents that an operation names.
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

/// Removes those of the contents that nothing needs any more. One that others are based on is put into them first. The
/// files that are to go once the transaction stands.
pub(super) fn release(
    transaction: &Writing<'_>,
    state: &Path,
    mut contents: Vec<i64>,
    removed: &mut Removed,
) -> rusqlite::Result<Vec<Revision>> {
    let mut files = Vec::new();
    // The newest first: what is based on an older one goes before it.
    contents.sort_unstable();
    contents.dedup();
    while let Some(id) = contents.pop() {
        if is_needed(transaction, id)? || !unburden(transaction, state, id)? {
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
        // It may have been kept for this one alone.
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
            "SELECT EXISTS (SELECT 1 FROM files WHERE before = ?1) OR EXISTS (SELECT 1 FROM files WHERE after = ?1)",
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

/// Makes the contents that are based on this one whole; whether none is left. What cannot be put together keeps its
/// base: nothing that might be mended is thrown away.
fn unburden(transaction: &Writing<'_>, state: &Path, id: i64) -> rusqlite::Result<bool> {
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

/// Turns spans into the whole content; whether that went.
fn store_whole(
    connection: &Connection,
    state: &Path,
    id: i64,
    revision: &Revision,
    bytes: &[u8],
) -> rusqlite::Result<bool> {
    let packed = seal::compressed(bytes);
    let data = packed.as_deref().unwrap_or(bytes);
    let mut form = if packed.is_some() {
        COMPRESSED
    } else {
        INCOMPRESSIBLE
    };
    let mut kept = Some(data);
    if data.len() as u64 > INLINE {
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

/// Gives free pages back to the file system, some at a time.
pub(super) fn give_back(connection: &Connection) -> rusqlite::Result<()> {
    let (pages, free) = (
        pragma(connection, "page_count")?,
        pragma(connection, "freelist_count")?,
    );
    // What is free is used again soon, unless it is much.
    if free > FREED && free > pages / 8 {
        // Each row that is asked for gives one page back.
        let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({FREED})"))?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
    }
    Ok(())
}
