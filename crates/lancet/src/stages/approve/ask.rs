//! Builds the one question of a call, asks it, and applies the answer to the plan.
//!
//! The question is put on a separate thread while the call waits, and only as long as its files match what it shows
//! (`wait`). Its texts are escaped once for all approvers (`visible.rs`). A partial answer reduces the plan (`pick`,
//! `reduce`), and the result is compared with the hunks that were shown; `tests/picking/law.rs` states the law. Lasting
//! answers are collected in the call's context and saved after the commit (`keep`).

use lancet_model::non_exhaustive::NonExhaustive;
use std::sync::Arc;
use std::time::SystemTime;

use lancet_policy::Policy;

use super::digest;
use super::file_question::file_questions;
use super::halt::Halt;
use super::keep;
use super::pick::{self, ProposedQuestion};
use super::pieces::Pieces;
use super::reason::{FileDecision, no_approver_refusal};
use super::recorded::{self, QuestionAboutChange};
use super::wait::wait_for_answer;
use super::words::{self, QuestionSubject};
use crate::approval::{Answer, Approver, LastingOffers, Pick, Question};
use crate::call::Deciders;
use crate::events::Event;
use crate::questions::is_watched;
use crate::reason::Reason;
use crate::refusal::Refusal;
use crate::session::{GrantScope, LastingAnswer};
use crate::stages::context::CallContext;
use crate::stages::plan::{PartialApproval, Plan};
use crate::wording::{QuotedPath, truncate};

/// The longest reason in the record of who approved, in characters.
const MAX_REASON_LENGTH: usize = 1_000;

/// Returns whether an approver or the record of questions is available.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
pub(super) fn can_ask(context: &CallContext<'_>) -> bool {
    let Some(call) = &context.recorded else {
        return approver(context).is_some();
    };
    let state = context.session.lancet.state_dir();
    let is_watched =
        || state.is_some_and(|state| is_watched(state, &context.engine().workspace_names()));
    match call.deciders {
        Deciders::Present => true,
        Deciders::IfWatched => is_watched(),
        _ => is_watched(),
    }
}

/// Returns the approver of the call, or else of the engine; none where no question can be put.
fn approver<'d>(context: &'d CallContext<'_>) -> Option<&'d Arc<dyn Approver>> {
    context
        .approver
        .as_ref()
        .or(context.engine().base().approver.as_ref())
}

/// Asks the person about a plan and removes from it what the person left out. The result says who approved, for the
/// history.
pub(super) fn ask(
    context: &CallContext<'_>,
    policy: &Policy,
    plan: &mut Plan,
    standings: &[FileDecision],
) -> Result<String, Halt> {
    let order = question_order(standings);
    let asked: Vec<&Reason> = order
        .iter()
        .filter_map(|&at| standings[at].reason_to_ask())
        .collect();
    let subject = QuestionSubject::files(&plan.files);
    let nobody = unasked_refusal(plan, &order, &asked, &subject);
    let (grants, offered): (Vec<(String, GrantScope)>, Vec<keep::OfferedScope>) = asked
        .iter()
        .map(|reason| {
            let (reach, words) = keep::scope_of_session_answer(policy, reason);
            ((reason.key.clone(), reach), words)
        })
        .unzip();
    let rules = keep::rules_for_always(context, asked.iter().copied());
    let pieces: Vec<Pieces> = plan
        .files
        .iter()
        .map(|file| Pieces::for_file(&plan.origin, file))
        .collect();
    let question = Question {
        files: file_questions(context, plan, standings, &order, &pieces),
        is_whole: plan.origin.parts == PartialApproval::Inseparable,
        offers: LastingOffers {
            session: keep::describe_session_offer(&offered, plan.files.len()),
            always: rules.clone(),
            non_exhaustive: NonExhaustive,
        },
        ..question_from_caller(context)
    };
    let texts = question.files.iter().map(|file| file.text.clone());
    let texts: Vec<Option<String>> = texts.collect();
    let (answer, by) = obtain_decision(context, plan, question, &subject, nobody)?;
    let picks = picks_of_answer(&answer, order.len());
    notify_of_decisions(context, standings, &order, &answer, &picks);
    #[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
    let words = match answer {
        Answer::No(_) | Answer::NoByProgram { .. } | Answer::Unanswered(_) => {
            return Err(rejection(&subject, &answer).into());
        }
        Answer::Edited(_) if order.len() != 1 => {
            return Err(words::not_understood_refusal(&subject).into());
        }
        Answer::Session => {
            context.answer.replace(LastingAnswer::for_session(grants));
            return Ok(by);
        }
        Answer::Always => {
            context
                .answer
                .replace(LastingAnswer::for_always(grants, rules));
            return Ok(by);
        }
        Answer::Yes => return Ok(by),
        Answer::Edited(_) => None,
        Answer::Picked { words, .. } => words,
        _ => return Err(words::not_understood_refusal(&subject).into()),
    };
    let proposed = ProposedQuestion {
        order: &order,
        pieces: &pieces,
        texts: &texts,
    };
    apply_picks(context, plan, &proposed, picks, words, &subject)?;
    Ok(match plan.origin.omitted.describe() {
        None => by,
        Some(omitted) => format!("{by}; left out: {}", truncate(&omitted, MAX_REASON_LENGTH)),
    })
}

