//! Checks the stored contents against their hashes, in steps, so that other processes get access in between.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::{contents, streamed};
use crate::entry::Revision;
use crate::operation::{CheckedContents, ContentFault};

/// Contents above this size are read in parts.
const MAX_IN_MEMORY: i64 = 32 << 20;
/// The number of bytes of such a content that are read at a time.
const PART_BYTES: usize = 1 << 20;

/// Checks contents whose row ids are above `after`, for at most `budget`, at least one.
pub(super) fn check_contents(
    connection: &Connection,
    state: &Path,
    after: i64,
    budget: Duration,
) -> rusqlite::Result<CheckedContents> {
    let deadline = Instant::now() + budget;
    let mut checked = CheckedContents {
        upto: after,
        ..CheckedContents::default()
    };
    // A displaced file that may still be written to is adopted as a content later.
    let mut statement = connection.prepare_cached(
        "SELECT id, revision, size FROM contents WHERE id > ?1
             AND revision NOT IN (SELECT revision FROM unsealed) ORDER BY id",
    )?;
    let mut rows = statement.query(params![after])?;
    while let Some(row) = rows.next()? {
        let (id, revision, size): (i64, Revision, i64) = row.try_into()?;
        let found = match size > MAX_IN_MEMORY {
            true => fault_in_parts(connection, state, &revision)?,
            false => content_fault(
                contents::read_row(connection, state, id)?.as_deref(),
                &revision,
            ),
        };
        let is_fault = found.is_some() && !is_without_bytes(connection, id)?;
        let fault = found.filter(|_| is_fault);
        checked.faults.extend(fault.map(|fault| (revision, fault)));
        checked.number += 1;
        checked.upto = id;
        if Instant::now() >= deadline {
            checked.is_unfinished = true;
            break;
        }
    }
    Ok(checked)
}

/// Returns whether a row is for a symbolic link, whose target is part of the change, or for a folder.
fn is_without_bytes(connection: &Connection, id: i64) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM files WHERE before = ?1
                         AND (before_link IS NOT NULL OR before_mode & 61440 = 16384))
                 OR EXISTS (SELECT 1 FROM files WHERE after = ?1
                         AND (after_link IS NOT NULL OR after_mode & 61440 = 16384))",
        )?
        .query_row([id], |row| row.get(0))
}

fn content_fault(bytes: Option<&[u8]>, revision: &Revision) -> Option<ContentFault> {
    match bytes {
        None => Some(ContentFault::Missing),
        Some(bytes) if *blake3::hash(bytes).as_bytes() == *revision => None,
        Some(_) => Some(ContentFault::Damaged),
    }
}

fn fault_in_parts(
    connection: &Connection,
    state: &Path,
    revision: &Revision,
) -> rusqlite::Result<Option<ContentFault>> {
    let Some(Ok(content)) = streamed::open_streamed(connection, state, revision)? else {
        return Ok(Some(ContentFault::Missing));
    };
    let mut hasher = blake3::Hasher::new();
    let mut at = 0;
    let mut part = vec![0; PART_BYTES];
    while at < content.size() {
        match content.read_at(&mut part, at) {
            Ok(length @ 1..) => {
                hasher.update(part.get(..length).unwrap_or_default());
                at += length as u64;
            }
            _ => return Ok(Some(ContentFault::Missing)),
        }
    }
    Ok((*hasher.finalize().as_bytes() != *revision).then_some(ContentFault::Damaged))
}
