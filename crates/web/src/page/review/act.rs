//! The actions of the review's forms. Each leads back to the review, with a message at its top about the result.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lancet::review::{Reviews, TakeHunk};

use super::entry::revision_of;
use super::list::path_of;
use super::new_comment;
use crate::page::WebPage;
use crate::page::fields::{Fields, SentForm};
use crate::page::told::Tone;
use crate::page::view;
use crate::page::visitor::Visitor;

/// The result of a form: a message of success or failure.
type Done = Result<String, String>;

/// Carries out a form, and queues a message about the result.
async fn act(
    page: Arc<WebPage>,
    visitor: Visitor,
    form: SentForm,
    act: impl FnOnce(&Reviews, &Fields) -> Done + Send + 'static,
) -> Response {
    page.answer(move |page| {
        let Some(review) = page.lancet.review() else {
            return view::broken();
        };
        let (tone, words) = match act(&review, &form.0) {
            Ok(words) => (Tone::Done, words),
            Err(words) => (Tone::Refused, words),
        };
        page.told.tell(&visitor, tone, words);
        view::go_to("/review")
    })
    .await
}

const NOT_KEPT: &str =
    "The state folder cannot be used; nothing was recorded. `lancet doctor` looks for the cause.";
const UNKNOWN: &str = "What the form was about is no longer there. Nothing was done; the review below is as it is now.";

fn files(form: &Fields, review: &Reviews) -> Vec<(PathBuf, String)> {
    let named = form.all("file").filter_map(|id| {
        let (operation, _) = id.split_once('.')?;
        Some((path_of(review, id)?, operation.to_owned()))
    });
    named.collect()
}

/// Marks files as seen in the state in which they were shown.
pub(super) async fn seen(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    act(page, visitor, form, |review, form| {
        let shown = files(form, review);
        match review.mark_each_seen(&shown) {
            Err(_) => Err(NOT_KEPT.to_owned()),
            Ok(0) => Err(UNKNOWN.to_owned()),
            Ok(1) => Ok("One file is marked as seen.".to_owned()),
            Ok(number) => Ok(format!("{number} files are marked as seen.")),
        }
    })
    .await
}

/// Marks everything as seen that the page showed.
pub(super) async fn all_seen(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    act(page, visitor, form, |review, form| {
        let upto = form.number("upto").ok_or(UNKNOWN)?;
        let number = review.mark_all_seen(upto).map_err(|_| NOT_KEPT)?;
        Ok(match number {
            1 => "One file is marked as seen.".to_owned(),
            number => format!("{number} files are marked as seen."),
        })
    })
    .await
}

/// Undoes one hunk.
pub(super) async fn take_back(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    act(page, visitor, form, |review, form| {
        let asked = request(review, form).ok_or(UNKNOWN)?;
        let reply = review.take_back(asked);
        match reply.is_error() {
            true => Err(reply.text().to_owned()),
            false => Ok("The hunk was undone; the agent learns of it with its next answer. The history has it as a separate operation, which can be undone.".to_owned()),
        }
    })
    .await
}

fn request(review: &Reviews, form: &Fields) -> Option<TakeHunk> {
    let id = form.one("file")?;
    let (operation, _) = id.split_once('.')?;
    let before = revision_of(form.one("before")?)?;
    let hunk = form.one("hunk")?.parse().ok()?;
    Some(TakeHunk::new(path_of(review, id)?, operation, before, hunk))
}

/// Records a comment.
pub(super) async fn comment(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    let own = Arc::clone(&page);
    act(page, visitor, form, move |review, form| {
        let comment = new_comment::read(&own, review, form)
            .map_err(|trouble| format!("The comment was not kept: {trouble}."))?
            .ok_or(UNKNOWN)?;
        match review.comment(&comment) {
            Ok(_) => Ok("The comment waits for the session; it comes with its next answer or your next prompt.".to_owned()),
            Err(error) => Err(format!("The comment was not kept: {error}.")),
        }
    })
    .await
}

/// Withdraws a comment that has not reached its session.
pub(super) async fn withdraw(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    act(page, visitor, form, |review, form| {
        let id = form.number("comment").ok_or(UNKNOWN)?;
        match review.withdraw_comment(id) {
            Err(_) => Err(NOT_KEPT.to_owned()),
            Ok(true) => Ok("The comment was withdrawn.".to_owned()),
            Ok(false) => Err("The comment has reached its session already.".to_owned()),
        }
    })
    .await
}
