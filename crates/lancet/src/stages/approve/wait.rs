//! Waits for a person's answer: for a limited time, cancellable, and only while the files are still what the question
//! shows.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use lancet_workspace::{ExpectedState, FileType};

use super::halt::Halt;
use super::words::{QuestionSubject, timed_out_refusal};
use crate::approval::{Answer, Approver, Question, REASON_WAIT, Wait};
use crate::call::Stopped;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::plan::FilePlan;

/// How often the waiting thread checks the call and the clock.
const CALL_CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// How often the waiting thread checks the files.
const FILE_CHECK_INTERVAL: Duration = Duration::from_millis(250);
/// The time that an approver has to withdraw its question.
const WITHDRAWAL_TIME: Duration = Duration::from_millis(500);

/// Waits for an answer on this thread while the approver asks on another. The question is withdrawn where one of the files
/// changes.
pub(super) fn wait_for_answer(
    context: &CallContext<'_>,
    approver: &Arc<dyn Approver>,
    question: Question,
    files: &[FilePlan],
    subject: &QuestionSubject,
) -> Result<Answer, Halt> {
    // The escaping is done here, once for all approvers: a name or line of the file must not be mistaken for lancet's
    // own text.
    let question = question.escaped();
    let wait = Wait::default();
    let (answers, answered) = channel();
    let asking = {
        let (approver, wait) = (Arc::clone(approver), wait.clone());
        move || {
            let _ = answers.send(approver.ask(&question, &wait));
        }
    };
    let began = Instant::now();
    let thread = std::thread::Builder::new().name("lancet-question".to_owned());
    if thread.spawn(asking).is_err() {
        return Err(Refusal::from_message(
            RefusalKind::Internal,
            "The system gave no thread to ask a person on. Nothing was written.",
        )
        .into());
    }
    context.cancel.begin_waiting();
    let limit = context
        .engine()
        .permissions
        .wait_limit
        .saturating_sub(context.waited.get());
    let mut looked = began;
    let outcome = loop {
        match answered.recv_timeout(CALL_CHECK_INTERVAL) {
            Ok(answer) => break Ok(answer),
            // The approver panicked, so no person has answered.
            Err(RecvTimeoutError::Disconnected) => break Ok(Answer::Unanswered(None)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if context.cancel.stopped() == Some(Stopped::Cancelled) {
            break Err(Refusal::from_message(
                RefusalKind::Declined,
                "The caller cancelled this call. Nothing was written.",
            )
            .into());
        }
        // A rejection is final; only its reason is still awaited.
        if let Some(declined) = wait.declined_at() {
            if declined.elapsed() > REASON_WAIT {
                break Ok(Answer::No(None));
            }
            continue;
        }
        if began.elapsed() > limit {
            break Err(timed_out_refusal(context, subject).into());
        }
        if looked.elapsed() > FILE_CHECK_INTERVAL {
            looked = Instant::now();
            if files.iter().any(|file| has_changed(context, file)) {
                break Err(Halt::Changed);
            }
        }
    };
    wait.end_wait();
    if outcome.is_err() {
        // A question that is still on the screen must not overlap with the next one.
        let _ = answered.recv_timeout(WITHDRAWAL_TIME);
    }
    context.waited.set(context.waited.get() + began.elapsed());
    context.cancel.end_waiting(began.elapsed());
    outcome
}

/// Returns whether the file is no longer what the question shows. This is only a hint to ask again: the commit compares
/// the bytes.
fn has_changed(context: &CallContext<'_>, file: &FilePlan) -> bool {
    let source = file.source();
    let workspace = &context.engine().workspace;
    let found = match source.located.is_link() {
        true => workspace.locate_link(source.path()),
        false => workspace.locate_as_spelled(source.path()).map(Some),
    };
    let Ok(Some(now)) = found else {
        return true;
    };
    if let ExpectedState::EmptyFolder { .. } = file.expected {
        return now.kind() != FileType::Directory;
    }
    if !now.is_same_place(&source.located) {
        return true;
    }
    match file.expected.stamp() {
        None => now.stat().is_some(),
        Some(stamp) => now.stat().is_none_or(|now| !now.has_same_state(stamp)),
    }
}
