//! Questions on record: finds the decision about a plan, or records the question and has the call refused as `waiting`.

use std::path::Path;

use lancet_history::{
    AskOutcome, Author, Digest, MOST_OPEN, MOST_OPEN_OF_A_SESSION, OperationStore, QuestionDraft,
    QuestionFile, QuestionRecord, QuestionState, StoreError,
};

use super::ask::is_somebody_there;
use super::halt::Halt;
use super::words::Subject;
use crate::approval::{Answer, FileQuestion, Question, encoding};
use crate::operation;
use crate::questions::{RecordedCall, WaitingCall, WatchedFile, waiting_event};
use crate::refusal::{Refusal, RefusalKind};
use crate::rooms::CallContext;
use crate::rooms::plan::FilePlan;
use crate::wording::count;

/// How long a yes is valid, in milliseconds.
const VALID: i64 = 24 * 60 * 60 * 1_000;

/// A person's decision about the plan at hand.
pub(super) struct Decision {
    pub(super) answer: Answer,
    /// The id of the question.
    pub(super) question: String,
    /// Who decided.
    pub(super) by: String,
}

/// What is asked.
pub(super) struct Asking<'a> {
    pub(super) question: Question,
    /// The hash of the change that the question shows.
    pub(super) plan: Digest,
    pub(super) files: &'a [FilePlan],
    pub(super) subject: &'a Subject,
    /// The refusal where there is nobody to ask.
    pub(super) nobody: Refusal,
}

/// Gives the decision, if there is one about exactly this change. Otherwise the question is recorded, and the result is the
/// refusal `waiting`.
pub(super) fn decision(
    context: &CallContext<'_>,
    call: &RecordedCall,
    asking: Asking<'_>,
) -> Result<Decision, Halt> {
    let Some(store) = context.engine().history() else {
        return Err(asking.nobody.into());
    };
    let found = store
        .question_of_call(&call.key(context.session, &context.caller))
        .map_err(|error| unusable(&error, asking.subject))?;
    let mut renews = None;
    if let Some(found) = found {
        match found.state {
            QuestionState::Rejected if !found.delivered => {
                let first = store.deliver(&found.id);
                if first.map_err(|error| unusable(&error, asking.subject))? {
                    return Ok(decided(&found));
                }
            }
            QuestionState::Approved if found.plan == asking.plan && is_valid(&found) => {
                return Ok(decided(&found));
            }
            QuestionState::Open if found.plan == asking.plan => {
                return Err(waiting(context, &asking, found.id, false));
            }
            QuestionState::Open | QuestionState::Approved => renews = Some(found.id),
            QuestionState::Rejected | QuestionState::Used | QuestionState::Superseded => {}
        }
    }
    if !is_somebody_there(context) {
        return Err(asking.nobody.into());
    }
    record(context, call, asking, &**store, renews.as_deref())
}

/// Records the question and gives the refusal `waiting`.
fn record(
    context: &CallContext<'_>,
    call: &RecordedCall,
    asking: Asking<'_>,
    store: &dyn OperationStore,
    renews: Option<&str>,
) -> Result<Decision, Halt> {
    let id = operation::new_id();
    let question = asking.question.clone().escaped();
    let shown = encoding::question(&question);
    let first = question.files.first();
    let workspace = first.and_then(|file| context.engine().workspace_of(&file.path));
    let ledger = context.session.ledger();
    let files = question.files.iter().map(|file| QuestionFile {
        path: file.path.clone(),
        kind: file.kind,
        added: file.lines.0 as u64,
        removed: file.lines.1 as u64,
        seen: ledger.peek(source_of(file)).cloned(),
    });
    let files = files.collect();
    drop(ledger);
    let draft = QuestionDraft {
        id: &id,
        call: call.key(context.session, &context.caller),
        plan: asking.plan,
        workspace,
        event: &waiting_event(&id, &question),
        author: Author {
            session: context.session.key(),
            client: context.caller.client.as_deref(),
            version: context.caller.version.as_deref(),
            turn: context.caller.turn.as_deref(),
            call: context.caller.call.as_deref(),
        },
        tool: &context.tool,
        arguments: &call.encode(),
        shown: &shown,
        files,
        renews,
    };
    let too_many = |limit: usize, whose: &str| {
        let limit = count(limit, "question");
        asking.subject.refusal_of(
            RefusalKind::Declined,
            format!(
                "{limit} {whose} wait for a person already, so this change is not asked about. Nothing was written; ask the user to decide the open ones (`lancet pending`), then send the call again."
            ),
        )
    };
    match store.ask(&draft) {
        Ok(AskOutcome::Recorded) => Err(waiting(context, &asking, id, true)),
        Ok(AskOutcome::Known(known)) => Err(waiting(context, &asking, known, false)),
        Ok(AskOutcome::TooManyOfSession) => {
            Err(too_many(MOST_OPEN_OF_A_SESSION, "of this session").into())
        }
        Ok(AskOutcome::TooMany) => Err(too_many(MOST_OPEN, "of all sessions").into()),
        Err(error) => Err(unusable(&error, asking.subject)),
    }
}

