//! *Review*: the changes since the last look, by session and prompt, with one diff for each file. Separate forms mark
//! a file as seen and take that back, undo a hunk, and comment on lines.

mod act;
mod comments;
mod count;
mod entry;
mod list;
mod marks;
mod new_comment;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use super::WebPage;

pub(super) use count::ReviewCount;
pub(super) use marks::SeenMarks;

/// Returns the paths of this part of the page.
pub(super) fn routes() -> Router<Arc<WebPage>> {
    Router::new()
        .route("/review", get(list::list_files_to_review))
        .route("/review/file", get(list::show_file))
        .route("/review/seen", post(act::mark_seen))
        .route("/review/all-seen", post(act::mark_all_seen))
        .route("/review/unseen", post(act::mark_unseen))
        .route("/review/take-back", post(act::undo_hunk))
        .route("/review/comment", post(act::add_comment))
        .route("/review/withdraw", post(act::withdraw_comment))
}
