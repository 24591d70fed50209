//! Editing of a file's new text on the page: the text in a field, then the diff of the edited text, then the approval
//! of exactly that text.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use lancet::approval::FileQuestion;
use lancet::questions::QuestionState;
use lancet_rendering::unified;

use super::answer::answer_with_edited_text;
use super::decide::{decide_question, report_not_done};
use super::editable::reason_not_editable;
use super::find::{find_question, question_not_found};
use super::words::form_message;
use crate::page::WebPage;
use crate::page::diff::{Diff, DiffLayout, DiffPart, FileDiff, HighlightingBudget};
use crate::page::fields::{Fields, SentForm};
use crate::page::frame::{Frame, Section};
use crate::page::told::UserMessage;
use crate::page::view::{self, redirect_to};
use crate::page::visitor::Visitor;

/// The form with the text, and the diff of the edited text.
#[derive(Template)]
#[template(path = "waiting/edit.html")]
struct EditView {
    frame: Frame,
    id: String,
    file: usize,
    path: String,
    text: String,
    /// The message to the agent that was typed before.
    words: String,
    /// The number of other files that are written as proposed.
    others: usize,
    preview: Option<Preview>,
}

impl EditView {
    /// Returns the path that a form of this view is sent to.
    fn action(&self, what: &str) -> String {
        format!("/waiting/{}/{what}", self.id)
    }
}

/// The change that the edited text makes.
struct Preview {
    /// The diff; none if nothing is left of the change.
    diff: Option<FileDiff>,
    /// Whether it is the proposed text.
    is_as_proposed: bool,
}

/// Returns the text that a field sent, with line ends restored: browsers send every line end as CR LF.
fn restore_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Shows the text of a file in a field.
pub(super) async fn show_edit_form(
    State(page): State<Arc<WebPage>>,
    Path(id): Path<String>,
    visitor: Visitor,
    fields: Fields,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let file = fields.number("file").unwrap_or(0);
        let edited = EditInput::default();
        render_edit_view(page, &visitor, &id, file, edited, DiffLayout::Unified)
    })
    .await
}

/// Shows the change that an edited text would make.
pub(super) async fn preview_edit(
    State(page): State<Arc<WebPage>>,
    Path(id): Path<String>,
    visitor: Visitor,
    layout: DiffLayout,
    SentForm(fields): SentForm,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let file = fields.number("file").unwrap_or(0);
        let text = restore_line_ends(fields.first_raw_value("text").unwrap_or_default());
        let edited = EditInput {
            text: Some(text),
            ..EditInput::default()
        };
        render_edit_view(page, &visitor, &id, file, edited, layout)
    })
    .await
}

/// Approves an edited text.
pub(super) async fn approve_edit(
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
        let file: usize = fields.number("file").unwrap_or(0);
        let Some(text) = fields.first_raw_value("text").map(restore_line_ends) else {
            return view::message_page(
                StatusCode::BAD_REQUEST,
                "The form has no text. Nothing was decided.",
            );
        };
        let hindrance = found
            .question
            .files
            .get(file)
            .map(|asked| reason_not_editable(&found, asked));
        if let None | Some(Some(_)) = hindrance {
            return view::message_page(
                StatusCode::BAD_REQUEST,
                "The text of this file cannot be edited. Nothing was decided.",
            );
        }
        let words = match form_message(&found.question, &fields) {
            Ok(words) => words,
            Err(trouble) => {
                let edited = EditInput {
                    text: Some(text),
                    words: fields
                        .first_raw_value("words")
                        .unwrap_or_default()
                        .to_owned(),
                    trouble: Some(trouble),
                };
                return render_edit_view(page, &visitor, &id, file, edited, layout);
            }
        };
        let answer = answer_with_edited_text(&found.question, file, text, words);
        decide_question(page, &visitor, &found, &answer);
        redirect_to(&format!("/waiting/{}", found.id))
    })
    .await
}

/// The user's input so far.
#[derive(Default)]
struct EditInput {
    text: Option<String>,
    words: String,
    /// The reason why it could not be approved.
    trouble: Option<String>,
}

fn render_edit_view(
    page: &WebPage,
    visitor: &Visitor,
    id: &str,
    file: usize,
    edited: EditInput,
    layout: DiffLayout,
) -> Response {
    let Some(found) = find_question(page, id) else {
        return question_not_found();
    };
    let id = found.id.clone();
    let back = format!("/waiting/{id}");
    let Some(asked) = found.question.files.get(file) else {
        return redirect_to(&back);
    };
    let hindrance = reason_not_editable(&found, asked);
    let trouble = match found.state {
        QuestionState::Open => hindrance.map(str::to_owned),
        _ => Some(found.describe_outcome()),
    };
    if let Some(trouble) = trouble {
        report_not_done(page, visitor, trouble);
        return redirect_to(&back);
    }
    let path = asked.escaped_relative_path();
    let preview = edited.text.as_deref().map(|text| Preview {
        diff: edited_diff(asked, text, layout),
        is_as_proposed: asked.text.as_deref() == Some(text),
    });
    let mut frame = Frame::new(page, visitor, Section::Waiting, format!("Edit {path}"));
    let status = match edited.trouble {
        Some(trouble) => {
            frame.told.push(UserMessage::refusal(trouble));
            StatusCode::BAD_REQUEST
        }
        None => StatusCode::OK,
    };
    let view = EditView {
        frame,
        id,
        file,
        text: edited
            .text
            .or_else(|| asked.text.clone())
            .unwrap_or_default(),
        words: edited.words,
        others: found.question.files.len() - 1,
        preview,
        path,
    };
    view::html_response(status, &view)
}

/// Returns the change of an edited text to the file in its present state. All of it is shown, since it is approved as
/// a whole.
fn edited_diff(file: &FileQuestion, text: &str, layout: DiffLayout) -> Option<FileDiff> {
    let diff = unified(file.old_text.as_deref().unwrap_or_default(), text, 3);
    if diff.is_empty() {
        return None;
    }
    let budget = HighlightingBudget::for_page();
    let shown = DiffPart {
        most: usize::MAX,
        ..DiffPart::first_part(layout, &budget)
    };
    Some(FileDiff {
        caption: format!("Changes of {} as edited", file.escaped_relative_path()),
        layout,
        diff: Diff::from_unified(&file.path, &[&diff], &shown),
        more: String::new(),
    })
}
