//! The use of an approved question by the operation that carries it out.

use rusqlite::params;

use super::clock::{DAY_MILLISECONDS, now_in_milliseconds};
use super::transaction::WriteTransaction;

/// A decision may be dated at most this far ahead of the clock; otherwise it was made at an unknown time.
const CLOCK_ERROR: i64 = 5 * 60 * 1_000;

/// Uses up an approval, in the transaction that announces its operation. Returns false if there is no unused one.
pub(super) fn use_up_approval(
    transaction: &WriteTransaction<'_>,
    question: &str,
    operation: &str,
) -> rusqlite::Result<bool> {
    let now = now_in_milliseconds();
    let changed = transaction
        .prepare_cached(
            "UPDATE questions SET state = 3, followed_by = ?2
             WHERE id = ?1 AND state = 1 AND decided > ?3 AND decided <= ?4",
        )?
        .execute(params![
            question,
            operation,
            now - DAY_MILLISECONDS,
            now + CLOCK_ERROR
        ])?;
    Ok(changed == 1)
}

/// Restores the approval that an operation used up and did not need, because nothing was written.
pub(super) fn restore_approval(
    transaction: &WriteTransaction<'_>,
    operation: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE questions SET state = 1, followed_by = NULL WHERE followed_by = ?1 AND state = 3",
        )?
        .execute([operation])?;
    Ok(())
}
