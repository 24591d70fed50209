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
use super::pick::{self, Proposed};
use super::pieces::Pieces;
use super::reason::{Standing, no_approver_refusal};
use super::recorded::{self, Asking};
use super::wait::wait_for;
use super::words::{self, Subject};
use crate::approval::{Answer, Approver, Offers, Pick, Question};
use crate::call::Deciders;
use crate::events::Event;
use crate::questions::is_watched;
use crate::reason::Reason;
use crate::refusal::Refusal;
use crate::session::{LastingAnswer, Reach};
use crate::stages::context::CallContext;
use crate::stages::plan::{Parts, Plan};
use crate::wording::{QuotedPath, cut};

/// The longest reason in the record of who approved, in characters.
const LONGEST_REASON: usize = 1_000;

/// Returns whether an approver or the record of questions is available.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
pub(super) fn is_somebody_there(context: &CallContext<'_>) -> bool {
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
    standings: &[Standing],
) -> Result<String, Halt> {
    let order = order(standings);
    let asked: Vec<&Reason> = order
        .iter()
        .filter_map(|&at| standings[at].asks())
        .collect();
    let subject = Subject::files(&plan.files);
    let nobody = unasked_refusal(plan, &order, &asked, &subject);
    let (grants, offered): (Vec<(String, Reach)>, Vec<keep::Words>) = asked
        .iter()
        .map(|reason| {
            let (reach, words) = keep::session_offer(policy, reason);
            ((reason.key.clone(), reach), words)
        })
        .unzip();
    let rules = keep::rules(context, asked.iter().copied());
    let pieces: Vec<Pieces> = plan
        .files
        .iter()
        .map(|file| Pieces::for_file(&plan.origin, file))
        .collect();
    let question = Question {
        files: file_questions(context, plan, standings, &order, &pieces),
        is_whole: plan.origin.parts == Parts::Inseparable,
        offers: Offers {
            session: keep::session_words(&offered, plan.files.len()),
            always: rules.clone(),
            non_exhaustive: NonExhaustive,
        },
        ..asked_by(context)
    };
    let texts: Vec<Option<String>> = question
        .files
        .iter()
        .map(|file| file.text.clone())
        .collect();
    let (answer, by) = decide(context, plan, question, &subject, nobody)?;
    let picks = picks(&answer, order.len());
    tell_decisions(context, standings, &order, &answer, &picks);
    #[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
    let words = match answer {
        Answer::No(words) => return Err(words::declined(&subject, words.as_deref()).into()),
        Answer::Unanswered(words) => {
            return Err(words::not_answered_by_a_person(&subject, words.as_deref()).into());
        }
        Answer::Edited(_) if order.len() != 1 => {
            return Err(words::not_understood(&subject).into());
        }
        Answer::Session => {
            context.answer.replace(LastingAnswer::session(grants));
            return Ok(by);
        }
        Answer::Always => {
            context.answer.replace(LastingAnswer::always(grants, rules));
            return Ok(by);
        }
        Answer::Yes => return Ok(by),
        Answer::Edited(_) => None,
        Answer::Picked { words, .. } => words,
        _ => return Err(words::not_understood(&subject).into()),
    };
    let proposed = Proposed {
        order: &order,
        pieces: &pieces,
        texts: &texts,
    };
    apply_picks(context, plan, &proposed, picks, words, &subject)?;
    Ok(match plan.origin.omitted.named() {
        None => by,
        Some(omitted) => format!("{by}; left out: {}", cut(&omitted, LONGEST_REASON)),
    })
}

/// Returns the parts of each file that an answer accepts.
fn picks(answer: &Answer, files: usize) -> Vec<Pick> {
    match answer {
        Answer::Picked { files, .. } => files.clone(),
        Answer::Edited(text) if files == 1 => vec![Pick::Edited(text.clone())],
        _ => vec![Pick::Whole; files],
    }
}

/// Notifies the observers of the decision about each file that needed an answer.
fn tell_decisions(
    context: &CallContext<'_>,
    standings: &[Standing],
    order: &[usize],
    answer: &Answer,
    picks: &[Pick],
) {
    for (place, at) in order.iter().enumerate() {
        if let Some(reason) = standings[*at].asks() {
            let allowed =
                is_yes(answer) && picks.get(place).is_some_and(|pick| *pick != Pick::Nothing);
            tell_decision(context, reason, allowed);
        }
    }
}

/// Reduces the plan to what was picked, and closes the question where that is not possible.
fn apply_picks(
    context: &CallContext<'_>,
    plan: &mut Plan,
    proposed: &Proposed<'_>,
    picks: Vec<Pick>,
    words: Option<String>,
    subject: &Subject,
) -> Result<(), Halt> {
    pick::take(context, plan, proposed, picks, words, subject).inspect_err(|_| {
        // The decision can never be carried out: if the call is sent again, a new question is put.
        recorded::close(context, plan.origin.question.as_deref());
    })
}

