//! *Review*: the changes since the last look, by session and prompt, with one diff for each file. Separate forms mark
//! a file as seen, undo a hunk, and comment on lines.

mod act;
mod comments;
mod count;
mod entry;
mod list;
mod new_comment;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use super::WebPage;

pub(super) use count::ReviewCount;

/// Returns the paths of this part of the page.
pub(super) fn routes() -> Router<Arc<WebPage>> {
    Router::new()
        .route("/review", get(list::list))
        .route("/review/file", get(list::file))
        .route("/review/seen", post(act::seen))
        .route("/review/all-seen", post(act::all_seen))
        .route("/review/take-back", post(act::take_back))
        .route("/review/comment", post(act::comment))
        .route("/review/withdraw", post(act::withdraw))
}
