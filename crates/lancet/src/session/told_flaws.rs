//! Records which unusable parts of settings files were reported to a session.

use std::sync::{Mutex, PoisonError};

/// The flaws that were reported to a session, as one text.
#[derive(Debug, Default)]
pub(crate) struct ReportedFlaws(Mutex<String>);

impl ReportedFlaws {
    /// Copies the record of another session, for one that is forked from it.
    pub(super) fn copied_from(other: &ReportedFlaws) -> ReportedFlaws {
        let told = other.0.lock().unwrap_or_else(PoisonError::into_inner);
        ReportedFlaws(Mutex::new(told.clone()))
    }

    /// Returns whether exactly these were reported to the session.
    pub(crate) fn are_reported(&self, all: &str) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) == all
    }

    /// Records that these are reported to the session; false if they already were.
    pub(crate) fn record_as_reported(&self, all: String) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = *told != all;
        *told = all;
        is_new
    }
}