/// Returns the refusal where there is no approver, about the first file of the question.
fn unasked_refusal(plan: &Plan, order: &[usize], asked: &[&Reason], subject: &Subject) -> Refusal {
    let refusal = asked.first().map_or_else(
        || words::not_answered_by_a_person(subject, None),
        |reason| no_approver_refusal(reason),
    );
    let first = order
        .first()
        .map(|at| plan.files[*at].target.display_name());
    refusal.with("file_path", first.unwrap_or_default())
}

/// Gets the decision, from the record of questions or from the approver, with who made it.
fn decide(
    context: &CallContext<'_>,
    plan: &mut Plan,
    question: Question,
    subject: &Subject,
    nobody: Refusal,
) -> Result<(Answer, String), Halt> {
    let Some(call) = &context.recorded else {
        let approver = approver(context).ok_or(nobody)?;
        let by = who_approved(&**approver, &question);
        let answer = wait_for(context, approver, question, &plan.files, subject)?;
        return Ok((answer, by));
    };
    let reason = cut(&question.reason(), LONGEST_REASON);
    let asking = Asking {
        plan: digest::hash_plan(plan, &question),
        question,
        files: &plan.files,
        nobody,
    };
    let decision = recorded::decision(context, call, asking)?;
    context.decided.replace(Some(decision.question.clone()));
    plan.origin.question = Some(decision.question);
    let by = format!("{}, asked because {reason}", decision.by);
    Ok((decision.answer, by))
}

/// Returns the fields of a question that identify who asks.
pub(super) fn asked_by(context: &CallContext<'_>) -> Question {
    Question {
        tool: context.tool.clone(),
        session: context.session.key().to_owned(),
        client: context.caller.client.clone(),
        call: context.caller.call.clone(),
        ..Question::default()
    }
}

/// Asks whether a model may learn why a withheld file was not written.
pub(super) fn ask_to_tell(
    context: &CallContext<'_>,
    question: Question,
    told: &QuotedPath,
    reason: &Reason,
) -> Result<(), Refusal> {
    let subject = Subject::file(told);
    let nobody = no_approver_refusal(reason).with("file_path", told.clone());
    let answer = match (&context.recorded, approver(context)) {
        (Some(call), _) => {
            let words: Vec<&str> = question
                .files
                .iter()
                .flat_map(|file| &file.notices)
                .map(String::as_str)
                .collect();
            let asking = Asking {
                plan: digest::of_file(&reason.path, &words.join("\n")),
                question,
                files: &[],
                nobody,
            };
            recorded::decision(context, call, asking).map(|decision| {
                // Nothing is written that could use up the approval, so it remains valid until it expires.
                decision.answer
            })
        }
        (None, Some(approver)) => wait_for(context, approver, question, &[], &subject),
        (None, None) => return Err(nobody),
    };
    let answer = match answer {
        Ok(answer) => answer,
        Err(Halt::Refused(refusal)) => return Err(*refusal),
        // No file is watched while this question is open.
        Err(Halt::NeedsFreshRead | Halt::Changed | Halt::Moved | Halt::Repeated(_)) => {
            return Err(words::not_answered_by_a_person(&subject, None));
        }
    };
    let picks_it = match &answer {
        Answer::Picked { files, .. } => files.first().is_some_and(|pick| *pick != Pick::Nothing),
        answer => is_yes(answer),
    };
    tell_decision(context, reason, picks_it);
    match answer {
        Answer::Session | Answer::Always => {
            let grants = &context.session.inner.grants;
            grants.add(&reason.key, Reach::File(reason.path.clone()));
            Ok(())
        }
        Answer::No(words) => Err(words::declined(&subject, words.as_deref())),
        Answer::Unanswered(words) => {
            Err(words::not_answered_by_a_person(&subject, words.as_deref()))
        }
        _ if picks_it => Ok(()),
        _ => Err(words::declined(&subject, None)),
    }
}

fn is_yes(answer: &Answer) -> bool {
    !matches!(answer, Answer::No(_) | Answer::Unanswered(_))
}

/// Returns the order in which a question lists the files: protected names, then others that need an answer, then the
/// rest.
fn order(standings: &[Standing]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..standings.len()).collect();
    order.sort_by_key(|&at| match standings[at].asks() {
        Some(reason) if reason.protected => 0,
        Some(_) => 1,
        None => 2,
    });
    order
}

/// Names who approves, for the history.
fn who_approved(approver: &dyn Approver, question: &Question) -> String {
    let reason = cut(&question.reason(), LONGEST_REASON);
    match approver.beforehand(question.is_protected()) {
        Some(word) => format!("{word}, given beforehand; otherwise {reason}"),
        None => format!("a person, asked because {reason}"),
    }
}

/// Notifies the observers of a decision.
fn tell_decision(context: &CallContext<'_>, reason: &Reason, allowed: bool) {
    context.engine().tell(|| Event::Decided {
        time: SystemTime::now(),
        session: context.session.name().cloned(),
        path: reason.path.clone(),
        reason: reason.words.clone(),
        allowed,
    });
}
