//! *Review*: what was written since the last look, by session and prompt, one diff for each file. A file is marked as seen, a hunk
//! is taken back, and lines are commented on, each by a form of its own.

mod act;
mod comments;
mod entry;
mod list;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use super::Page;

/// The paths that the forms are sent to.
const SEEN: &str = "/review/seen";
const ALL_SEEN: &str = "/review/all-seen";
const TAKE_BACK: &str = "/review/take-back";
const COMMENT: &str = "/review/comment";
const WITHDRAW: &str = "/review/withdraw";

/// The paths of this part of the page.
pub(super) fn routes() -> Router<Arc<Page>> {
    Router::new()
        .route("/review", get(list::list))
        .route("/review/file", get(list::file))
        .route(SEEN, post(act::seen))
        .route(ALL_SEEN, post(act::all_seen))
        .route(TAKE_BACK, post(act::take_back))
        .route(COMMENT, post(act::comment))
        .route(WITHDRAW, post(act::withdraw))
}

impl Page {
    /// How many files are to be reviewed.
    pub(super) fn to_review(&self) -> usize {
        let unseen = self.lancet.review().map(|review| review.unseen());
        unseen.and_then(Result::ok).map_or(0, |files| files.len())
    }
}
