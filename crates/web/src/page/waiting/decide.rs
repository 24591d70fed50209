//! Decisions made on the page. The first decision counts, as everywhere; a decision that was made meanwhile is shown.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use lancet::approval::{Answer, Pick};
use lancet::questions::{DecideError, RecordedQuestion};

use super::answer::parse_answer;
use super::find::{find_question, question_not_found};
use super::question::{is_shown_at_once, show_question_again};
use super::summary::Summary;
use crate::page::WebPage;
use crate::page::diff::DiffLayout;
use crate::page::fields::{Fields, SentForm};
use crate::page::told::Tone;
use crate::page::view::redirect_to;
use crate::page::visitor::Visitor;

/// The originator of decisions, as it is recorded.
const ORIGINATOR: &str = "a person on the page";

/// Carries out the form of a question.
pub(super) async fn submit_form(
    State(page): State<Arc<WebPage>>,
    Path(id): Path<String>,
    visitor: Visitor,
    layout: DiffLayout,
    SentForm(fields): SentForm,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let Some(found) = find_question(page, &id) else {
            return question_not_found();
        };
        let answer = match parse_answer(&found.question, &fields) {
            Ok(answer) => answer,
            Err(trouble) => {
                return show_question_again(page, &visitor, &found, layout, (&fields, trouble));
            }
        };
        let is_read = is_wholly_read(&found, &fields);
        if decide_question(page, &visitor, &found, &answer) && is_read {
            page.read_approvals.add(&found.id);
        }
        match fields.first_value("then") {
            Some("list") => redirect_to("/"),
            _ => redirect_to(&format!("/waiting/{}", found.id)),
        }
    })
    .await
}

/// Returns whether what the form approves was shown completely. The button for a change of which lines are missing sends
/// another word than the plain one.
fn is_wholly_read(found: &RecordedQuestion, fields: &Fields) -> bool {
    match fields.first_value("do") {
        Some("yes") => true,
        Some("picked") => is_shown_at_once(found),
        _ => false,
    }
}

/// Decides a question, and shows the user the result. Returns whether it was decided here.
pub(super) fn decide_question(
    page: &WebPage,
    visitor: &Visitor,
    found: &RecordedQuestion,
    answer: &Answer,
) -> bool {
    let mut is_decided = false;
    let decided = page
        .lancet
        .questions()
        .map(|questions| questions.decide(&found.id, answer, ORIGINATOR));
    match decided {
        Some(Ok(())) => {
            is_decided = true;
            page.lately.add(&found.id);
            page.told
                .add_message(visitor, Tone::Done, decision_message(found, answer));
        }
        Some(Err(DecideError::TooLate(words))) => {
            report_not_done(
                page,
                visitor,
                format!("Too late: {words}. Nothing was decided here."),
            );
        }
        Some(Err(error)) => {
            report_not_done(page, visitor, format!("Nothing was decided: {error}."))
        }
        None => report_not_done(
            page,
            visitor,
            "Nothing was decided: there is no state folder.",
        ),
    }
    is_decided
}

/// Shows the user that something was not done.
pub(super) fn report_not_done(page: &WebPage, visitor: &Visitor, words: impl Into<String>) {
    page.told.add_message(visitor, Tone::Refused, words);
}

/// Returns the decision as text.
fn decision_message(found: &RecordedQuestion, answer: &Answer) -> String {
    let summary = Summary::from_question(found);
    let what = format!("{} {}", summary.tool, summary.subject);
    let next = match summary.is_caller_alive {
        true => "The agent's call writes it now.",
        false => {
            "The process that asked has ended: it is written when the agent sends the same call again within 24 hours."
        }
    };
    match answer {
        Answer::NoByProgram { by, .. } => format!("Rejected by {by}: {what}."),
        Answer::No(None) => format!("Rejected: {what}. The agent is informed."),
        Answer::No(Some(_)) => format!("Rejected: {what}. The agent receives your message."),
        Answer::Session => format!("Approved for the session: {what}. {next}"),
        Answer::Always => format!("Approved, and always from now on: {what}. {next}"),
        Answer::Picked { files, .. }
            if files.iter().any(|pick| matches!(pick, Pick::Edited(_))) =>
        {
            format!("Approved with your text: {what}. {next}")
        }
        Answer::Picked { files, .. } if files.iter().any(|pick| *pick != Pick::Whole) => {
            format!("Approved in part: {what}. {next} The agent learns what was left out.")
        }
        _ => format!("Approved: {what}. {next}"),
    }
}
