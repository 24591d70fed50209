//! The clock of the store.

use std::time::{SystemTime, UNIX_EPOCH};

/// A day in milliseconds.
pub(super) const DAY_MILLISECONDS: i64 = 24 * 60 * 60 * 1_000;

/// Returns the time in milliseconds since 1970.
pub(super) fn now_in_milliseconds() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        })
}

/// Returns the time in seconds since 1970.
pub(super) fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs() as i64)
}
