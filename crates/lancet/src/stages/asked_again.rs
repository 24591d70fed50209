//! A call that a person was already asked about: it is recognised when it is sent again, and calls that waited on the
//! same question get the same answer.

use lancet_history::QuestionState;

use super::context::CallContext;
use crate::call::{AskMode, RawCall};
use crate::questions::{DecisionProgress, RecordedCall, StoredReply, check_carried_out};
use crate::reply::Reply;
use crate::session::Session;

/// Returns the identity by which the call is recognised if its question is recorded, and the question that it waited
/// on.
pub(super) fn recorded_call(
    session: &Session,
    raw: &RawCall,
) -> (Option<RecordedCall>, Option<String>) {
    let AskMode::Recorded {
        deciders,
        waited_on,
    } = &raw.asks
    else {
        return (None, None);
    };
    if session.lancet.base().history().is_none() {
        return (None, None);
    }
    let call = RecordedCall::new(&raw.tool, &raw.arguments, *deciders);
    (Some(call), waited_on.clone())
}

/// Completes the answer of a call whose question is recorded: records what it waits on, stores the answer for other
/// calls, or takes the answer of another call that has used the decision.
pub(super) fn complete_reply(context: &CallContext<'_>, mut reply: Reply) -> Reply {
    if let Some(waiting) = context.waiting.take() {
        reply.set_waiting_call(waiting);
        return reply;
    }
    let (Some(_), Some(store)) = (&context.recorded, context.engine().history()) else {
        return reply;
    };
    if !reply.is_error() {
        let Some(id) = context.decided.take() else {
            return reply;
        };
        // Without it another call that waits gets a refusal, and nothing is written twice.
        let _ = store.store_answer(&id, &StoredReply::from_reply(&reply).encode());
        return reply;
    }
    let Some(id) = &context.waited_on else {
        return reply;
    };
    match check_carried_out(&**store, id) {
        DecisionProgress::Answered(repeated) => *repeated,
        DecisionProgress::Unknown => reply,
        DecisionProgress::No => {
            // The call was examined again because a file has changed, and it no longer fits.
            if let Ok(Some(found)) = store.find_question(id)
                && found.state == QuestionState::Open
            {
                let _ = store.withdraw_question(id);
            }
            reply
        }
    }
}
