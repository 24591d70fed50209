//! The part of a refusal that is boxed, because results carry refusals.

use std::sync::OnceLock;

use crate::message::Message;
use crate::next_call::NextCall;

/// The message of a refusal, and the calls that it suggests.
#[derive(Clone, Debug)]
pub(super) struct RefusalText {
    pub(super) message: Message,
    /// The message as its reader gets it; rendered for a model unless it was rendered for another reader.
    pub(super) rendered: OnceLock<String>,
    /// The calls to make instead.
    pub(super) next: Vec<NextCall>,
}

impl From<Message> for RefusalText {
    fn from(message: Message) -> Self {
        RefusalText {
            message,
            rendered: OnceLock::new(),
            next: Vec::new(),
        }
    }
}

impl RefusalText {
    /// Replaces the message; the calls to make instead stay.
    pub(super) fn replace(&mut self, message: Message) {
        self.message = message;
        self.rendered = OnceLock::new();
    }
}
