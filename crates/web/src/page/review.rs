//! *Review*: what was written since the last look, by session and prompt, one diff for each file. A file is marked as seen, a hunk
//! is taken back, and lines are commented on, each by a form of its own.

mod act;
mod comments;
mod entry;
mod list;
mod new_comment;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::routing::{get, post};
use lancet::history::EventsSince;
use lancet::review::ReviewTally;

use super::WebPage;

/// The paths of this part of the page.
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

/// How many files were to be reviewed after the event with this number. Every part of the page shows it, and counting takes
/// milliseconds where thousands of changes were not looked at.
#[derive(Default)]
pub(super) struct ReviewCount(Mutex<(Option<(i64, usize)>, ReviewTally)>);

impl WebPage {
    /// How many files are to be reviewed.
    pub(super) fn to_review(&self) -> usize {
        let newest = || {
            let reader = self.lancet.history()?.events(&EventsSince::Now).ok()??;
            Some(reader.position())
        };
        // What happens after this makes the number of the next count.
        let Some(newest) = newest() else {
            return 0;
        };
        // Requests that ask at the same time wait for one count.
        let counted = self.to_review.0.lock();
        let (counted, tally) = &mut *counted.unwrap_or_else(PoisonError::into_inner);
        if let Some((_, number)) = counted.filter(|(at, _)| *at == newest) {
            return number;
        }
        let number = self.lancet.review().map(|review| review.count(tally));
        let Some(Ok(number)) = number else {
            return 0;
        };
        *counted = Some((newest, number));
        number
    }
}
