//! A call that was refused as `waiting`: its question, and whether its files are still what the question shows.

use std::fmt;
use std::sync::Arc;

/// A call that was refused as `waiting`.
#[derive(Clone)]
pub struct WaitingCall {
    question: String,
    is_new: bool,
    /// Compares the files with what the question shows.
    has_changed: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl fmt::Debug for WaitingCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("WaitingCall");
        shown.field("question", &self.question);
        shown.finish_non_exhaustive()
    }
}

impl WaitingCall {
    /// Makes the call from its question's id, whether the question is new, and the comparison of its files.
    #[doc(hidden)]
    pub fn new(
        question: String,
        is_new: bool,
        has_changed: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            question,
            is_new,
            has_changed: Arc::new(has_changed),
        }
    }

    /// Returns the id of the question.
    pub fn question(&self) -> &str {
        &self.question
    }

    /// Returns whether the call has just created the question. Otherwise the question was open before.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns whether a file is no longer what the question shows. The call should then be sent again: if the change
    /// still applies, a question with the new diff is recorded, and otherwise the call is refused.
    pub fn has_changed(&self) -> bool {
        (self.has_changed)()
    }
}
