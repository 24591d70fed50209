//! The questions that were recently decided on the page, so that users see the results of their decisions.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The largest number that is stored.
const MAX_REMEMBERED: usize = 6;

/// Their ids, newest first.
#[derive(Default)]
pub(crate) struct RecentDecisions(Mutex<VecDeque<String>>);

impl RecentDecisions {
    pub(super) fn add(&self, id: &str) {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ids.push_front(id.to_owned());
        ids.truncate(MAX_REMEMBERED);
    }

    pub(super) fn ids(&self) -> Vec<String> {
        let ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ids.iter().cloned().collect()
    }
}
