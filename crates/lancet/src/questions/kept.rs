//! The answer of the call that carried out a decision, stored for other calls that wait for the same question.

use lancet_model::non_exhaustive::NonExhaustive;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use lancet_history::{OperationStore, QuestionState};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::message::{message, verbatim};
use crate::outcome::{Outcome, RefusedOutcome};
use crate::refusal::TABLE;
use crate::reply::Reply;

/// How long a call waits for the answer of another one that has used the decision.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// The pause between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A stored answer.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredReply {
    text: String,
    data: Value,
}

/// Whether another call has carried out the decision about a question.
pub(crate) enum DecisionProgress {
    /// No other call has carried it out.
    No,
    /// Another call has, and this is its answer.
    Answered(Box<Reply>),
    /// Another call has, and its answer was not stored.
    Unknown,
}

impl StoredReply {
    pub(crate) fn from_reply(reply: &Reply) -> Self {
        Self {
            text: reply.text().to_owned(),
            data: reply.data().clone(),
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        // All keys are strings, so encoding cannot fail.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Decodes an answer; none if a newer lancet has written it in another format.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// Returns the answer for another call, marked as repeated. A refusal stays a refusal.
    pub(crate) fn into_reply(mut self) -> Option<Reply> {
        let fields = self.data.as_object_mut()?;
        let outcome = match fields.get_mut("error").map(Value::take) {
            Some(Value::Object(error)) => {
                let path = fields.get("file_path").and_then(Value::as_str);
                Outcome::Refused(restore_refusal(error, path, &self.text)?)
            }
            _ => {
                fields.insert("repeated".to_owned(), json!(true));
                Outcome::Answered(self.data)
            }
        };
        Some(Reply::new(self.text.clone(), outcome, self.text))
    }
}

/// Restores the outcome of a refusal that was stored as JSON.
fn restore_refusal(
    mut error: Map<String, Value>,
    path: Option<&str>,
    text: &str,
) -> Option<RefusedOutcome> {
    let name = error.remove("name")?;
    let code = error.remove("code")?.as_u64()?;
    let row = TABLE.iter().find(|row| name == row.name)?;
    error.insert("repeated".to_owned(), json!(true));
    // These calls were right for the files as they were then.
    error.remove("next");
    Some(RefusedOutcome {
        kind: row.kind,
        code: u8::try_from(code).ok()?,
        path: path.map(PathBuf::from),
        data: error,
        next: Vec::new(),
        message: message!("{}", verbatim(text)),
        non_exhaustive: NonExhaustive,
    })
}

/// Checks whether another call has carried out the decision about a question. The answer is stored a moment after the
/// write, so this function waits for it.
pub(crate) fn check_carried_out(store: &dyn OperationStore, question: &str) -> DecisionProgress {
    let began = Instant::now();
    loop {
        let Ok(Some(found)) = store.find_question(question) else {
            return DecisionProgress::No;
        };
        if found.state != QuestionState::Used {
            return DecisionProgress::No;
        }
        let kept = found.answer.as_deref().and_then(StoredReply::decode);
        if let Some(reply) = kept.and_then(StoredReply::into_reply) {
            return DecisionProgress::Answered(Box::new(reply));
        }
        if began.elapsed() > MAX_WAIT {
            return DecisionProgress::Unknown;
        }
        sleep(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::{Refusal, RefusalKind};

    #[test]
    fn stored_refusal_is_restored_as_refusal() {
        let refusal = Refusal::new(RefusalKind::Declined, "No.").with_field("file_path", "/a");
        let reply = Reply::from_host_refusal("Write", &refusal);
        let kept = StoredReply::decode(&StoredReply::from_reply(&reply).encode()).expect("decoded");
        let back = kept.into_reply().expect("a reply");
        assert_eq!(back.refusal(), Some(RefusalKind::Declined));
        assert_eq!(back.text(), reply.text());
        assert_eq!(back.data()["error"]["code"], reply.data()["error"]["code"]);
        assert_eq!(back.data()["error"]["repeated"], true);
        assert_eq!(back.data()["file_path"], "/a");
    }
}
