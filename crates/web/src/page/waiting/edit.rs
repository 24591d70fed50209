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

use super::answer::edited;
use super::decide::{decide, say};
use super::editable::hindrance;
use super::find::{found, unknown};
use super::words::form_message;
use crate::page::WebPage;
use crate::page::diff::{Diff, DiffLayout, DiffPart, FileDiff, deadline};
use crate::page::fields::{Fields, SentForm};
use crate::page::frame::{Frame, Section};
use crate::page::told::Told;
use crate::page::view::{self, go_to};
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
fn as_typed(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Shows the text of a file in a field.
pub(super) async fn form(
    State(page): State<Arc<WebPage>>,
    Path(id): Path<String>,
    visitor: Visitor,
    fields: Fields,
) -> Response {
    page.answer(move |page| {
        let file = fields.number("file").unwrap_or(0);
        let edited = Edited::default();
        show(page, &visitor, &id, file, edited, DiffLayout::Unified)
    })
    .await
}

/// Shows the change that an edited text would make.
pub(super) async fn preview(
    State(page): State<Arc<WebPage>>,
    Path(id): Path<String>,
    visitor: Visitor,
    layout: DiffLayout,
    SentForm(fields): SentForm,
) -> Response {
    page.answer(move |page| {
        let file = fields.number("file").unwrap_or(0);
        let text = as_typed(fields.raw("text").unwrap_or_default());
        let edited = Edited {
            text: Some(text),
            ..Edited::default()
        };
        show(page, &visitor, &id, file, edited, layout)
    })
    .await
}

/// Approves an edited text.
pub(super) async fn approve(
    State(page): State<Arc<WebPage>>,
    Path(id): Path<String>,
    visitor: Visitor,
    layout: DiffLayout,
    SentForm(fields): SentForm,
) -> Response {
    page.answer(move |page| {
        let Some(found) = found(page, &id) else {
            return unknown();
        };
        let file: usize = fields.number("file").unwrap_or(0);
        let Some(text) = fields.raw("text").map(as_typed) else {
            return view::message_page(
                StatusCode::BAD_REQUEST,
                "The form has no text. Nothing was decided.",
            );
        };
        let hindrance = found
            .question
            .files
            .get(file)
            .map(|asked| hindrance(&found, asked));
        if let None | Some(Some(_)) = hindrance {
            return view::message_page(
                StatusCode::BAD_REQUEST,
                "The text of this file cannot be edited. Nothing was decided.",
            );
        }
        let words = match form_message(&found.question, &fields) {
            Ok(words) => words,
            Err(trouble) => {
                let edited = Edited {
                    text: Some(text),
                    words: fields.raw("words").unwrap_or_default().to_owned(),
                    trouble: Some(trouble),
                };
                return show(page, &visitor, &id, file, edited, layout);
            }
        };
        let answer = edited(&found.question, file, text, words);
        decide(page, &visitor, &found, &answer);
        go_to(&format!("/waiting/{}", found.id))
    })
    .await
}

/// The user's input so far.
#[derive(Default)]
struct Edited {
    text: Option<String>,
    words: String,
    /// The reason why it could not be approved.
    trouble: Option<String>,
}

fn show(
    page: &WebPage,
    visitor: &Visitor,
    id: &str,
    file: usize,
    edited: Edited,
    layout: DiffLayout,
) -> Response {
    let Some(found) = found(page, id) else {
        return unknown();
    };
    let id = found.id.clone();
    let back = format!("/waiting/{id}");
    let Some(asked) = found.question.files.get(file) else {
        return go_to(&back);
    };
    let hindrance = hindrance(&found, asked);
    let trouble = match found.state {
        QuestionState::Open => hindrance.map(str::to_owned),
        _ => Some(found.what_became_of_it()),
    };
    if let Some(trouble) = trouble {
        say(page, visitor, trouble);
        return go_to(&back);
    }
    let path = asked.shown_relative();
    let preview = edited.text.as_deref().map(|text| Preview {
        diff: diff(asked, text, layout),
        is_as_proposed: asked.text.as_deref() == Some(text),
    });
    let mut frame = Frame::new(page, visitor, Section::Waiting, format!("Edit {path}"));
    let status = match edited.trouble {
        Some(trouble) => {
            frame.told.push(Told::refused(trouble));
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
    view::html(status, &view)
}

/// Returns the change of an edited text to the file in its present state. All of it is shown, since it is approved as
/// a whole.
fn diff(file: &FileQuestion, text: &str, layout: DiffLayout) -> Option<FileDiff> {
    let diff = unified(file.old_text.as_deref().unwrap_or_default(), text, 3);
    if diff.is_empty() {
        return None;
    }
    let shown = DiffPart {
        most: usize::MAX,
        ..DiffPart::first(layout, deadline())
    };
    Some(FileDiff {
        caption: format!("Changes of {} as edited", file.shown_relative()),
        layout,
        diff: Diff::from_unified(&file.path, &[&diff], &shown),
        more: String::new(),
    })
}
