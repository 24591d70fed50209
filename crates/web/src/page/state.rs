//! The state that the handlers of the page share, and the threads on which their answers are made.

use std::path::Path;
use std::sync::Arc;

use axum::response::Response;
use lancet::Lancet;
use lancet_serving::door::PageAccess;
use tokio::sync::Semaphore;

use super::live::BrowserNotifier;
use super::review::{ReviewCount, SeenMarks};
use super::told::PendingMessages;
use super::view;
use super::waiting::{ReadApprovals, RecentDecisions};
use crate::names::PublicUrl;

/// The number of requests for the page that are processed at once; further ones wait.
const MAX_PARALLEL_REQUESTS: usize = 8;

/// The data that the page is made from.
pub(crate) struct WebPage {
    pub(super) lancet: Lancet,
    pub(super) door: PageAccess,
    /// The address of the proxy in front of the server.
    pub(super) public: Option<PublicUrl>,
    pub(super) told: PendingMessages,
    review_count: ReviewCount,
    pub(super) lately: RecentDecisions,
    pub(super) read_approvals: ReadApprovals,
    pub(super) seen_marks: SeenMarks,
    pub(super) live: BrowserNotifier,
    work: Semaphore,
}

impl WebPage {
    pub(crate) fn new(lancet: Lancet, state: &Path, public: Option<PublicUrl>) -> Self {
        let door = PageAccess::new(state);
        door.remove_expired();
        Self {
            door,
            public,
            told: PendingMessages::default(),
            review_count: ReviewCount::default(),
            lately: RecentDecisions::default(),
            read_approvals: ReadApprovals::default(),
            seen_marks: SeenMarks::default(),
            live: BrowserNotifier::new(lancet.clone()),
            work: Semaphore::new(MAX_PARALLEL_REQUESTS),
            lancet,
        }
    }

    /// Ends the streams of all browsers.
    pub(crate) fn end_streams(&self) {
        self.live.end_streams();
    }

    /// Returns the number of files to be reviewed.
    pub(super) fn count_files_to_review(&self) -> usize {
        self.read_approvals.mark_written(&self.lancet);
        self.review_count.count(&self.lancet)
    }

    /// Makes an answer on a thread that may block.
    pub(super) async fn answer_on_blocking_thread(
        self: Arc<Self>,
        make: impl FnOnce(&Self) -> Response + Send + 'static,
    ) -> Response {
        let Ok(_turn) = self.work.acquire().await else {
            return view::internal_error_response();
        };
        let page = Arc::clone(&self);
        let made = tokio::task::spawn_blocking(move || make(&page)).await;
        made.unwrap_or_else(|_| view::internal_error_response())
    }
}
