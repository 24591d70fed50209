//! Removes checkpoints that are too old, and contents that no checkpoint refers to.

use rusqlite::params;

use super::clock;
use super::transaction::WriteTransaction;

/// The largest number of checkpoints stored for one root.
const MOST: usize = 1_000;
/// Contents that no checkpoint refers to after this many seconds are removed.
const LOOSE: i64 = 60 * 60;

/// Removes the checkpoints that are too old, except the newest of each root, and contents that no checkpoint refers
/// to. Returns the contents that only these checkpoints may have needed.
pub(super) fn remove(
    transaction: &WriteTransaction<'_>,
    oldest: i64,
) -> rusqlite::Result<Vec<i64>> {
    transaction.execute(
        "DELETE FROM checkpoints WHERE number < (SELECT max(n.number) FROM checkpoints n WHERE n.workspace = checkpoints.workspace)
             AND (time < ?1 OR number < coalesce((SELECT n.number FROM checkpoints n
                 WHERE n.workspace = checkpoints.workspace ORDER BY n.number DESC LIMIT 1 OFFSET ?2), 0))",
        params![oldest, MOST as i64 - 1],
    )?;
    // An entry whose span ended before the oldest remaining checkpoint belongs to no checkpoint.
    const ENDED: &str = "until IS NOT NULL AND until <= coalesce(
        (SELECT min(c.number) FROM checkpoints c WHERE c.workspace = checkpoint_files.workspace), 0)";
    let mut needless: Vec<i64> = {
        let mut statement = transaction.prepare(&format!(
            "SELECT content FROM checkpoint_files WHERE content IS NOT NULL AND {ENDED}
             UNION SELECT content FROM loose_contents WHERE time < ?1"
        ))?;
        let rows = statement.query_map([clock::now() - LOOSE], |row| row.get(0))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    transaction.execute(&format!("DELETE FROM checkpoint_files WHERE {ENDED}"), [])?;
    transaction.execute(
        "DELETE FROM loose_contents WHERE time < ?1",
        [clock::now() - LOOSE],
    )?;
    needless.dedup();
    Ok(needless)
}
