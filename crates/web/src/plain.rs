//! Answers in plain text.

use axum::body::Body;
use axum::response::Response;
use http::header::{CONNECTION, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};

/// Returns an answer in plain text.
pub(crate) fn plain_text_response(status: StatusCode, words: &'static str) -> Response {
    let mut response = Response::new(Body::from(words));
    *response.status_mut() = status;
    if !status.is_success() {
        // A rejected request ends its connection.
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    response
}
