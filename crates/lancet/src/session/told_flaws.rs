//! Which parts of settings files that cannot be used a session was told of.

use std::sync::{Mutex, PoisonError};

/// The flaws that a session was told of, as one text.
#[derive(Debug, Default)]
pub(crate) struct ToldFlaws(Mutex<String>);

impl ToldFlaws {
    /// Copies what another session was told, for one that is forked from it.
    pub(super) fn like(other: &ToldFlaws) -> ToldFlaws {
        let told = other.0.lock().unwrap_or_else(PoisonError::into_inner);
        ToldFlaws(Mutex::new(told.clone()))
    }

    /// Whether the session was told exactly these.
    pub(crate) fn are(&self, all: &str) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) == all
    }

    /// Notes that the session is told these; false where it was told them already.
    pub(crate) fn take(&self, all: String) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = *told != all;
        *told = all;
        is_new
    }
}
