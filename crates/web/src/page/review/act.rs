//! The actions of the review's forms. Each leads back to the review, with a message at its top about the result.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lancet::review::{HunkUndoRequest, MarkedSeen, Reviews};

use super::entry::parse_revision;
use super::list::path_from_id;
use super::new_comment;
use crate::page::WebPage;
use crate::page::fields::{Fields, SentForm};
use crate::page::moment::now_in_milliseconds;
use crate::page::told::Tone;
use crate::page::view;
use crate::page::visitor::Visitor;

/// The result of a form: a message of success or failure.
type Done = Result<String, String>;

/// Carries out a form, and queues a message about the result.
async fn process_form(
    page: Arc<WebPage>,
    visitor: Visitor,
    form: SentForm,
    act: impl FnOnce(&Reviews, &Fields) -> Done + Send + 'static,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let Some(review) = page.lancet.review() else {
            return view::internal_error_response();
        };
        let (tone, words) = match act(&review, &form.0) {
            Ok(words) => (Tone::Done, words),
            Err(words) => (Tone::Refused, words),
        };
        page.told.add_message(&visitor, tone, words);
        view::redirect_to("/review")
    })
    .await
}

const STATE_FOLDER_UNUSABLE: &str =
    "The state folder cannot be used; nothing was recorded. `lancet doctor` looks for the cause.";
const FORM_OUTDATED: &str = "What the form was about is no longer there. Nothing was done; the review below is as it is now.";

fn files_in_form(form: &Fields, review: &Reviews) -> Vec<(PathBuf, String)> {
    let named = form.all("file").filter_map(|id| {
        let (operation, _) = id.split_once('.')?;
        Some((path_from_id(review, id)?, operation.to_owned()))
    });
    named.collect()
}

/// Marks files as seen in the state in which they were shown.
pub(super) async fn mark_seen(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    let own = Arc::clone(&page);
    process_form(page, visitor, form, move |review, form| {
        let shown = files_in_form(form, review);
        let marked = review.mark_each_seen(&shown);
        match marked.map_err(|_| STATE_FOLDER_UNUSABLE)? {
            marked if marked.files == 0 => Err(FORM_OUTDATED.to_owned()),
            marked => Ok(remember_mark(&own, marked)),
        }
    })
    .await
}

/// Remembers what was marked as seen, and returns the message about it.
fn remember_mark(page: &WebPage, marked: MarkedSeen) -> String {
    let words = match marked.files {
        1 => "One file is marked as seen. It can be shown again, below.".to_owned(),
        number => format!("{number} files are marked as seen. They can be shown again, below."),
    };
    page.seen_marks.add(marked, now_in_milliseconds());
    words
}

/// Takes a mark back: its files are to be reviewed again.
pub(super) async fn mark_unseen(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    let own = Arc::clone(&page);
    process_form(page, visitor, form, move |review, form| {
        let number = form.number("mark").ok_or(FORM_OUTDATED)?;
        let mark = own.seen_marks.take(number).ok_or(FORM_OUTDATED)?;
        match review.mark_unseen(&mark.marked) {
            Ok(0) => {
                Err("These files were looked at again since, so nothing was changed.".to_owned())
            }
            Ok(_) => Ok("The files are to be reviewed again.".to_owned()),
            Err(_) => {
                own.seen_marks.put_back(mark);
                Err(STATE_FOLDER_UNUSABLE.to_owned())
            }
        }
    })
    .await
}

/// Marks everything as seen that the page showed.
pub(super) async fn mark_all_seen(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    let own = Arc::clone(&page);
    process_form(page, visitor, form, move |review, form| {
        let upto = form.number("upto").ok_or(FORM_OUTDATED)?;
        let marked = review
            .mark_all_seen(upto)
            .map_err(|_| STATE_FOLDER_UNUSABLE)?;
        Ok(remember_mark(&own, marked))
    })
    .await
}

/// Undoes one hunk.
pub(super) async fn undo_hunk(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    process_form(page, visitor, form, |review, form| {
        let asked = undo_request(review, form).ok_or(FORM_OUTDATED)?;
        let reply = review.undo_hunk(asked);
        match reply.is_error() {
            true => Err(reply.text().to_owned()),
            false => Ok("The hunk was undone; the agent learns of it with its next answer. The history has it as a separate operation, which can be undone.".to_owned()),
        }
    })
    .await
}

fn undo_request(review: &Reviews, form: &Fields) -> Option<HunkUndoRequest> {
    let id = form.first_value("file")?;
    let (operation, _) = id.split_once('.')?;
    let before = parse_revision(form.first_value("before")?)?;
    let hunk = form.first_value("hunk")?.parse().ok()?;
    Some(HunkUndoRequest::new(
        path_from_id(review, id)?,
        operation,
        before,
        hunk,
    ))
}

/// Records a comment.
pub(super) async fn add_comment(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    let own = Arc::clone(&page);
    process_form(page, visitor, form, move |review, form| {
        let comment = new_comment::parse_form(&own, review, form)
            .map_err(|trouble| format!("The comment was not kept: {trouble}."))?
            .ok_or(FORM_OUTDATED)?;
        match review.add_comment(&comment) {
            Ok(_) => Ok("The comment waits for the session; it comes with its next answer or your next prompt.".to_owned()),
            Err(error) => Err(format!("The comment was not kept: {error}.")),
        }
    })
    .await
}

/// Withdraws a comment that has not reached its session.
pub(super) async fn withdraw_comment(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    process_form(page, visitor, form, |review, form| {
        let id = form.number("comment").ok_or(FORM_OUTDATED)?;
        match review.withdraw_comment(id) {
            Err(_) => Err(STATE_FOLDER_UNUSABLE.to_owned()),
            Ok(true) => Ok("The comment was withdrawn.".to_owned()),
            Ok(false) => Err("The comment has reached its session already.".to_owned()),
        }
    })
    .await
}
