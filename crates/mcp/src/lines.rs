//! Cuts the bytes of a stream into lines, with a bound on their length. A longer line is dropped as it comes in,
//! never kept, and reported once. Knows nothing of JSON.

/// What is cut off at a time: a pipe holds this much.
const CHUNK: usize = 64 * 1024;

/// What the buffer may keep between messages, so that one large message does not stay in memory.
const KEPT: usize = 1024 * 1024;

/// The bytes that came in and were not handed out yet.
#[derive(Debug)]
pub(crate) struct Lines {
    buffer: Vec<u8>,
    /// Where the first line that was not handed out begins.
    start: usize,
    /// Up to where no newline was found.
    scanned: usize,
    limit: usize,
    /// An overlong line was reported, and its end was not seen yet.
    dropping: bool,
}

/// One cut.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Cut<'a> {
    /// A whole line, without its end.
    Line(&'a [u8]),
    /// A line longer than the limit; its bytes are gone.
    TooLong,
    /// More bytes are needed.
    More,
}

impl Lines {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            limit,
            dropping: false,
        }
    }

    /// Where to append what was read: a buffer with room for a chunk.
    pub(crate) fn room(&mut self) -> &mut Vec<u8> {
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        if self.buffer.is_empty() && self.buffer.capacity() > KEPT {
            self.buffer = Vec::new();
        }
        self.buffer.reserve(CHUNK);
        &mut self.buffer
    }

    /// The next line, if it is there as a whole.
    pub(crate) fn cut(&mut self) -> Cut<'_> {
        loop {
            let Some(found) = memchr::memchr(b'\n', &self.buffer[self.scanned..]) else {
                self.scanned = self.buffer.len();
                if self.dropping {
                    self.start = self.scanned;
                } else if self.scanned - self.start > self.limit {
                    self.start = self.scanned;
                    self.dropping = true;
                    return Cut::TooLong;
                }
                return Cut::More;
            };
            let (from, to) = (self.start, self.scanned + found);
            self.start = to + 1;
            self.scanned = self.start;
            if std::mem::take(&mut self.dropping) {
                continue;
            }
            if to - from > self.limit {
                return Cut::TooLong;
            }
            return Cut::Line(&self.buffer[from..to]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(lines: &mut Lines) -> Vec<Result<Vec<u8>, ()>> {
        let mut all = Vec::new();
        loop {
            match lines.cut() {
                Cut::Line(line) => all.push(Ok(line.to_vec())),
                Cut::TooLong => all.push(Err(())),
                Cut::More => return all,
            }
        }
    }

    #[test]
    fn lines_come_out_whole_however_they_came_in() {
        let sent = b"one\ntwo\n\nthree three\nrest";
        for step in 1..sent.len() {
            let mut lines = Lines::new(100);
            let mut all = Vec::new();
            for part in sent.chunks(step) {
                lines.room().extend_from_slice(part);
                all.extend(owned(&mut lines));
            }
            let wanted: Vec<Result<Vec<u8>, ()>> = [&b"one"[..], b"two", b"", b"three three"]
                .map(|line| Ok(line.to_vec()))
                .to_vec();
            assert_eq!(all, wanted, "in parts of {step}");
        }
    }

    #[test]
    fn an_overlong_line_is_reported_once_and_the_next_one_is_read() {
        let sent = b"ok\n0123456789abcdef\nagain\n";
        for step in 1..sent.len() {
            let mut lines = Lines::new(8);
            let mut all = Vec::new();
            for part in sent.chunks(step) {
                lines.room().extend_from_slice(part);
                all.extend(owned(&mut lines));
            }
            assert_eq!(
                all,
                [Ok(b"ok".to_vec()), Err(()), Ok(b"again".to_vec())],
                "in parts of {step}"
            );
        }
    }

    #[test]
    fn a_line_of_exactly_the_limit_passes() {
        let mut lines = Lines::new(4);
        lines.room().extend_from_slice(b"abcd\nabcde\n");
        assert_eq!(owned(&mut lines), [Ok(b"abcd".to_vec()), Err(())]);
    }

    #[test]
    fn a_dropped_line_takes_no_memory() {
        let mut lines = Lines::new(CHUNK);
        for _ in 0..100 {
            lines.room().resize(CHUNK, b'x');
            let _ = lines.cut();
        }
        assert!(
            lines.buffer.capacity() < 4 * CHUNK,
            "{}",
            lines.buffer.capacity()
        );
    }
}
