//! `lancet pending reject`. A no does no harm, so any caller may give it; the record says who did.

use lancet::approval::Answer;
use lancet::questions::QuestionState;

use super::approve::{record_decision, report_decision};
use super::find::find_question;
use crate::arguments::{PendingArguments, RejectArguments};
use crate::failure::{Exit, Failure};
use crate::guard;
use crate::surroundings::Surroundings;

/// Runs `lancet pending reject`.
pub(super) fn reject(
    asked: &RejectArguments,
    arguments: &PendingArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let questions = super::open_questions(arguments, None, around)?;
    let found = find_question(&questions, &asked.question)?;
    if found.state != QuestionState::Open {
        return Err(Failure::refused(found.describe_outcome()));
    }
    let words = asked.words.join(" ");
    let answer = Answer::No((!words.trim().is_empty()).then_some(words));
    let by = guard::decided_by(&arguments.place, around);
    record_decision(&questions, &found, &answer, &by)?;
    report_decision(&found, &answer, &[], arguments.json, around)
}
