//! The age limit. An operation is removed only if two prunes at least a day apart find it too old, so that one prune
//! with a wrong clock removes nothing.

use rusqlite::{Connection, params};

use super::clock::now;
use super::transaction::WriteTransaction;
use crate::operation::HistoryLimits;

/// The time between the prune that finds an operation too old and the one that removes it, in milliseconds.
const CONFIRMATION_DELAY: i64 = 24 * 60 * 60 * 1000;
const HOUR_MILLISECONDS: i64 = 60 * 60 * 1000;

/// The limit of one prune, in milliseconds since 1970.
pub(super) struct AgeLimit {
    now: i64,
    oldest: i64,
}

/// The age of an operation relative to the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperationAge {
    /// The operation is younger than the limit.
    Young,
    /// The operation is too old, and no earlier prune has recorded that.
    FirstFound,
    /// The operation is too old, which was recorded less than a day ago.
    Waiting,
    /// The operation is too old and was so at least a day ago.
    Overdue,
}

impl AgeLimit {
    pub(super) fn from_limits(limits: &HistoryLimits) -> Self {
        let now = now().saturating_mul(1000);
        let age = i64::try_from(limits.age.as_millis()).unwrap_or(i64::MAX);
        Self {
            now,
            oldest: now.saturating_sub(age),
        }
    }

    /// Returns the time before which an operation is too old.
    pub(super) fn oldest_time(&self) -> i64 {
        self.oldest
    }

    /// Returns the age of an operation by its time and the time of the prune that first found it too old.
    pub(super) fn classify_age(&self, time: i64, noted: Option<i64>) -> OperationAge {
        if time >= self.oldest {
            return OperationAge::Young;
        }
        match noted {
            // A time in the future means that the clock was wrong then.
            Some(noted) if noted > self.now => OperationAge::FirstFound,
            Some(noted) if noted.saturating_add(CONFIRMATION_DELAY) <= self.now => {
                OperationAge::Overdue
            }
            Some(_) => OperationAge::Waiting,
            None => OperationAge::FirstFound,
        }
    }
}

/// Records that an operation was found too old for the first time.
pub(super) fn record_first_found(
    transaction: &WriteTransaction<'_>,
    id: &str,
    limit: &AgeLimit,
    age: OperationAge,
) -> rusqlite::Result<()> {
    if age == OperationAge::FirstFound {
        transaction
            .prepare_cached("UPDATE operations SET overdue = ?2 WHERE id = ?1")?
            .execute(params![id, limit.now])?;
    }
    Ok(())
}

/// Clears the records of operations that are not too old by the present clock.
pub(super) fn clear_premature_overdue_marks(
    connection: &Connection,
    limit: &AgeLimit,
) -> rusqlite::Result<()> {
    let wrong: bool = connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM operations WHERE overdue IS NOT NULL AND time >= ?1)",
        )?
        .query_row([limit.oldest], |row| row.get(0))?;
    if wrong {
        connection.execute(
            "UPDATE operations SET overdue = NULL WHERE overdue IS NOT NULL AND time >= ?1",
            [limit.oldest],
        )?;
    }
    Ok(())
}

/// Removes counts of refusals by the same rule of two prunes.
pub(super) fn prune_refusals(connection: &Connection, limit: &AgeLimit) -> rusqlite::Result<()> {
    let hour = limit.oldest / HOUR_MILLISECONDS;
    let has_old: bool = connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM refusals WHERE hour < ?1 OR overdue IS NOT NULL)",
        )?
        .query_row([hour], |row| row.get(0))?;
    if !has_old {
        return Ok(());
    }
    connection.execute(
        "DELETE FROM refusals WHERE hour < ?1 AND overdue <= ?2",
        [hour, limit.now.saturating_sub(CONFIRMATION_DELAY)],
    )?;
    connection.execute(
        "UPDATE refusals SET overdue = CASE WHEN hour < ?1 THEN ?2 END
         WHERE (hour < ?1) <> (overdue IS NOT NULL) OR overdue > ?2",
        [hour, limit.now],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removal_needs_two_prunes_a_day_apart() {
        let limit = AgeLimit {
            now: 10 * CONFIRMATION_DELAY,
            oldest: 5 * CONFIRMATION_DELAY,
        };
        let old = 4 * CONFIRMATION_DELAY;
        assert_eq!(
            limit.classify_age(5 * CONFIRMATION_DELAY, Some(0)),
            OperationAge::Young
        );
        assert_eq!(limit.classify_age(old, None), OperationAge::FirstFound);
        assert_eq!(
            limit.classify_age(old, Some(9 * CONFIRMATION_DELAY + 1)),
            OperationAge::Waiting
        );
        assert_eq!(
            limit.classify_age(old, Some(9 * CONFIRMATION_DELAY)),
            OperationAge::Overdue
        );
        assert_eq!(
            limit.classify_age(old, Some(11 * CONFIRMATION_DELAY)),
            OperationAge::FirstFound
        );
    }
}
