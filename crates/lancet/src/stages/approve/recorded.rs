//! Questions on record: finds the decision about a plan, or records the question and has the call refused as `waiting`.
//!
//! The call sent again is recognised by a hash of workspace, session, tool and arguments. It is examined again, and the
//! decision counts only if the plan has the same hash as the one that was shown (`digest`). The announcement of the
//! operation uses up the approval in the same transaction; an operation that wrote nothing restores it. What the
//! session had seen is stored with the question, so that another process can carry the decision out.

use std::path::{Path, PathBuf};

use lancet_history::{
    AskOutcome, Digest, HistoryError, LedgerEntry, MAX_OPEN, MAX_OPEN_PER_SESSION, OperationAuthor,
    OperationStore, QuestionDraft, QuestionFile, QuestionRecord, QuestionState,
};

use super::ask::can_ask;
use super::halt::Halt;
use crate::approval::{Answer, FileQuestion, Question, encoding};
use crate::message::{SEND_AGAIN, message, verbatim};
use crate::operation;
use crate::questions::{
    DecisionProgress, RecordedCall, WaitingCall, WatchedFile, check_carried_out, has_changed,
    waiting_event,
};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::plan::FilePlan;
use crate::wording::format_count;

/// How many ids are tried before giving up where an id is already taken.
const MAX_ID_ATTEMPTS: usize = 8;
/// How long an approval is valid, in milliseconds.
const APPROVAL_LIFETIME: i64 = 24 * 60 * 60 * 1_000;
/// How far ahead of the clock a decision may be dated: clocks may be set back slightly. A decision from further ahead
/// was made at an unknown time, so the question is put again.
const MAX_CLOCK_ERROR: i64 = 5 * 60 * 1_000;

/// A person's decision about the plan at hand.
pub(super) struct Decision {
    pub(super) answer: Answer,
    /// The id of the question.
    pub(super) question: String,
    /// Who decided.
    pub(super) by: String,
}

/// A question with the change that it is about.
pub(super) struct QuestionAboutChange<'a> {
    pub(super) question: Question,
    /// The hash of the change that the question shows.
    pub(super) plan: Digest,
    pub(super) files: &'a [FilePlan],
    /// The refusal where no approver is available.
    pub(super) nobody: Refusal,
}

/// Returns the decision, if there is one about exactly this change. Otherwise the question is recorded, and the result
/// is the refusal `waiting`.
pub(super) fn find_or_request_decision(
    context: &CallContext<'_>,
    call: &RecordedCall,
    asking: QuestionAboutChange<'_>,
) -> Result<Decision, Halt> {
    let Some(store) = context.engine().history() else {
        return Err(asking.nobody.into());
    };
    let found = store
        .find_question_of_call(&call.key(context.session, &context.caller))
        .map_err(|error| history_refusal(&error))?;
    let mut renews = None;
    if let Some(found) = found {
        let has_waited = context.waited_on.as_deref() == Some(found.id.as_str());
        match found.state {
            // A call that waited on the same question as another one gets the same rejection.
            QuestionState::Rejected if has_waited => {
                let _ = store.mark_rejection_delivered(&found.id);
                return Ok(decode_decision(&found));
            }
            QuestionState::Rejected if !found.delivered => {
                let first = store.mark_rejection_delivered(&found.id);
                if first.map_err(|error| history_refusal(&error))? {
                    return Ok(decode_decision(&found));
                }
            }
            QuestionState::Approved if found.plan == asking.plan && is_valid(&found) => {
                return Ok(decode_decision(&found));
            }
            QuestionState::Open if found.plan == asking.plan => {
                return Err(waiting_refusal(context, &asking, found.id, false));
            }
            QuestionState::Open | QuestionState::Approved => renews = Some(found.id),
            QuestionState::Rejected | QuestionState::Used | QuestionState::Superseded => {}
        }
    }
    if !can_ask(context) {
        return Err(asking.nobody.into());
    }
    record_question(context, call, asking, &**store, renews.as_deref())
}

