//! Messages that the page shows once, after a form was carried out, at the top of the next page that the user sees.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::visitor::Visitor;

/// The largest number of devices with waiting messages.
const MAX_DEVICES: usize = 100;
/// The largest number of messages that wait for one device.
const MAX_MESSAGES: usize = 20;

/// Whether the message is good news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Done,
    Refused,
}

/// A message to the user.
#[derive(Clone, Debug)]
pub(super) struct UserMessage {
    pub(super) tone: Tone,
    pub(super) words: String,
}

impl UserMessage {
    /// Creates a message about an action that was not done.
    pub(super) fn refusal(words: String) -> Self {
        let tone = Tone::Refused;
        Self { tone, words }
    }

    pub(super) fn is_refusal(&self) -> bool {
        self.tone == Tone::Refused
    }
}

/// The waiting messages, by device.
#[derive(Default)]
pub(super) struct PendingMessages(Mutex<HashMap<blake3::Hash, Vec<UserMessage>>>);

impl PendingMessages {
    /// Adds a message for the next page that a device gets.
    pub(super) fn add_message(&self, visitor: &Visitor, tone: Tone, words: impl Into<String>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_DEVICES {
            all.clear();
        }
        let told = all.entry(visitor.device).or_default();
        if told.len() < MAX_MESSAGES {
            let words = words.into();
            told.push(UserMessage { tone, words });
        }
    }

    /// Removes and returns the waiting messages of a device.
    pub(super) fn take_messages(&self, visitor: &Visitor) -> Vec<UserMessage> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&visitor.device).unwrap_or_default()
    }
}
