//! Sentences about rules of the answer "always" that could not be added to the user's settings. They wait until an
//! answer of the session has space for them.

use std::sync::{Mutex, PoisonError};

/// The most sentences that are stored.
const MAX_SENTENCES: usize = 20;

/// The sentences of one session.
#[derive(Default)]
pub(crate) struct UnsavedRules(Mutex<Vec<String>>);

impl UnsavedRules {
    /// Adds a sentence.
    pub(crate) fn push(&self, words: String) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < MAX_SENTENCES && !all.contains(&words) {
            all.push(words);
        }
    }

    /// Returns all sentences, in their order.
    pub(crate) fn all(&self) -> Vec<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Removes a sentence. False means that another answer has reported it.
    pub(crate) fn take(&self, words: &str) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = all.len();
        all.retain(|known| known != words);
        all.len() < before
    }
}
