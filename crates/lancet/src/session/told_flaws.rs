//! Records which unusable parts of settings files were reported to a session.

use std::sync::{Mutex, PoisonError};

/// The flaws that were reported to a session, as one text.
#[derive(Debug, Default)]
pub(crate) struct ToldFlaws(Mutex<String>);

impl ToldFlaws {
    /// Copies the record of another session, for one that is forked from it.
    pub(super) fn like(other: &ToldFlaws) -> ToldFlaws {
        let told = other.0.lock().unwrap_or_else(PoisonError::into_inner);
        ToldFlaws(Mutex::new(told.clone()))
    }

    /// Returns whether exactly these were reported to the session.
    pub(crate) fn are(&self, all: &str) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) == all
    }

    /// Records that these are reported to the session; false if they already were.
    pub(crate) fn take(&self, all: String) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = *told != all;
        *told = all;
        is_new
    }
}
