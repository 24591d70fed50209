//! Tasks: a client that offers the extension gets a task with the question's id in place of the answer `waiting`, and
//! polls its state. The state is read from the question's record, so a task outlives the process. Once the question is
//! decided, the first request for the state carries the call out.

use std::sync::Arc;

use lancet::questions::{QuestionState, Questions, RecordedQuestion};
use lancet::{Lancet, RefusalKind, Reply};
use lancet_serving::pool::JobProgress;
use lancet_serving::tokens::TokenKind;
use rmcp::model::{
    CreateTaskResult, DetailedTask, GetTaskResult, JsonObject, Task, TaskPayload, TaskStatus,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use crate::answer;
use crate::clients::ClientProfile;
use crate::link;
use crate::process::Process;

/// How long a task is valid, in milliseconds: as long as an undecided question.
const TTL: u64 = 7 * 24 * 60 * 60 * 1_000;
/// The recommended polling interval of a client, in milliseconds.
const POLL_INTERVAL: u64 = 2_000;
/// How many questions that replaced each other are followed.
const MOST_FOLLOWED: usize = 100;

/// Reports whether a client accepts a task as an answer.
pub(crate) fn are_tasks_accepted(context: &RequestContext<RoleServer>) -> bool {
    // A request for the state of a task brings no roots, so a client that has its own gets no task.
    let capabilities = context.client_capabilities();
    capabilities.is_some_and(|offer| offer.supports_tasks() && offer.roots.is_none())
}

/// Makes the task of a question that was just recorded.
pub(crate) fn new_task(question: &RecordedQuestion) -> CreateTaskResult {
    CreateTaskResult::new(task_from_question(
        &question.id,
        question,
        TaskStatus::Working,
    ))
}

/// Returns the state of a task. A call whose question is decided is carried out now.
pub(crate) async fn task_state(
    process: &Arc<Process>,
    lancet: Lancet,
    id: String,
    client: ClientProfile,
    context: &RequestContext<RoleServer>,
) -> Result<GetTaskResult, ErrorData> {
    let unknown = || ErrorData::invalid_params(format!("there is no task {id}"), None);
    let Some(questions) = process.lancet.questions() else {
        return Err(unknown());
    };
    let caller = context.client_info().map(|client| client.name);
    let may_write = link::token_kind(context) == TokenKind::Write;
    let (wanted, profile) = (id.clone(), client.clone());
    let progress = JobProgress::default();
    let looked = process.pool.run(&progress, move || {
        let first = find_question(&questions, &wanted, caller.as_deref())?;
        let newest = newest_replacement(&questions, first.clone());
        let stage = match newest.state {
            QuestionState::Open => TaskStage::Waits,
            QuestionState::Superseded => TaskStage::GivenUp,
            _ if !may_write => TaskStage::Waits,
            _ => answer_of_decided_call(&questions, &lancet, &newest, &profile)?,
        };
        Some((first, stage))
    });
    let looked = looked.await.ok().flatten();
    let (question, stage) = looked.ok_or_else(unknown)?;
    let payload = match stage {
        TaskStage::Waits => TaskPayload::Working,
        TaskStage::GivenUp => TaskPayload::Cancelled,
        TaskStage::Answered(reply) => {
            let tool = question.question.tool.as_str();
            let result = answer::into_mcp_result(*reply, process.answer_format(tool), &client);
            TaskPayload::Completed {
                result: object_or_empty(serde_json::to_value(result)),
            }
        }
    };
    let task = task_from_question(&id, &question, payload.status());
    Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
}

/// Withdraws the question of a task that its client no longer wants.
pub(crate) async fn cancel_task(
    process: &Arc<Process>,
    id: String,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    let unknown = ErrorData::invalid_params(format!("there is no task {id}"), None);
    if link::token_kind(context) != TokenKind::Write {
        return Err(unknown);
    }
    let caller = context.client_info().map(|client| client.name);
    let Some(questions) = process.lancet.questions() else {
        return Err(unknown);
    };
    let progress = JobProgress::default();
    let withdrawn = process.pool.run(&progress, move || {
        let found = find_question(&questions, &id, caller.as_deref())?;
        let newest = newest_replacement(&questions, found);
        questions.withdraw(&newest.id).ok()
    });
    withdrawn.await.ok().flatten().ok_or(unknown)
}

/// Returns the question of a task, if it is this client's and about files below these roots.
fn find_question(
    questions: &Questions,
    id: &str,
    client: Option<&str>,
) -> Option<RecordedQuestion> {
    let found = questions.get(id).ok().flatten()?;
    let is_own = found.question.client.as_deref() == client && questions.is_below_roots(&found);
    is_own.then_some(found)
}

/// Returns the newest of the questions that replaced each other.
fn newest_replacement(questions: &Questions, first: RecordedQuestion) -> RecordedQuestion {
    let mut newest = first;
    for _ in 0..MOST_FOLLOWED {
        let follower = match (&newest.state, &newest.followed_by) {
            (QuestionState::Superseded, Some(id)) => questions.get(id).ok().flatten(),
            _ => None,
        };
        match follower {
            Some(follower) => newest = follower,
            None => break,
        }
    }
    newest
}

/// How far a task has come.
enum TaskStage {
    /// It waits for a decision.
    Waits,
    /// Its question was withdrawn.
    GivenUp,
    /// The call has its answer.
    Answered(Box<Reply>),
}

/// Returns the answer of a call whose question is decided: the recorded one, or that of the call, which is carried out
/// now.
fn answer_of_decided_call(
    questions: &Questions,
    lancet: &Lancet,
    question: &RecordedQuestion,
    client: &ClientProfile,
) -> Option<TaskStage> {
    if let Some(kept) = questions.stored_reply(&question.id).ok()? {
        return Some(TaskStage::Answered(Box::new(kept)));
    }
    if question.state == QuestionState::Used {
        // Another call is carrying it out, and its answer is not there yet.
        return Some(TaskStage::Waits);
    }
    let (session, mut call) = questions.call_to_carry_out(&question.id, lancet).ok()??;
    call.caller.handed_on = client.forwarded_answer(&call.arguments);
    let reply = session.call(call);
    if reply.waiting_call().is_some() {
        // A file has changed, and a new question has replaced this one.
        return Some(TaskStage::Waits);
    }
    // A no is reported once, so it is recorded for the next request. Other refusals may be temporary, and the yes still
    // holds.
    if matches!(reply.refusal(), None | Some(RefusalKind::Declined)) {
        let _ = questions.store_reply(&question.id, &reply);
    }
    Some(TaskStage::Answered(Box::new(reply)))
}

fn task_from_question(id: &str, question: &RecordedQuestion, status: TaskStatus) -> Task {
    let updated = question
        .decided
        .as_ref()
        .map_or(question.time, |(_, time)| *time);
    Task::new(
        id,
        status,
        format_timestamp(question.time),
        format_timestamp(updated),
    )
    .with_status_message(match status {
        TaskStatus::Working => "waits for a person's decision",
        TaskStatus::Cancelled => "the question was withdrawn",
        _ => "decided",
    })
    .with_ttl_ms(TTL)
    .with_poll_interval_ms(POLL_INTERVAL)
}

fn object_or_empty(value: Result<Value, serde_json::Error>) -> JsonObject {
    match value {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}

/// Formats a time, in milliseconds since 1970, by ISO 8601.
fn format_timestamp(milliseconds: i64) -> String {
    let (days, rest) = (
        milliseconds.div_euclid(86_400_000),
        milliseconds.rem_euclid(86_400_000),
    );
    // Days are counted from 1 March of the year 0, so that a leap day is the last of its year.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (seconds, milliseconds) = (rest / 1_000, rest % 1_000);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{milliseconds:03}Z",
        seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60
    )
}

#[cfg(test)]
mod tests {
    use super::format_timestamp;

    #[test]
    fn formats_times_as_iso_8601() {
        assert_eq!(format_timestamp(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(
            format_timestamp(951_782_399_999),
            "2000-02-28T23:59:59.999Z"
        );
        assert_eq!(
            format_timestamp(951_782_400_000),
            "2000-02-29T00:00:00.000Z"
        );
        assert_eq!(
            format_timestamp(1_794_922_631_131),
            "2026-11-17T13:37:11.131Z"
        );
        assert_eq!(format_timestamp(-1), "1969-12-31T23:59:59.999Z");
    }
}
