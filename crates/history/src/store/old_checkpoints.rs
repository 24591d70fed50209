//! Removes checkpoints that are too old or take too many bytes, and contents that no checkpoint refers to.

use std::path::Path;

use lancet_local_state::{listings, process};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::clock;
use super::prune::{database_size, release_contents, remove_files};
use super::transaction::WriteTransaction;
use crate::operation::{HistoryLimits, PruneResult};

/// The largest number of checkpoints stored for one root.
const MAX_CHECKPOINTS_PER_ROOT: usize = 1_000;
/// Contents that no checkpoint refers to after this many seconds are removed.
const LOOSE_CONTENT_AGE: i64 = 60 * 60;

/// The number of checkpoints that one step removes because of their size.
const CHECKPOINTS_PER_STEP: i64 = 20;
/// Younger checkpoints, in milliseconds, are not removed because of their size: a call may be running since then.
const MIN_REMOVABLE_AGE: i64 = 60 * 60 * 1_000;

/// Removes the checkpoints beyond the limits, with the contents that only they needed.
pub(super) fn prune_checkpoints(
    connection: &mut Connection,
    state: &Path,
    oldest: i64,
    limits: &HistoryLimits,
    removed: &mut PruneResult,
) -> rusqlite::Result<()> {
    remove_in_transaction(connection, state, removed, |transaction| {
        remove_old(transaction, oldest)
    })?;
    loop {
        let taken = database_size(connection)?;
        let workspace = match (taken > limits.size, taken > limits.checkpoints) {
            (true, _) => None,
            (false, true) => match root_over_size_limit(connection, limits.checkpoints)? {
                Some(workspace) => Some(workspace),
                None => return Ok(()),
            },
            (false, false) => return Ok(()),
        };
        let candidates = removable_checkpoints(connection, state, workspace)?;
        if candidates.is_empty() {
            return Ok(());
        }
        remove_in_transaction(connection, state, removed, |transaction| {
            for number in &candidates {
                transaction.execute("DELETE FROM checkpoints WHERE number = ?1", [number])?;
            }
            remove_unneeded_entries(transaction)
        })?;
    }
}

/// Removes the listings of roots without checkpoints.
pub(super) fn prune_listings(connection: &Connection, state: &Path) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM workspaces WHERE number IN (SELECT workspace FROM checkpoints)",
    )?;
    let roots = statement.query_map([], |row| row.get(0))?;
    let roots: Vec<[u8; 32]> = roots.collect::<rusqlite::Result<_>>()?;
    listings::remove_other_listings(state, &roots);
    Ok(())
}

/// Runs a step in one transaction; it returns the contents that may not be needed any more.
fn remove_in_transaction(
    connection: &mut Connection,
    state: &Path,
    removed: &mut PruneResult,
    remove: impl FnOnce(&WriteTransaction<'_>) -> rusqlite::Result<Vec<i64>>,
) -> rusqlite::Result<()> {
    let transaction = WriteTransaction::begin(connection)?;
    let needless = remove(&transaction)?;
    let files = release_contents(&transaction, state, needless, removed)?;
    transaction.commit()?;
    remove_files(state, &files);
    Ok(())
}

/// Returns a root with several checkpoints whose contents, apart from those of operations, take more than this.
fn root_over_size_limit(connection: &Connection, most: u64) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached(
            "SELECT f.workspace
             FROM (SELECT DISTINCT workspace, content FROM checkpoint_files WHERE content IS NOT NULL) f
             JOIN contents c ON c.id = f.content
             WHERE NOT EXISTS (SELECT 1 FROM files WHERE before = c.id)
               AND NOT EXISTS (SELECT 1 FROM files WHERE after = c.id)
             GROUP BY f.workspace HAVING sum(c.stored) > ?1
               AND (SELECT count(*) FROM checkpoints k WHERE k.workspace = f.workspace) > 1
             LIMIT 1",
        )?
        .query_row([i64::try_from(most).unwrap_or(i64::MAX)], |row| row.get(0))
        .optional()
}

/// Returns the oldest checkpoints of a root, or of all roots, that may be removed because of their size.
fn removable_checkpoints(
    connection: &Connection,
    state: &Path,
    workspace: Option<i64>,
) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare_cached(
        "SELECT number, process FROM checkpoints
         WHERE (?1 IS NULL OR workspace = ?1) AND time < ?2
           AND number < (SELECT max(n.number) FROM checkpoints n WHERE n.workspace = checkpoints.workspace)
         ORDER BY number LIMIT ?3",
    )?;
    let young = clock::now() * 1_000 - MIN_REMOVABLE_AGE;
    let rows = statement.query_map(params![workspace, young, CHECKPOINTS_PER_STEP], |row| {
        Ok((row.get(0)?, row.get::<_, Option<String>>(1)?))
    })?;
    let found: Vec<(i64, Option<String>)> = rows.collect::<rusqlite::Result<_>>()?;
    let is_done = |process: &Option<String>| {
        process
            .as_ref()
            .is_none_or(|process| !process::is_alive(state, process))
    };
    let done = found.into_iter().filter(|(_, process)| is_done(process));
    Ok(done.map(|(number, _)| number).collect())
}

/// Removes the checkpoints that are too old, except the newest of each root, and contents that no checkpoint refers
/// to. Returns the contents that only these checkpoints may have needed.
fn remove_old(transaction: &WriteTransaction<'_>, oldest: i64) -> rusqlite::Result<Vec<i64>> {
    transaction.execute(
        "DELETE FROM checkpoints WHERE number < (SELECT max(n.number) FROM checkpoints n WHERE n.workspace = checkpoints.workspace)
             AND (time < ?1 OR number < coalesce((SELECT n.number FROM checkpoints n
                 WHERE n.workspace = checkpoints.workspace ORDER BY n.number DESC LIMIT 1 OFFSET ?2), 0))",
        params![oldest, MAX_CHECKPOINTS_PER_ROOT as i64 - 1],
    )?;
    remove_unneeded_entries(transaction)
}

/// Removes the entries that belong to no checkpoint, and forgets contents that were stored for none. Returns their
/// contents.
fn remove_unneeded_entries(transaction: &WriteTransaction<'_>) -> rusqlite::Result<Vec<i64>> {
    // An entry whose span ended before the oldest remaining checkpoint belongs to no checkpoint.
    const ENDED_CONDITION: &str = "until IS NOT NULL AND until <= coalesce(
        (SELECT min(c.number) FROM checkpoints c WHERE c.workspace = checkpoint_files.workspace), 0)";
    let mut needless: Vec<i64> = {
        let mut statement = transaction.prepare(&format!(
            "SELECT content FROM checkpoint_files WHERE content IS NOT NULL AND {ENDED_CONDITION}
             UNION SELECT content FROM loose_contents WHERE time < ?1"
        ))?;
        let rows = statement.query_map([clock::now() - LOOSE_CONTENT_AGE], |row| row.get(0))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    transaction.execute(
        &format!("DELETE FROM checkpoint_files WHERE {ENDED_CONDITION}"),
        [],
    )?;
    transaction.execute(
        "DELETE FROM loose_contents WHERE time < ?1",
        [clock::now() - LOOSE_CONTENT_AGE],
    )?;
    needless.dedup();
    Ok(needless)
}
