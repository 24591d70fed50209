//! Limits the rate of messages from a server.

use std::time::{Duration, Instant};

/// The length of the measured window.
const WINDOW: Duration = Duration::from_secs(10);

/// The maximum number of messages in a window.
const MOST_MESSAGES: usize = 50_000;

/// The maximum number of bytes in a window.
const MOST_BYTES: usize = 256 << 20;

/// The messages of a server in the current window.
pub(crate) struct MessageLimiter {
    began: Option<Instant>,
    messages: usize,
    bytes: usize,
}

impl MessageLimiter {
    pub(crate) fn new() -> MessageLimiter {
        MessageLimiter {
            began: None,
            messages: 0,
            bytes: 0,
        }
    }

    /// Counts a message; returns whether the server is still within the limits.
    pub(crate) fn accept(&mut self, bytes: usize, now: Instant) -> bool {
        if self
            .began
            .is_none_or(|began| now.duration_since(began) > WINDOW)
        {
            *self = MessageLimiter::new();
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
    fn limits_messages_and_bytes_per_window() {
        let now = Instant::now();
        let mut flood = MessageLimiter::new();
        assert!((0..MOST_MESSAGES).all(|_| flood.accept(1, now)));
        assert!(!flood.accept(1, now));
        assert!(flood.accept(1, now + 2 * WINDOW));
        assert!(!flood.accept(MOST_BYTES, now + 2 * WINDOW));
    }
}
