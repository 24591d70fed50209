//! A call that was asked about before: it is recognised when it is sent again, and calls that waited on the same question
//! get the same answer.

use std::thread::sleep;
use std::time::{Duration, Instant};

use lancet_history::QuestionState;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CallContext;
use crate::call::{Asks, RawCall};
use crate::outcome::Outcome;
use crate::questions::RecordedCall;
use crate::reply::Reply;
use crate::session::Session;

/// How long a call waits for the answer of another one that has used the decision.
const PATIENCE: Duration = Duration::from_secs(5);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// The answer of a call, as it is kept for others that waited on the same question.
#[derive(Serialize, Deserialize)]
struct KeptAnswer {
    text: String,
    data: Value,
}

/// By what the call is recognised, where its question is recorded, and the question that it waited on.
pub(super) fn recorded(session: &Session, raw: &RawCall) -> (Option<RecordedCall>, Option<String>) {
    let Asks::Recorded {
        deciders,
        waited_on,
    } = &raw.asks
    else {
        return (None, None);
    };
    if session.lancet.base().history().is_none() {
        return (None, None);
    }
    let call = RecordedCall::new(session, &raw.caller, &raw.tool, &raw.arguments, *deciders);
    (Some(call), waited_on.clone())
}

/// Completes the answer of a call whose question is recorded: notes what it waits on, keeps it for others, or takes that of
/// another call which has used the decision.
pub(super) fn answer(
    context: &CallContext<'_>,
    mut reply: Reply,
    waited_on: Option<&str>,
) -> Reply {
    if let Some(waiting) = context.waiting.take() {
        reply.waits(waiting);
        return reply;
    }
    let (Some(_), Some(store)) = (&context.recorded, context.engine().history()) else {
        return reply;
    };
    if !reply.is_error() {
        let Some(id) = context.decided.take() else {
            return reply;
        };
        let kept = KeptAnswer {
            text: reply.text().to_owned(),
            data: reply.data().clone(),
        };
        // Without it another call that waits gets a refusal, and nothing is written twice.
        let _ = store.keep_answer(&id, &serde_json::to_vec(&kept).unwrap_or_default());
        return reply;
    }
    let Some(id) = waited_on else {
        return reply;
    };
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let Ok(Some(found)) = store.question(id) else {
            return reply;
        };
        match found.state {
            QuestionState::Used => {}
            // The call was looked at again because a file has changed, and it no longer fits.
            QuestionState::Open => {
                let _ = store.withdraw(id);
                return reply;
            }
            _ => return reply,
        }
        let kept = found.answer.as_deref().map(serde_json::from_slice);
        if let Some(Ok(KeptAnswer { text, mut data })) = kept {
            if let Some(fields) = data.as_object_mut() {
                fields.insert("repeated".to_owned(), Value::Bool(true));
            }
            return Reply::new(text.clone(), Outcome::Answered(data), text);
        }
        sleep(PAUSE);
    }
    reply
}