/// Returns the refusal for an answer that rejects the question.
fn rejection(subject: &QuestionSubject, answer: &Answer) -> Refusal {
    match answer {
        Answer::No(words) => words::declined_refusal(subject, words.as_deref()),
        Answer::NoByProgram { by, words } => {
            words::declined_by_program_refusal(subject, by, words.as_deref())
        }
        Answer::Unanswered(words) => {
            words::not_answered_by_a_person_refusal(subject, words.as_deref())
        }
        _ => words::not_understood_refusal(subject),
    }
}

/// Returns the parts of each file that an answer accepts.
fn picks_of_answer(answer: &Answer, files: usize) -> Vec<Pick> {
    match answer {
        Answer::Picked { files, .. } => files.clone(),
        Answer::Edited(text) if files == 1 => vec![Pick::Edited(text.clone())],
        _ => vec![Pick::Whole; files],
    }
}

/// Notifies the observers of the decision about each file that needed an answer.
fn notify_of_decisions(
    context: &CallContext<'_>,
    standings: &[FileDecision],
    order: &[usize],
    answer: &Answer,
    picks: &[Pick],
) {
    for (place, at) in order.iter().enumerate() {
        if let Some(reason) = standings[*at].reason_to_ask() {
            let allowed =
                is_yes(answer) && picks.get(place).is_some_and(|pick| *pick != Pick::Nothing);
            notify_of_decision(context, reason, allowed);
        }
    }
}

/// Reduces the plan to what was picked, and closes the question where that is not possible.
fn apply_picks(
    context: &CallContext<'_>,
    plan: &mut Plan,
    proposed: &ProposedQuestion<'_>,
    picks: Vec<Pick>,
    words: Option<String>,
    subject: &QuestionSubject,
) -> Result<(), Halt> {
    pick::reduce_to_picks(context, plan, proposed, picks, words, subject).inspect_err(|_| {
        // The decision can never be carried out: if the call is sent again, a new question is put.
        recorded::close_question(context, plan.origin.question.as_deref());
    })
}

/// Returns the refusal where there is no approver, about the first file of the question.
fn unasked_refusal(
    plan: &Plan,
    order: &[usize],
    asked: &[&Reason],
    subject: &QuestionSubject,
) -> Refusal {
    let refusal = asked.first().map_or_else(
        || words::not_answered_by_a_person_refusal(subject, None),
        |reason| no_approver_refusal(reason),
    );
    let first = order
        .first()
        .map(|at| plan.files[*at].target.display_name());
    refusal.with_field("file_path", first.unwrap_or_default())
}

/// Gets the decision, from the record of questions or from the approver, with who made it.
fn obtain_decision(
    context: &CallContext<'_>,
    plan: &mut Plan,
    question: Question,
    subject: &QuestionSubject,
    nobody: Refusal,
) -> Result<(Answer, String), Halt> {
    let Some(call) = &context.recorded else {
        let approver = approver(context).ok_or(nobody)?;
        let by = name_of_approver(&**approver, &question);
        let answer = wait_for_answer(context, approver, question, &plan.files, subject)?;
        return Ok((answer, by));
    };
    let reason = truncate(&question.joined_reasons(), MAX_REASON_LENGTH);
    let asking = QuestionAboutChange {
        plan: digest::hash_plan(plan, &question),
        question,
        files: &plan.files,
        nobody,
    };
    let decision = recorded::find_or_request_decision(context, call, asking)?;
    context.decided.replace(Some(decision.question.clone()));
    plan.origin.question = Some(decision.question);
    let by = format!("{}, asked because {reason}", decision.by);
    Ok((decision.answer, by))
}

