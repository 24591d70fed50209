//! The page for people: the waiting questions, the review, the history, the sessions and the rules. HTML is made here
//! from the templates in `templates/`; the style and the script are in `assets/`. Everything except live updates
//! works without the script.
//!
//! A request passes `entrance` first: without the cookie of a device it gets only the form for a link's code, and a
//! request that changes something needs the token of its own form. Handlers run on threads that may block
//! ([`WebPage::answer_on_blocking_thread`]).

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
mod state;
mod stream;
mod told;
mod view;
mod visitor;
mod waiting;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

pub(crate) use state::WebPage;

/// Creates the routes of the page.
pub(crate) fn router(page: Arc<WebPage>) -> Router {
    Router::new()
        .route("/live", get(stream::stream_notifications))
        .merge(waiting::routes())
        .merge(review::routes())
        .merge(history::routes())
        .merge(sessions::routes())
        .merge(settings::routes())
        .merge(devices::routes())
        .layer(axum::middleware::from_fn_with_state(
            page.clone(),
            entrance::admit_known_devices,
        ))
        .layer(axum::middleware::from_fn(diff::store_requested_layout))
        // Unknown devices may request these, too: they contain none of the user's data.
        .route(
            "/enter",
            get(entrance::show_code_form).post(entrance::enter_with_code),
        )
        .route("/assets/{name}", get(assets::serve_asset))
        .route("/favicon.ico", get(assets::serve_icon))
        .layer(axum::middleware::map_response(view::add_security_headers))
        .with_state(page)
}
