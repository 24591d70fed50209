//! The page for people: what waits for an answer, what was written, the history, the sessions and the rules. HTML is made
//! here from the templates in `templates/`; the style and the script are in `assets/`. Everything but live updates works without the script.
//!
//! A request passes `entrance` first: without the cookie of a device it sees the form for a link's code and nothing else, and a request that
//! changes something needs the token of its own form. Handlers run on threads where they may block ([`WebPage::answer`]).

mod assets;
mod devices;
mod diff;
mod entrance;
mod fields;
mod frame;
mod history;
mod links;
mod live;
mod moment;
mod review;
mod sessions;
mod settings;
mod stream;
mod told;
mod view;
mod visitor;
mod waiting;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use lancet::Lancet;
use lancet_serving::door::Door;
use tokio::sync::Semaphore;

use live::LiveNews;
use told::ToldOnce;
use waiting::Lately;

use crate::names::PublicUrl;

/// How many requests for the page are worked on at once; further ones wait.
const AT_ONCE: usize = 8;

/// What the page is made from.
pub(crate) struct WebPage {
    lancet: Lancet,
    door: Door,
    /// The address of the proxy that stands before the server.
    public: Option<PublicUrl>,
    told: ToldOnce,
    to_review: review::ReviewCount,
    lately: Lately,
    live: LiveNews,
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
            to_review: review::ReviewCount::default(),
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

    /// Makes an answer on a thread where it may block.
    async fn answer(
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

/// Makes the paths of the page.
pub(crate) fn router(page: Arc<WebPage>) -> Router {
    Router::new()
        .route("/live", get(stream::stream))
        .merge(waiting::routes())
        .merge(review::routes())
        .merge(history::routes())
        .merge(sessions::routes())
        .merge(settings::routes())
        .merge(devices::routes())
        .layer(axum::middleware::from_fn_with_state(
            page.clone(),
            entrance::check,
        ))
        .layer(axum::middleware::from_fn(diff::remember))
        // Devices that are not known may ask for these, too: they hold nothing of the user's.
        .route("/enter", get(entrance::form).post(entrance::enter))
        .route("/assets/{name}", get(assets::asset))
        .route("/favicon.ico", get(assets::icon))
        .layer(axum::middleware::map_response(view::protected))
        .with_state(page)
}
