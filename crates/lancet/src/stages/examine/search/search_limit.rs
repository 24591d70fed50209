//! The condition under which a search stops before its end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use lancet_search::Stop;

use crate::call::Cancel;
use crate::stages::context::CallContext;

/// The stop condition of a search: cancelled, or out of time.
pub(super) struct SearchLimit<'c> {
    cancel: &'c Cancel,
    end: Instant,
    /// How many files may still be searched after the time has run out.
    free: AtomicUsize,
}

impl Stop for SearchLimit<'_> {
    fn should_stop(&self) -> bool {
        if self.cancel.is_cancelled() {
            return true;
        }
        let take_one = |left: usize| left.checked_sub(1);
        let is_free = self
            .free
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one)
            .is_ok();
        !is_free && Instant::now() >= self.end
    }
}

impl<'c> SearchLimit<'c> {
    pub(super) fn within(context: &'c CallContext<'_>, time: Duration) -> Self {
        let end = Instant::now() + time;
        SearchLimit {
            cancel: &context.cancel,
            end: context.cancel.deadline().map_or(end, |call| call.min(end)),
            free: AtomicUsize::new(0),
        }
    }

    /// Lets a few files be searched even on a slow machine, so that the answer about a small folder depends only on the
    /// folder.
    pub(super) fn with_free_checks(mut self, looks: usize) -> Self {
        self.free = AtomicUsize::new(looks);
        self
    }

    pub(super) fn from_settings(context: &'c CallContext<'_>) -> Self {
        let budget = context.engine().settings.search.time_budget;
        Self::within(context, Duration::from_millis(budget))
    }
}
