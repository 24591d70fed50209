//! Notices that one answer carries in addition to its own text: that the client's roots, or its sandbox, are not
//! applied.

use std::sync::{Mutex, PoisonError};

use rmcp::model::{CallToolResponse, ContentBlock};

/// The notices that the next answer carries. Each is short, because it is added after the answer was fitted to the
/// client's limit.
#[derive(Default)]
pub(crate) struct PendingNotices(Mutex<Vec<String>>);

impl PendingNotices {
    /// Stores a notice for the next answer.
    pub(crate) fn add(&self, words: Option<String>) {
        let mut notices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notices.extend(words);
    }

    /// Adds the stored notices to an answer. A question leaves them for the answer that follows.
    pub(crate) fn append_to(&self, mut response: CallToolResponse) -> CallToolResponse {
        if let CallToolResponse::Complete(result) = &mut response {
            let mut notices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            result
                .content
                .extend(notices.drain(..).map(ContentBlock::text));
        }
        response
    }
}
