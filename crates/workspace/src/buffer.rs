//! A reusable buffer of 256 KiB for each thread: allocating fresh memory costs more than the read into it.

use std::cell::Cell;

/// The length of the buffer.
pub(crate) const BUFFER_LENGTH: usize = 256 * 1024;

thread_local! {
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Runs `work` with the thread's buffer; a nested call gets a separate buffer.
pub(crate) fn with_buffer<T>(work: impl FnOnce(&mut [u8]) -> T) -> T {
    let mut buffer = SPARE.take();
    buffer.resize(BUFFER_LENGTH, 0);
    let result = work(&mut buffer);
    SPARE.set(buffer);
    result
}
