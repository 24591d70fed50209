//! The routes of the server, and the checks before them: the check of host and origin, the token, and the preflight
//! requests that a browser sends before a page of another origin may send a request.

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
use lancet_serving::tokens::TokenKind;

use crate::access::{Access, ForeignRequest};
use crate::events::Events;
use crate::page::{self, WebPage};
use crate::places::ConnectionSlot;
use crate::plain::plain_text_response;
use crate::turned_away::RejectionLog;

/// The headers of answers that pages may read.
const EXPOSED_HEADERS: &str = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate";

/// The services behind the routes.
pub(crate) struct Services {
    pub(crate) access: Access,
    pub(crate) endpoint: Endpoint,
    /// The events; none for a server without a history.
    pub(crate) events: Option<Events>,
    /// The page; none for a server without a history.
    pub(crate) page: Option<Arc<WebPage>>,
    pub(crate) turned_away: RejectionLog,
}

impl Services {
    /// Returns the token of a request, whose connection then has a lasting place; otherwise returns the answer.
    async fn authenticate(&self, request: &mut Request) -> Result<TokenKind, Response> {
        // The guest is removed from the request, which a call may keep for longer than the connection lasts.
        let guest = request.extensions_mut().remove::<ConnectionSlot>();
        let Some(token) = self.access.token_kind(request.headers()) else {
            self.turned_away
                .log_rejection("it has no token that is good");
            return Err(missing_token_response());
        };
        match guest {
            Some(guest) if !guest.acquire_permit().await => Err(plain_text_response(
                StatusCode::SERVICE_UNAVAILABLE,
                "there are too many connections\n",
            )),
            _ => Ok(token),
        }
    }
}

/// Creates the routes.
pub(crate) fn router(served: Arc<Services>) -> Router {
    let router = Router::new()
        .route("/mcp", any(serve_mcp))
        .route("/events", get(serve_events))
        .with_state(served.clone());
    let router = match &served.page {
        Some(page) => router.merge(page::router(page.clone())),
        None => router,
    };
    router
        .fallback(async || {
            plain_text_response(
                StatusCode::NOT_FOUND,
                "there is nothing here; people find the page at /, agents connect to /mcp, and /events reports what happens\n",
            )
        })
        .layer(middleware::from_fn_with_state(served, reject_foreign_requests))
}

/// Serves the events, for either token.
async fn serve_events(State(served): State<Arc<Services>>, mut request: Request) -> Response {
    if let Err(response) = served.authenticate(&mut request).await {
        return response;
    }
    match &served.events {
        Some(events) => events.stream_events(request.uri().query()).await,
        None => plain_text_response(StatusCode::NOT_FOUND, "this server has no history\n"),
    }
}

/// Serves the endpoint for agents.
async fn serve_mcp(State(served): State<Arc<Services>>, mut request: Request) -> Response {
    let token = match served.authenticate(&mut request).await {
        Ok(token) => token,
        Err(response) => return response,
    };
    let mut response = served.endpoint.answer(request, token).await;
    // No cache may store an answer that required a token.
    response
        .headers_mut()
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response.map(Body::new)
}

/// Rejects requests that name a foreign host or come from a foreign page, and answers the preflight requests of
/// browsers.
async fn reject_foreign_requests(
    State(served): State<Arc<Services>>,
    request: Request,
    next: Next,
) -> Response {
    let origin = match served
        .access
        .check_host_and_origin(request.uri(), request.headers())
    {
        Ok(origin) => origin.and_then(|origin| HeaderValue::from_str(origin).ok()),
        Err(foreign) => {
            served.turned_away.log_rejection(match foreign {
                ForeignRequest::Host => "foreign Host",
                ForeignRequest::Origin => "foreign Origin",
            });
            return match foreign {
                ForeignRequest::Host => plain_text_response(
                    StatusCode::FORBIDDEN,
                    "this server does not answer to that name; `lancet serve --allow-host NAME` allows one\n",
                ),
                ForeignRequest::Origin => plain_text_response(
                    StatusCode::FORBIDDEN,
                    "pages of that origin may not call this server; `lancet serve --allow-origin ORIGIN` allows one\n",
                ),
            };
        }
    };
    // Pages of other origins may call these two, which require a token, but not the page for people.
    let is_for_programs = matches!(request.uri().path(), "/mcp" | "/events");
    let Some(origin) = origin.filter(|_| is_for_programs) else {
        return next.run(request).await;
    };
    let asked = request.headers().get(ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if request.method() == Method::OPTIONS && asked.is_some() {
        let wanted = request
            .headers()
            .get(ACCESS_CONTROL_REQUEST_HEADERS)
            .cloned();
        let mut response = plain_text_response(StatusCode::NO_CONTENT, "");
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
        HeaderValue::from_static(EXPOSED_HEADERS),
    );
    headers.append(VARY, HeaderValue::from_static("Origin"));
    response
}

fn missing_token_response() -> Response {
    let mut response = plain_text_response(
        StatusCode::UNAUTHORIZED,
        "send `Authorization: Bearer TOKEN`; the token is in the file serve-token (for reading alone: serve-token-read; person-token opens no tool) of lancet's state folder\n",
    );
    let scheme = HeaderValue::from_static("Bearer realm=\"lancet\"");
    response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
    response
}
