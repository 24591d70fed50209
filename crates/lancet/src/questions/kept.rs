//! The answer of the call that carried out a decision, as it is kept for others that wait for the same question.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::outcome::Outcome;
use crate::reply::Reply;

/// A kept answer.
#[derive(Serialize, Deserialize)]
pub(crate) struct KeptReply {
    text: String,
    data: Value,
}

impl KeptReply {
    pub(crate) fn of(reply: &Reply) -> Self {
        Self {
            text: reply.text().to_owned(),
            data: reply.data().clone(),
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        // It has only string keys, so that encoding cannot fail.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Decodes an answer; none where a newer lancet has written it in another form.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// The answer for another call, which says that it is repeated.
    pub(crate) fn reply(mut self) -> Option<Reply> {
        self.data
            .as_object_mut()?
            .insert("repeated".to_owned(), json!(true));
        Some(Reply::new(
            self.text.clone(),
            Outcome::Answered(self.data),
            self.text,
        ))
    }
}
