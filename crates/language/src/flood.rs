//! Limits the rate of messages from a server.

use std::time::{Duration, Instant};

/// The length of the measured window.
const WINDOW: Duration = Duration::from_secs(10);

/// The maximum number of messages in a window.
const MOST_MESSAGES: usize = 50_000;

/// The maximum number of bytes in a window.
const MOST_BYTES: usize = 256 << 20;

/// The messages of a server in the current window.
pub(crate) struct Flood {
    began: Option<Instant>,
    messages: usize,
    bytes: usize,
}

impl Flood {
    pub(crate) fn new() -> Flood {
        Flood {
            began: None,
            messages: 0,
            bytes: 0,
        }
    }

    /// Counts a message; returns whether the server is still within the limits.
    pub(crate) fn bears(&mut self, bytes: usize, now: Instant) -> bool {
        if self
            .began
            .is_none_or(|began| now.duration_since(began) > WINDOW)
        {
            *self = Flood::new();
            self.began = Some(now);
        }
        self.messages += 1;
        self.bytes += bytes;
        self.messages <= MOST_MESSAGES && self.bytes <= MOST_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_messages_in_a_while_are_too_many() {
        let now = Instant::now();
        let mut flood = Flood::new();
        assert!((0..MOST_MESSAGES).all(|_| flood.bears(1, now)));
        assert!(!flood.bears(1, now));
        assert!(flood.bears(1, now + 2 * WINDOW));
        assert!(!flood.bears(MOST_BYTES, now + 2 * WINDOW));
    }
}