/// Returns the fields of a question that identify who asks.
pub(super) fn question_from_caller(context: &CallContext<'_>) -> Question {
    Question {
        tool: context.tool.clone(),
        session: context.session.key().to_owned(),
        client: context.caller.client.clone(),
        call: context.caller.call.clone(),
        ..Question::default()
    }
}

/// Asks whether a model may learn why a withheld file was not written.
pub(super) fn ask_to_reveal(
    context: &CallContext<'_>,
    question: Question,
    told: &QuotedPath,
    reason: &Reason,
) -> Result<(), Refusal> {
    let subject = QuestionSubject::file(told);
    let nobody = no_approver_refusal(reason).with_field("file_path", told.clone());
    let answer = match (&context.recorded, approver(context)) {
        (Some(call), _) => {
            let words: Vec<&str> = question
                .files
                .iter()
                .flat_map(|file| &file.notices)
                .map(String::as_str)
                .collect();
            let asking = QuestionAboutChange {
                plan: digest::file_digest(&reason.path, &words.join("\n")),
                question,
                files: &[],
                nobody,
            };
            recorded::find_or_request_decision(context, call, asking).map(|decision| {
                // Nothing is written that could use up the approval, so it remains valid until it expires.
                decision.answer
            })
        }
        (None, Some(approver)) => wait_for_answer(context, approver, question, &[], &subject),
        (None, None) => return Err(nobody),
    };
    let answer = match answer {
        Ok(answer) => answer,
        Err(Halt::Refused(refusal)) => return Err(*refusal),
        // No file is watched while this question is open.
        Err(Halt::NeedsFreshRead | Halt::Changed | Halt::Moved | Halt::Repeated(_)) => {
            return Err(words::not_answered_by_a_person_refusal(&subject, None));
        }
    };
    let picks_it = match &answer {
        Answer::Picked { files, .. } => files.first().is_some_and(|pick| *pick != Pick::Nothing),
        answer => is_yes(answer),
    };
    notify_of_decision(context, reason, picks_it);
    match answer {
        Answer::Session | Answer::Always => {
            let grants = &context.session.inner.grants;
            grants.add(&reason.key, GrantScope::File(reason.path.clone()));
            Ok(())
        }
        Answer::No(words) => Err(words::declined_refusal(&subject, words.as_deref())),
        Answer::NoByProgram { by, words } => Err(words::declined_by_program_refusal(
            &subject,
            &by,
            words.as_deref(),
        )),
        Answer::Unanswered(words) => Err(words::not_answered_by_a_person_refusal(
            &subject,
            words.as_deref(),
        )),
        _ if picks_it => Ok(()),
        _ => Err(words::declined_refusal(&subject, None)),
    }
}

fn is_yes(answer: &Answer) -> bool {
    !matches!(
        answer,
        Answer::No(_) | Answer::NoByProgram { .. } | Answer::Unanswered(_)
    )
}

/// Returns the order in which a question lists the files: protected names, then others that need an answer, then the
/// rest.
fn question_order(standings: &[FileDecision]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..standings.len()).collect();
    order.sort_by_key(|&at| match standings[at].reason_to_ask() {
        Some(reason) if reason.protected => 0,
        Some(_) => 1,
        None => 2,
    });
    order
}

/// Names who approves, for the history.
fn name_of_approver(approver: &dyn Approver, question: &Question) -> String {
    let reason = truncate(&question.joined_reasons(), MAX_REASON_LENGTH);
    match approver.consent_given_in_advance(question.is_protected()) {
        Some(word) => format!("{word}, given beforehand; otherwise {reason}"),
        None => format!("a person, asked because {reason}"),
    }
}

/// Notifies the observers of a decision.
fn notify_of_decision(context: &CallContext<'_>, reason: &Reason, allowed: bool) {
    context.engine().notify_observers(|| Event::Decided {
        time: SystemTime::now(),
        session: context.session.name().cloned(),
        path: reason.path.clone(),
        reason: reason.words.clone(),
        allowed,
    });
}
