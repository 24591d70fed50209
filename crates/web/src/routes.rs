//! The paths of the server, and what stands before them: the check of host and origin, the token, and what a browser asks
//! before a page of another origin may send a request.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{any, get};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, CACHE_CONTROL, VARY, WWW_AUTHENTICATE,
};
use http::{HeaderValue, Method, StatusCode};
use lancet_mcp::Endpoint;
use lancet_serving::{Level, Log};

use crate::access::{Access, Foreign};
use crate::events::Events;
use crate::plain::said;

/// The headers of answers that pages may read.
const EXPOSED: &str = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate";

/// What the paths are served from.
pub(crate) struct Served {
    pub(crate) access: Access,
    pub(crate) endpoint: Endpoint,
    /// The events; none for a server without a history.
    pub(crate) events: Option<Events>,
    pub(crate) log: Log,
}

impl Served {
    /// The answer to a request without a token that is good.
    fn turned_away(&self) -> Response {
        self.log.say(Level::Warn, || {
            "a request without a token that is good was turned away".to_owned()
        });
        without_token()
    }
}

/// Makes the paths.
pub(crate) fn router(served: Arc<Served>) -> Router {
    Router::new()
        .route("/mcp", any(mcp))
        .route("/events", get(events))
        .fallback(async || {
            said(
                StatusCode::NOT_FOUND,
                "there is nothing here; agents connect to /mcp, and /events tells what happens\n",
            )
        })
        .layer(middleware::from_fn_with_state(served.clone(), admit))
        .with_state(served)
}

/// The events, for either token.
async fn events(State(served): State<Arc<Served>>, request: Request) -> Response {
    if served.access.token(request.headers()).is_none() {
        return served.turned_away();
    }
    match &served.events {
        Some(events) => events.answer(request.uri().query()).await,
        None => said(StatusCode::NOT_FOUND, "this server has no history\n"),
    }
}

/// The endpoint for agents.
async fn mcp(State(served): State<Arc<Served>>, request: Request) -> Response {
    let Some(token) = served.access.token(request.headers()) else {
        return served.turned_away();
    };
    let mut response = served.endpoint.answer(request, token).await;
    // What a token opened is kept by nothing on the way.
    response
        .headers_mut()
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response.map(Body::new)
}

/// Turns away what names a foreign host or comes from a foreign page, and answers what browsers ask before a request.
async fn admit(State(served): State<Arc<Served>>, request: Request, next: Next) -> Response {
    let origin = match served.access.place(request.uri(), request.headers()) {
        Ok(origin) => origin.and_then(|origin| HeaderValue::from_str(origin).ok()),
        Err(foreign) => {
            served.log.say(Level::Warn, || {
                format!("a request was turned away: foreign {foreign:?}")
            });
            return match foreign {
                Foreign::Host => said(
                    StatusCode::FORBIDDEN,
                    "this server does not go by that name; `lancet serve --allow-host NAME` allows one\n",
                ),
                Foreign::Origin => said(
                    StatusCode::FORBIDDEN,
                    "pages of that origin may not call this server; `lancet serve --allow-origin ORIGIN` allows one\n",
                ),
            };
        }
    };
    let Some(origin) = origin else {
        return next.run(request).await;
    };
    let asked = request.headers().get(ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if request.method() == Method::OPTIONS && asked.is_some() {
        let wanted = request
            .headers()
            .get(ACCESS_CONTROL_REQUEST_HEADERS)
            .cloned();
        let mut response = said(StatusCode::NO_CONTENT, "");
        let headers = response.headers_mut();
        let methods = HeaderValue::from_static("GET, POST, DELETE");
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
        if let Some(wanted) = wanted {
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted);
        }
        response
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(EXPOSED),
    );
    headers.append(VARY, HeaderValue::from_static("Origin"));
    response
}

fn without_token() -> Response {
    let mut response = said(
        StatusCode::UNAUTHORIZED,
        "send `Authorization: Bearer TOKEN`; the token is in the file serve-token (for reading alone: serve-token-read) of lancet's state folder\n",
    );
    let scheme = HeaderValue::from_static("Bearer realm=\"lancet\"");
    response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
    response
}
