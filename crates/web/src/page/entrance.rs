//! What stands before the page: the cookie of a device, and the token of the form where a request changes something.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{COOKIE, HOST, ORIGIN, SET_COOKIE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt as _, Limited};

use super::door::DEVICE_AGE;
use super::fields::{Fields, Form};
use super::view::{self, go_to};
use super::visitor::{LOOKS_AGAIN, Visitor};
use super::{Page, assets};
use crate::places::Guest;

/// The name of the cookie.
const COOKIE_NAME: &str = "lancet-page";
/// The longest form in bytes: a file that a person edits on the page comes in one.
const LONGEST_FORM: usize = 24 << 20;
/// The longest form of a device that is not known.
const LONGEST_CODE: usize = 4 << 10;

/// The form for a link's code.
#[derive(Template)]
#[template(path = "enter.html")]
struct EnterView {
    trouble: Option<&'static str>,
    style: &'static str,
    script: &'static str,
}

/// Lets known devices in, and of their forms those that this server gave them.
pub(super) async fn check(
    State(page): State<Arc<Page>>,
    mut request: Request,
    next: Next,
) -> Response {
    let guest = request.extensions_mut().remove::<Guest>();
    let Some(visitor) = visitor(&page, request.headers()) else {
        return match *request.method() {
            Method::GET | Method::HEAD => go_to("/enter"),
            _ => view::refused("This device is not known any more. Open the page by a new link."),
        };
    };
    if let Some(guest) = guest
        && !guest.is_known().await
    {
        return view::said(
            StatusCode::SERVICE_UNAVAILABLE,
            "There are too many connections.",
        );
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        if !is_own(request.headers()) {
            return view::refused("This form was sent by another page.");
        }
        let body = std::mem::replace(request.body_mut(), Body::empty());
        let Some(fields) = read(body, LONGEST_FORM).await else {
            return view::refused("The form is too long or did not come whole.");
        };
        let token = fields.one("token").unwrap_or_default();
        if !visitor.accepts(token, request.uri().path()) {
            return view::refused("This form is not one of this page. Load the page again.");
        }
        request.extensions_mut().insert(Form(fields));
    }
    request.extensions_mut().insert(visitor);
    next.run(request).await
}

/// Shows the form for a link's code. The script sends the code that is in the link itself.
pub(super) async fn form() -> Response {
    ask_for_code(None)
}

/// Lets a device in by its code.
pub(super) async fn enter(State(page): State<Arc<Page>>, request: Request) -> Response {
    if !is_own(request.headers()) {
        return view::refused("This form was sent by another page.");
    }
    let fields = read(request.into_body(), LONGEST_CODE).await;
    let code = fields.as_ref().and_then(|fields| fields.one("code"));
    let Some(cookie) = code.and_then(|code| page.door.enter(code)) else {
        return ask_for_code(Some(
            "This link was used already, or is older than ten minutes. `lancet serve --open` makes a new one.",
        ));
    };
    let age = DEVICE_AGE.as_secs();
    let cookie =
        format!("{COOKIE_NAME}={cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}");
    let mut response = go_to("/");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

fn ask_for_code(trouble: Option<&'static str>) -> Response {
    view::html(
        StatusCode::OK,
        &EnterView {
            trouble,
            style: assets::style(),
            script: assets::script(),
        },
    )
}

fn visitor(page: &Page, headers: &HeaderMap) -> Option<Visitor> {
    let cookies = headers.get_all(COOKIE).iter();
    let cookies = cookies.filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';'));
    let ours = pairs.find_map(|pair| pair.trim().strip_prefix(COOKIE_NAME)?.strip_prefix('='))?;
    let looks_again = headers.contains_key(LOOKS_AGAIN);
    page.door
        .knows(ours)
        .then(|| Visitor::new(ours, looks_again))
}

/// Whether a form comes from this page. Cookies also go with forms of pages on other ports of this machine, so the origin is
/// compared with the host that the request names, port and all.
fn is_own(headers: &HeaderMap) -> bool {
    let text = |value: &HeaderValue| value.to_str().map(str::to_owned).unwrap_or_default();
    let host = headers.get(HOST).map(text).unwrap_or_default();
    match headers.get(ORIGIN).map(text) {
        None => true,
        Some(origin) => {
            let named = origin.split_once("://").map(|(_, named)| named);
            named.is_some_and(|named| named.eq_ignore_ascii_case(&host))
        }
    }
}

async fn read(body: Body, longest: usize) -> Option<Fields> {
    let whole = Limited::new(body, longest).collect().await.ok()?;
    Some(Fields::new(&whole.to_bytes()))
}
