//! Splits a stream of bytes into lines of limited length. A longer line is discarded while it is received and reported
//! once.

/// The number of bytes read at a time, which is the capacity of a pipe.
const CHUNK_BYTES: usize = 64 * 1024;

/// The capacity that the buffer keeps between messages, so that one large message does not stay in memory.
const MAX_IDLE_CAPACITY: usize = 1024 * 1024;

/// The bytes that were received and not returned yet.
#[derive(Debug)]
pub(crate) struct LineSplitter {
    buffer: Vec<u8>,
    /// The offset of the first line that was not returned yet.
    start: usize,
    /// The offset up to which there is no newline.
    scanned: usize,
    limit: usize,
    /// Whether an overlong line was reported and its end was not received yet.
    dropping: bool,
}

/// The result of looking for the next line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SplitResult<'a> {
    /// A whole line, without its end.
    Line(&'a [u8]),
    /// A line longer than the limit was discarded.
    TooLong,
    /// More bytes are needed.
    More,
}

impl LineSplitter {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            limit,
            dropping: false,
        }
    }

    /// Returns the buffer to append to, with capacity for a chunk.
    pub(crate) fn buffer_with_capacity(&mut self) -> &mut Vec<u8> {
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        if self.buffer.is_empty() && self.buffer.capacity() > MAX_IDLE_CAPACITY {
            self.buffer = Vec::new();
        }
        self.buffer.reserve(CHUNK_BYTES);
        &mut self.buffer
    }

    /// Returns the next line, if it was received whole.
    pub(crate) fn next_line(&mut self) -> SplitResult<'_> {
        loop {
            let Some(found) = memchr::memchr(b'\n', &self.buffer[self.scanned..]) else {
                self.scanned = self.buffer.len();
                if self.dropping {
                    self.start = self.scanned;
                } else if self.scanned - self.start > self.limit {
                    self.start = self.scanned;
                    self.dropping = true;
                    return SplitResult::TooLong;
                }
                return SplitResult::More;
            };
            let (from, to) = (self.start, self.scanned + found);
            self.start = to + 1;
            self.scanned = self.start;
            if std::mem::take(&mut self.dropping) {
                continue;
            }
            if to - from > self.limit {
                return SplitResult::TooLong;
            }
            return SplitResult::Line(&self.buffer[from..to]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_lines(lines: &mut LineSplitter) -> Vec<Result<Vec<u8>, ()>> {
        let mut all = Vec::new();
        loop {
            match lines.next_line() {
                SplitResult::Line(line) => all.push(Ok(line.to_vec())),
                SplitResult::TooLong => all.push(Err(())),
                SplitResult::More => return all,
            }
        }
    }

    #[test]
    fn yields_whole_lines_from_any_chunks() {
        let sent = b"one\ntwo\n\nthree three\nrest";
        for step in 1..sent.len() {
            let mut lines = LineSplitter::new(100);
            let mut all = Vec::new();
            for part in sent.chunks(step) {
                lines.buffer_with_capacity().extend_from_slice(part);
                all.extend(all_lines(&mut lines));
            }
            let wanted: Vec<Result<Vec<u8>, ()>> = [&b"one"[..], b"two", b"", b"three three"]
                .map(|line| Ok(line.to_vec()))
                .to_vec();
            assert_eq!(all, wanted, "in parts of {step}");
        }
    }

    #[test]
    fn reports_overlong_line_once_and_continues() {
        let sent = b"ok\n0123456789abcdef\nagain\n";
        for step in 1..sent.len() {
            let mut lines = LineSplitter::new(8);
            let mut all = Vec::new();
            for part in sent.chunks(step) {
                lines.buffer_with_capacity().extend_from_slice(part);
                all.extend(all_lines(&mut lines));
            }
            assert_eq!(
                all,
                [Ok(b"ok".to_vec()), Err(()), Ok(b"again".to_vec())],
                "in parts of {step}"
            );
        }
    }

    #[test]
    fn accepts_line_of_exactly_the_limit() {
        let mut lines = LineSplitter::new(4);
        lines
            .buffer_with_capacity()
            .extend_from_slice(b"abcd\nabcde\n");
        assert_eq!(all_lines(&mut lines), [Ok(b"abcd".to_vec()), Err(())]);
    }

    #[test]
    fn dropped_line_uses_no_memory() {
        let mut lines = LineSplitter::new(CHUNK_BYTES);
        for _ in 0..100 {
            lines.buffer_with_capacity().resize(CHUNK_BYTES, b'x');
            let _ = lines.next_line();
        }
        assert!(
            lines.buffer.capacity() < 4 * CHUNK_BYTES,
            "{}",
            lines.buffer.capacity()
        );
    }
}