/// The file that a change is based on: the one that is moved, or that of the name itself.
fn source_of(file: &FileQuestion) -> &Path {
    file.moved_from.as_deref().unwrap_or(&file.path)
}

fn is_valid(found: &QuestionRecord) -> bool {
    let decided = found.decision.as_ref();
    decided.is_some_and(|decision| decision.time > operation::milliseconds() - VALID)
}

fn decided(found: &QuestionRecord) -> Decision {
    let decision = found.decision.as_ref();
    let answer = decision.and_then(|decision| encoding::decode_answer(&decision.words));
    Decision {
        // A decision in a form that only a newer lancet knows is no yes.
        answer: answer.unwrap_or(Answer::Unanswered(None)),
        question: found.id.clone(),
        by: decision
            .map(|decision| decision.by.clone())
            .unwrap_or_default(),
    }
}

/// The refusal for a call that waits. The model is told only to ask its user: the id of the question is for programs.
fn waiting(context: &CallContext<'_>, asking: &Asking<'_>, id: String, is_new: bool) -> Halt {
    let about = asking.subject.words();
    let text = format!(
        "A person has been asked about this change of {about} and has not decided yet. Nothing was written. Ask your user to decide, then send the same call again."
    );
    let refusal = asking
        .subject
        .refusal_of(RefusalKind::Waiting, text)
        .with("question", id.as_str());
    let files = asking.files.iter().map(|file| {
        let source = file.source();
        WatchedFile {
            path: source.path().to_path_buf(),
            is_link: source.located.is_link(),
            stamp: file.expected.stamp().copied(),
        }
    });
    context.waiting.replace(Some(WaitingCall {
        question: id,
        is_new,
        files: files.collect(),
        lancet: context.session.lancet.clone(),
    }));
    refusal.into()
}

fn unusable(error: &StoreError, subject: &Subject) -> Halt {
    let kind = match error {
        StoreError::Busy { .. } => RefusalKind::Busy,
        _ => RefusalKind::Io,
    };
    let text = format!(
        "The question about this change could not be kept in the state folder ({error}). Nothing was written; `lancet doctor` says more."
    );
    subject.refusal_of(kind, text).into()
}

/// Puts what the session had seen when it asked into the ledger, for a call that is sent again to another process. True
/// where the ledger has learned something.
pub(crate) fn recall_seen(context: &CallContext<'_>) -> bool {
    let (Some(call), Some(store)) = (&context.recorded, context.engine().history()) else {
        return false;
    };
    let Ok(Some(found)) = store.question_of_call(&call.key(context.session, &context.caller))
    else {
        return false;
    };
    let is_pending = match found.state {
        QuestionState::Open | QuestionState::Approved => true,
        QuestionState::Rejected => !found.delivered,
        QuestionState::Used | QuestionState::Superseded => false,
    };
    if !is_pending {
        return false;
    }
    let Some(question) = encoding::decode_question(&found.shown) else {
        return false;
    };
    let mut ledger = context.session.ledger();
    let mut learned = false;
    for (file, asked) in found.files.into_iter().zip(&question.files) {
        let path = source_of(asked);
        if let Some(entry) = file.seen
            && ledger.peek(path).is_none()
        {
            ledger.put(path, entry);
            learned = true;
        }
    }
    learned
}