/// Records the question and gives the refusal `waiting`.
fn record_question(
    context: &CallContext<'_>,
    call: &RecordedCall,
    asking: QuestionAboutChange<'_>,
    store: &dyn OperationStore,
    renews: Option<&str>,
) -> Result<Decision, Halt> {
    // Questions that are too old do not count towards the limits.
    let _ = store.prune_questions();
    let question = asking.question.clone().escaped();
    let shown = encoding::encode_question(&question);
    let first = question.files.first();
    let workspace = first.and_then(|file| context.engine().workspace_of(&file.path));
    let ledger = context.session.ledger();
    let files = question.files.iter().map(|file| QuestionFile {
        path: file.path.clone(),
        kind: file.kind,
        added: file.lines.0 as u64,
        removed: file.lines.1 as u64,
        seen: ledger.get_without_use(source_of(file)).cloned(),
    });
    let files: Vec<QuestionFile> = files.collect();
    drop(ledger);
    let too_many = |limit: usize, whose: &'static str| {
        let limit = format_count(limit, "question");
        let text = message!(
            "{} {} wait for a person already, so this change is not asked about. Nothing was written; ask the user to decide the open ones (`lancet pending`), then {}.",
            verbatim(limit),
            whose,
            SEND_AGAIN
        );
        Refusal::from_message(RefusalKind::Declined, text)
    };
    for _ in 0..MAX_ID_ATTEMPTS {
        let id = operation::new_id();
        let event = waiting_event(&id, &question);
        let draft = QuestionDraft {
            id: &id,
            call: call.key(context.session, &context.caller),
            plan: asking.plan,
            workspace,
            event: &event,
            author: OperationAuthor {
                session: context.session.key(),
                client: context.caller.client.as_deref(),
                version: context.caller.version.as_deref(),
                turn: context.caller.turn.as_deref(),
                call: context.caller.call.as_deref(),
            },
            tool: &context.tool,
            arguments: &call.encode(&context.caller),
            shown: &shown,
            files: files.clone(),
            renews,
        };
        return match store.record_question(&draft) {
            Ok(AskOutcome::Taken) => continue,
            Ok(AskOutcome::Recorded) => Err(waiting_refusal(context, &asking, id, true)),
            Ok(AskOutcome::Known(known)) => Err(waiting_refusal(context, &asking, known, false)),
            Ok(AskOutcome::TooManyOfSession) => {
                Err(too_many(MAX_OPEN_PER_SESSION, "of this session").into())
            }
            Ok(AskOutcome::TooMany) => Err(too_many(MAX_OPEN, "of all sessions").into()),
            Err(error) => Err(history_refusal(&error)),
        };
    }
    let words = message!(
        "No id could be found for the question about this change. Nothing was written; {}.",
        SEND_AGAIN
    );
    Err(Refusal::from_message(RefusalKind::Busy, words).into())
}

/// Returns the file that a change is based on: the one that is moved, or that of the name itself.
fn source_of(file: &FileQuestion) -> &Path {
    file.moved_from.as_deref().unwrap_or(&file.path)
}

fn is_valid(found: &QuestionRecord) -> bool {
    let decided = found.decision.as_ref();
    let now = operation::current_milliseconds();
    let is_recent = |time: i64| time > now - APPROVAL_LIFETIME && time <= now + MAX_CLOCK_ERROR;
    decided.is_some_and(|decision| is_recent(decision.time))
}

fn decode_decision(found: &QuestionRecord) -> Decision {
    let decision = found.decision.as_ref();
    let answer = decision.and_then(|decision| encoding::decode_answer(&decision.words));
    Decision {
        // A decision in a form that only a newer lancet knows does not count as an approval.
        answer: answer.unwrap_or(Answer::Unanswered(None)),
        question: found.id.clone(),
        by: decision
            .map(|decision| decision.by.clone())
            .unwrap_or_default(),
    }
}

