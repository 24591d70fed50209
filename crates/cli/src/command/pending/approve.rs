//! `lancet pending approve`: approves a question, whole or in part.

use lancet::approval::{Answer, Pick, Question};
use lancet::questions::{DecideError, QuestionState, Questions, RecordedQuestion};
use serde_json::json;

use super::find::find_question;
use super::line::{format_file_list, question_origin};
use super::selection::Selection;
use super::show::format_picked_diffs;
use crate::arguments::{ApproveArguments, PendingArguments};
use crate::command::history::access::unreadable_failure;
use crate::failure::{Exit, Failure};
use crate::guard::{self, Authority};
use crate::surroundings::Surroundings;
use crate::terminal::{
    Colour, Consent, TerminalApprover, confirm_at_terminal, escape_line_for_terminal, print,
    print_error,
};

/// Runs `lancet pending approve`.
pub(super) fn approve(
    asked: &ApproveArguments,
    arguments: &PendingArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let authority = guard::require_authority("`lancet pending approve`", &arguments.place, around)?;
    let approver = TerminalApprover::new(Consent::Ask, around);
    let questions = super::open_questions(arguments, Some(approver.clone()), around)?;
    let found = find_question(&questions, &asked.question)?;
    if found.state != QuestionState::Open {
        return Err(Failure::refused(found.describe_outcome()));
    }
    let mut notes = Vec::new();
    let answer = match answer_from_flags(asked, &found.question, &approver, &mut notes, around)? {
        Some(FlagAnswer { answer, shown }) => match authority {
            Authority::Token => answer,
            Authority::Terminal if is_confirmed(&found.question, &shown) => answer,
            Authority::Terminal => return report_left_open(&found),
        },
        None if authority == Authority::Token => Answer::Yes,
        None => match approver.ask_recorded_question(&found.question).flatten() {
            Some(answer) => answer,
            None => return report_left_open(&found),
        },
    };
    record_decision(&questions, &found, &answer, &authority.decided_by(around))?;
    report_decision(&found, &answer, &notes, arguments.json, around)
}

/// An answer that was given by flags.
struct FlagAnswer {
    answer: Answer,
    /// A description of it, for the user who confirms it.
    shown: String,
}

/// Returns the answer given by the flags; none where there are no flags.
fn answer_from_flags(
    asked: &ApproveArguments,
    question: &Question,
    approver: &TerminalApprover,
    notes: &mut Vec<String>,
    around: &Surroundings,
) -> Result<Option<FlagAnswer>, Failure> {
    let colour = around.colour(true);
    let whole = format_picked_diffs(question, &vec![Pick::Whole; question.files.len()], colour);
    if asked.always {
        if question.offers.always.is_empty() {
            return Err(Failure::usage(
                "--always is not on offer for this question: protected names and ask rules are allowed for the session at most (--session)",
            ));
        }
        let rules = question.offers.always.join(", ");
        return Ok(Some(FlagAnswer {
            answer: Answer::Always,
            shown: format!("{whole}  all of it, and your settings get {rules}\n"),
        }));
    }
    if asked.session {
        return Ok(Some(FlagAnswer {
            answer: Answer::Session,
            shown: format!(
                "{whole}  all of it; until the session ends no question about {}\n",
                question.offers.session
            ),
        }));
    }
    let has_flags =
        !asked.file.is_empty() || !asked.hunk.is_empty() || asked.edit || asked.reason.is_some();
    if !has_flags {
        return Ok(None);
    }
    let mut selection = Selection::from_arguments(asked, question, around)?;
    let edited = match asked.edit {
        true => edit_picked_texts(&mut selection, question, approver)?,
        false => String::new(),
    };
    let mut shown = format_picked_diffs(question, &selection.picks, colour) + &edited;
    shown.push_str(&selection.describe_picks(question));
    notes.append(&mut selection.notes);
    for note in notes.iter() {
        shown.push_str(&format!("  ({note})\n"));
    }
    Ok(Some(FlagAnswer {
        answer: selection.into_answer(asked.reason.clone()),
        shown,
    }))
}

