//! Answers of the page: rendered templates, redirections, refusals, and the headers that all of them have.

use askama::Template;
use axum::body::Body;
use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderName, HeaderValue, StatusCode};

use super::assets;

/// The Content-Security-Policy of the page: a browser may load resources of this server, send forms to it, and do
/// nothing else. The HTML itself contains no script or style, so text that slipped through as HTML could still not
/// run anything.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Returns a rendered template.
pub(super) fn html_response(status: StatusCode, template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => response_with_type(status, "text/html; charset=utf-8", text),
        Err(_) => internal_error_response(),
    }
}

/// Sends the browser to another path, by GET.
pub(super) fn redirect_to(path: &str) -> Response {
    let mut response = response_with_type(
        StatusCode::SEE_OTHER,
        "text/plain; charset=utf-8",
        String::new(),
    );
    if let Ok(path) = HeaderValue::from_str(path) {
        response.headers_mut().insert(LOCATION, path);
    }
    response
}

/// A page with a single message and a link back.
#[derive(Template)]
#[template(path = "said.html")]
struct MessageView<'w> {
    title: &'static str,
    words: &'w str,
    style: &'static str,
}

/// Returns a page with a single message.
pub(super) fn message_page(status: StatusCode, words: &str) -> Response {
    let view = MessageView {
        title: match status {
            StatusCode::NOT_FOUND => "Not found",
            status if status.is_server_error() => "Not possible now",
            _ => "Not done",
        },
        words,
        style: assets::style_address(),
    };
    match view.render() {
        Ok(text) => response_with_type(status, "text/html; charset=utf-8", text),
        Err(_) => response_with_type(status, "text/plain; charset=utf-8", format!("{words}\n")),
    }
}

/// Returns the answer to a request that is not allowed.
pub(super) fn forbidden_response(words: &str) -> Response {
    message_page(StatusCode::FORBIDDEN, words)
}

/// Returns the answer for an address that does not exist.
pub(super) fn not_found_response(words: &str) -> Response {
    message_page(StatusCode::NOT_FOUND, words)
}

/// Returns the answer if the state folder cannot be read, or for a fault of lancet.
pub(super) fn internal_error_response() -> Response {
    message_page(
        StatusCode::INTERNAL_SERVER_ERROR,
        "The page cannot be made; the server's log has more. `lancet doctor` looks for the cause.",
    )
}

fn response_with_type(status: StatusCode, kind: &'static str, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Adds the headers that every answer of the page has.
pub(super) async fn add_security_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let all: [(HeaderName, &'static str); 6] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_FRAME_OPTIONS, "DENY"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // With `no-referrer`, browsers would also omit the origin of a form.
        (REFERRER_POLICY, "same-origin"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in all {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}
