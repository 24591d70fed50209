//! One 256 KiB buffer a thread, lent out: fresh memory costs more than the reading of it.

use std::cell::Cell;

/// How much is read at once, at most.
pub(crate) const LENGTH: usize = 256 * 1024;

thread_local! {
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Runs `work` with the thread's buffer; inside another loan it gets a buffer of its own.
pub(crate) fn lend<T>(work: impl FnOnce(&mut [u8]) -> T) -> T {
    let mut buffer = SPARE.take();
    buffer.resize(LENGTH, 0);
    let result = work(&mut buffer);
    SPARE.set(buffer);
    result
}