/// Returns the refusal for a call that waits. The message only instructs the model to ask its user: the id of the
/// question is for programs. No file is named, because that could reveal whether a file exists that may not be read.
fn waiting_refusal(
    context: &CallContext<'_>,
    asking: &QuestionAboutChange<'_>,
    id: String,
    is_new: bool,
) -> Halt {
    let text = "A person has been asked about this change and has not decided yet. Nothing was written. Ask your user to decide, then send the same call again.";
    let refusal =
        Refusal::from_message(RefusalKind::Waiting, text).with_field("question", id.as_str());
    let files = asking.files.iter().map(|file| {
        let source = file.source();
        WatchedFile {
            path: source.path().to_path_buf(),
            is_link: source.located.is_link(),
            stamp: file.expected.stamp().copied(),
        }
    });
    let (files, lancet) = (files.collect::<Vec<_>>(), context.session.lancet.clone());
    let waiting = WaitingCall::new(id, is_new, move || has_changed(&lancet, &files));
    context.waiting.replace(Some(waiting));
    refusal.into()
}

fn history_refusal(error: &HistoryError) -> Halt {
    let kind = match error {
        HistoryError::Busy { .. } => RefusalKind::Busy,
        _ => RefusalKind::Io,
    };
    let text = message!(
        "The question about this change could not be kept in the state folder ({}). Nothing was written; `lancet doctor` says more.",
        verbatim(error)
    );
    Refusal::from_message(kind, text).into()
}

/// Closes a question whose decision cannot be carried out.
pub(super) fn close_question(context: &CallContext<'_>, question: Option<&str>) {
    if let (Some(id), Some(store)) = (question, context.engine().history()) {
        // A question that remains approved is closed by the next attempt.
        let _ = store.withdraw_question(id);
    }
}

/// Stops a call that has waited if another call has carried out the decision in the meantime: nothing is written a
/// second time, even if a lasting answer would allow it.
pub(super) fn require_not_carried_out(context: &CallContext<'_>) -> Result<(), Halt> {
    let (Some(id), Some(store)) = (&context.waited_on, context.engine().history()) else {
        return Ok(());
    };
    match check_carried_out(&**store, id) {
        DecisionProgress::No => Ok(()),
        DecisionProgress::Answered(reply) => Err(Halt::Repeated(reply)),
        DecisionProgress::Unknown => {
            let text = "Another call has carried out this change meanwhile. Nothing was written by this one; read the file before going on.";
            Err(Refusal::from_message(RefusalKind::Busy, text).into())
        }
    }
}

/// Merges what the session had seen when it put the question with what it has seen now, for a call that is sent again
/// to another process. Returns the previous ledger entries of the files that were changed by this.
pub(crate) fn merge_recorded_seen(
    context: &CallContext<'_>,
) -> Vec<(PathBuf, Option<LedgerEntry>)> {
    let mut before = Vec::new();
    let (Some(call), Some(store)) = (&context.recorded, context.engine().history()) else {
        return before;
    };
    let key = call.key(context.session, &context.caller);
    let Ok(Some(found)) = store.find_question_of_call(&key) else {
        return before;
    };
    let is_pending = match found.state {
        QuestionState::Open | QuestionState::Approved => true,
        QuestionState::Rejected => !found.delivered,
        QuestionState::Used | QuestionState::Superseded => false,
    };
    let question = encoding::decode_question(&found.shown);
    let Some(question) = question.filter(|_| is_pending) else {
        return before;
    };
    let mut ledger = context.session.ledger();
    for (file, asked) in found.files.into_iter().zip(&question.files) {
        let path = source_of(asked);
        let Some(mut entry) = file.seen else {
            continue;
        };
        let known = ledger.get_without_use(path).cloned();
        match &known {
            // The session has seen another version since, which takes precedence.
            Some(known) if known.revision != entry.revision => continue,
            Some(known) => entry.seen.add_all(&known.seen),
            None => {}
        }
        ledger.put(path, entry);
        before.push((path.to_path_buf(), known));
    }
    before
}

/// Restores the ledger entries from before [`merge_recorded_seen`], because the call was not carried out.
pub(crate) fn restore_ledger_entries(
    context: &CallContext<'_>,
    before: Vec<(PathBuf, Option<LedgerEntry>)>,
) {
    let mut ledger = context.session.ledger();
    for (path, entry) in before {
        match entry {
            Some(entry) => ledger.put(&path, entry),
            None => {
                ledger.remove(&path);
            }
        }
    }
}
