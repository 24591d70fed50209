//! The log's lines about rejected requests. Any client can send those, so there are few lines, and each says how many
//! requests it represents.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lancet_serving::{Level, Log};

/// The minimum time between two lines.
const EVERY: Duration = Duration::from_secs(10);

/// The writer of the lines.
pub(crate) struct TurnedAway {
    log: Log,
    state: Mutex<Repeats>,
}

#[derive(Default)]
struct Repeats {
    last: Option<Instant>,
    /// The number of requests without a line since the last one.
    more: u64,
}

impl TurnedAway {
    pub(crate) fn new(log: Log) -> Self {
        let state = Mutex::default();
        Self { log, state }
    }

    /// Records a request that is rejected for this reason.
    pub(crate) fn note(&self, why: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some(more) = state.count(now) {
            self.log.say(Level::Warn, || match more {
                0 => format!("a request was turned away: {why}"),
                _ => format!(
                    "a request was turned away: {why}; {more} more since the last such line"
                ),
            });
        }
    }
}

impl Repeats {
    /// Counts one more request. If it gets a line, returns the number of other requests that the line represents.
    fn count(&mut self, now: Instant) -> Option<u64> {
        if self
            .last
            .is_some_and(|last| now.duration_since(last) < EVERY)
        {
            self.more += 1;
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_stands_for_all_of_its_time() {
        let (mut state, start) = (Repeats::default(), Instant::now());
        assert_eq!(state.count(start), Some(0));
        for _ in 0..5 {
            assert_eq!(state.count(start + EVERY / 2), None);
        }
        assert_eq!(state.count(start + EVERY), Some(5));
        assert_eq!(state.count(start + EVERY + EVERY), Some(0));
    }
}
