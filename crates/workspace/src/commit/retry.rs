//! A second attempt at a call that must not fail for a transient reason.

use std::io;

/// Tries twice: during rollback a transient error would leave another program's bytes without their name.
pub(super) fn retry_once<T>(action: impl Fn() -> io::Result<T>) -> io::Result<T> {
    action().or_else(|_| action())
}