/// Lets the user edit the texts of the picked files. Returns the diffs of the edited ones.
fn edit_picked_texts(
    selection: &mut Selection,
    question: &Question,
    approver: &TerminalApprover,
) -> Result<String, Failure> {
    let mut editable = question.clone();
    for (file, pick) in editable.files.iter_mut().zip(&selection.picks) {
        if *pick != Pick::Whole {
            file.text = None;
        }
    }
    let edited = approver.edit_recorded_question(&editable);
    let edited =
        edited.map_err(|error| Failure::usage(format!("--edit: it cannot be edited: {error}")))?;
    for (pick, text) in selection.picks.iter_mut().zip(edited.texts) {
        if let Some(text) = text {
            *pick = Pick::Edited(text);
        }
    }
    Ok(edited.diffs)
}

/// Shows what an answer would approve, and asks the user to confirm it.
fn is_confirmed(question: &Question, shown: &str) -> bool {
    let (who, why) = (question_origin(question), question.joined_reasons());
    let question = format!("{} of {who}, asked because {why}", question.tool);
    let question = escape_line_for_terminal(&question);
    confirm_at_terminal(&format!("{question}\n{shown}Approve this? [y/N]")) == Some(true)
}

fn report_left_open(found: &RecordedQuestion) -> Result<Exit, Failure> {
    print_error(&format!(
        "lancet: nothing was decided; question {} is open\n",
        found.id
    ));
    Ok(Exit::Refused)
}

/// Records a decision.
pub(super) fn record_decision(
    questions: &Questions,
    found: &RecordedQuestion,
    answer: &Answer,
    by: &str,
) -> Result<(), Failure> {
    questions
        .decide(&found.id, answer, by)
        .map_err(|error| match error {
            DecideError::DoesNotFit(words) => Failure::usage(words),
            DecideError::Store(error) => unreadable_failure(error),
            error => Failure::refused(error.to_string()),
        })
}

/// Reports the decision.
pub(super) fn report_decision(
    found: &RecordedQuestion,
    answer: &Answer,
    notes: &[String],
    as_json: bool,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let colour = match as_json {
        true => Colour::Off,
        false => around.colour(crate::terminal::stdout_is_terminal()),
    };
    let mut text = describe_decision(found, answer, colour);
    for note in notes {
        text.push_str(&format!("note: {note}\n"));
    }
    if as_json {
        let state = match answer {
            Answer::No(_) | Answer::NoByProgram { .. } => "rejected",
            _ => "approved",
        };
        let data = json!({ "question": found.id, "state": state, "answer": answer, "notes": notes, "text": text });
        print(&format!("{data}\n"))?;
    } else {
        print(&text)?;
    }
    Ok(Exit::Done)
}

/// Describes the decision.
pub(super) fn describe_decision(
    found: &RecordedQuestion,
    answer: &Answer,
    colour: Colour,
) -> String {
    let question = &found.question;
    let what = format!("{} {}", question.tool, format_file_list(question, colour));
    let carried_out = "The agent's call writes it: the one that waits, or the same call sent again within 24 hours.";
    match answer {
        Answer::No(Some(words)) => format!("rejected: {what}\nThe model receives: {words}\n"),
        Answer::No(None) => format!("rejected: {what}\n"),
        Answer::NoByProgram { by, .. } => format!("rejected by {by}: {what}\n"),
        Answer::Session => format!("approved for the session: {what}\n{carried_out}\n"),
        Answer::Always => format!("approved, and always from now on: {what}\n{carried_out}\n"),
        Answer::Picked { files, .. } if files.iter().any(|pick| *pick != Pick::Whole) => {
            let selection = Selection {
                picks: files.clone(),
                notes: Vec::new(),
            };
            format!(
                "approved in part: {what}\n{}{carried_out}\n",
                selection.describe_picks(question)
            )
        }
        _ => format!("approved: {what}\n{carried_out}\n"),
    }
}
