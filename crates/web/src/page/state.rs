//! The state that the handlers of the page share, and the threads on which their answers are made.

use std::path::Path;
use std::sync::Arc;

use axum::response::Response;
use lancet::Lancet;
use lancet_serving::door::Door;
use tokio::sync::Semaphore;

use super::live::LiveNews;
use super::review::ReviewCount;
use super::told::ToldOnce;
use super::view;
use super::waiting::Lately;
use crate::names::PublicUrl;

/// The number of requests for the page that are processed at once; further ones wait.
const AT_ONCE: usize = 8;

/// The data that the page is made from.
pub(crate) struct WebPage {
    pub(super) lancet: Lancet,
    pub(super) door: Door,
    /// The address of the proxy in front of the server.
    pub(super) public: Option<PublicUrl>,
    pub(super) told: ToldOnce,
    review_count: ReviewCount,
    pub(super) lately: Lately,
    pub(super) live: LiveNews,
    work: Semaphore,
}

impl WebPage {
    pub(crate) fn new(lancet: Lancet, state: &Path, public: Option<PublicUrl>) -> Self {
        let door = Door::new(state);
        door.clean();
        Self {
            door,
            public,
            told: ToldOnce::default(),
            review_count: ReviewCount::default(),
            lately: Lately::default(),
            live: LiveNews::new(lancet.clone()),
            work: Semaphore::new(AT_ONCE),
            lancet,
        }
    }

    /// Ends the streams of all browsers.
    pub(crate) fn end(&self) {
        self.live.end();
    }

    /// Returns the number of files to be reviewed.
    pub(super) fn to_review(&self) -> usize {
        self.review_count.count(&self.lancet)
    }

    /// Makes an answer on a thread that may block.
    pub(super) async fn answer(
        self: Arc<Self>,
        make: impl FnOnce(&Self) -> Response + Send + 'static,
    ) -> Response {
        let Ok(_turn) = self.work.acquire().await else {
            return view::broken();
        };
        let page = Arc::clone(&self);
        let made = tokio::task::spawn_blocking(move || make(&page)).await;
        made.unwrap_or_else(|_| view::broken())
    }
}
