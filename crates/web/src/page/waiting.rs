//! *Waiting*: the questions that wait for an answer. `/` lists them, `/waiting/{id}` shows one completely; forms
//! approve it, a part of it or an edited text, or reject it. A form names the question by its id, and a question
//! never changes what it shows: if a file has changed, another question replaces it and this one is refused.

mod answer;
mod decide;
mod edit;
mod editable;
mod find;
mod lately;
mod list;
mod question;
mod read;
mod summary;
mod words;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use super::WebPage;

pub(super) use lately::RecentDecisions;
pub(super) use read::ReadApprovals;

/// Returns the paths of this part of the page.
pub(super) fn routes() -> Router<Arc<WebPage>> {
    Router::new()
        .route("/", get(list::list_questions))
        .route("/waiting/{id}", get(question::show_question))
        .route("/waiting/{id}/decide", post(decide::submit_form))
        .route("/waiting/{id}/edit", get(edit::show_edit_form))
        .route("/waiting/{id}/preview", post(edit::preview_edit))
        .route("/waiting/{id}/edited", post(edit::approve_edit))
}
