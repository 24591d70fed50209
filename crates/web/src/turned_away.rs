//! The log's lines about rejected requests. Any client can send those, so there are few lines, and each says how many
//! requests it represents.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lancet_serving::{Level, Log};

/// The minimum time between two lines.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// The writer of the lines.
pub(crate) struct RejectionLog {
    log: Log,
    state: Mutex<RejectionCount>,
}

#[derive(Default)]
struct RejectionCount {
    last: Option<Instant>,
    /// The number of requests without a line since the last one.
    more: u64,
}

impl RejectionLog {
    pub(crate) fn new(log: Log) -> Self {
        let state = Mutex::default();
        Self { log, state }
    }

    /// Records a request that is rejected for this reason.
    pub(crate) fn log_rejection(&self, why: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some(more) = state.count_rejection(now) {
            self.log.log(Level::Warn, || match more {
                0 => format!("a request was turned away: {why}"),
                _ => format!(
                    "a request was turned away: {why}; {more} more since the last such line"
                ),
            });
        }
    }
}

impl RejectionCount {
    /// Counts one more request. If it gets a line, returns the number of other requests that the line represents.
    fn count_rejection(&mut self, now: Instant) -> Option<u64> {
        if self
            .last
            .is_some_and(|last| now.duration_since(last) < LOG_INTERVAL)
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
    fn one_log_line_covers_all_requests_of_its_interval() {
        let (mut state, start) = (RejectionCount::default(), Instant::now());
        assert_eq!(state.count_rejection(start), Some(0));
        for _ in 0..5 {
            assert_eq!(state.count_rejection(start + LOG_INTERVAL / 2), None);
        }
        assert_eq!(state.count_rejection(start + LOG_INTERVAL), Some(5));
        assert_eq!(
            state.count_rejection(start + LOG_INTERVAL + LOG_INTERVAL),
            Some(0)
        );
    }
}
