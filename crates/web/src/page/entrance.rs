//! Access control of the page: the cookie of a device, and the token of the form if a request changes something.

use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{ALLOW, COOKIE, HOST, ORIGIN, SET_COOKIE, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt as _, Limited};
use lancet_serving::door::DEVICE_LIFETIME;

use super::fields::{Fields, SentForm};
use super::view::{self, redirect_to};
use super::visitor::{REFRESH_HEADER, Visitor};
use super::{WebPage, assets};
use crate::names::is_origin_of_host;
use crate::places::ConnectionSlot;

/// The name of the cookie.
const COOKIE_NAME: &str = "lancet-page";
/// The longest form in bytes; a file that the user edits on the page is sent in one.
const MAX_FORM_BYTES: usize = 24 << 20;
/// The time limit for receiving a form.
const FORM_TIME: Duration = Duration::from_secs(120);
/// The longest form of an unknown device.
const MAX_CODE_FORM_BYTES: usize = 4 << 10;
/// The time limit for receiving such a form.
const CODE_TIME: Duration = Duration::from_secs(10);
/// The header in which a browser describes the page that a request comes from.
const FETCH_SITE: &str = "sec-fetch-site";

/// The form for a link's code.
#[derive(Template)]
#[template(path = "enter.html")]
struct EnterView {
    trouble: Option<&'static str>,
    style: &'static str,
    script: &'static str,
}

/// Admits requests of known devices, and of their forms only those that this server gave them.
pub(super) async fn admit_known_devices(
    State(page): State<Arc<WebPage>>,
    mut request: Request,
    next: Next,
) -> Response {
    let guest = request.extensions_mut().remove::<ConnectionSlot>();
    let is_form = match *request.method() {
        Method::GET | Method::HEAD => false,
        Method::POST => true,
        _ => return method_not_allowed(),
    };
    let Some(visitor) = find_visitor(&page, request.headers()) else {
        return match is_form {
            false => redirect_to("/enter"),
            true => view::forbidden_response(
                "This device is not known any more. Open the page by a new link.",
            ),
        };
    };
    if let Some(guest) = guest
        && !guest.acquire_permit().await
    {
        return view::message_page(
            StatusCode::SERVICE_UNAVAILABLE,
            "There are too many connections.",
        );
    }
    if is_form {
        if !is_form_of_this_page(&page, request.headers()) {
            return view::forbidden_response("This form was sent by another page.");
        }
        let body = std::mem::replace(request.body_mut(), Body::empty());
        let Some(fields) = read_form(body, MAX_FORM_BYTES, FORM_TIME).await else {
            return view::forbidden_response("The form is too long or did not come whole.");
        };
        let token = fields.first_value("token").unwrap_or_default();
        if !visitor.accepts(token, request.uri().path()) {
            return view::forbidden_response(
                "This form is not one of this page. Load the page again.",
            );
        }
        request.extensions_mut().insert(SentForm(fields));
    }
    request.extensions_mut().insert(visitor);
    next.run(request).await
}

/// Shows the form for a link's code. If the code is in the link itself, the script sends it.
pub(super) async fn show_code_form() -> Response {
    code_form_response(StatusCode::OK, None)
}

/// Gives a device access by its code.
pub(super) async fn enter_with_code(
    State(page): State<Arc<WebPage>>,
    request: Request,
) -> Response {
    if !is_form_of_this_page(&page, request.headers()) {
        return view::forbidden_response("This form was sent by another page.");
    }
    let (parts, body) = request.into_parts();
    let words = header_text(&parts.headers, USER_AGENT)
        .unwrap_or_default()
        .to_owned();
    let is_encrypted =
        header_text(&parts.headers, ORIGIN).is_some_and(|from| from.starts_with("https://"));
    let before = find_visitor(&page, &parts.headers);
    let fields = read_form(body, MAX_CODE_FORM_BYTES, CODE_TIME).await;
    let Some(code) = fields.and_then(|fields| fields.first_value("code").map(str::to_owned)) else {
        return code_form_response(StatusCode::OK, None);
    };
    let entered = tokio::task::spawn_blocking(move || {
        let entered = page.door.redeem_code(&code, &words);
        // A browser that enters again does not become a second device.
        if let (Ok(Some(_)), Some(before)) = (&entered, before) {
            let _ = page.door.forget(before.device.to_hex().as_str());
        }
        entered
    })
    .await;
    let cookie = match entered {
        Ok(Ok(Some(cookie))) => cookie,
        Ok(Ok(None)) => {
            let trouble = "This code is not good: it was used already, is older than ten minutes, or is not whole. `lancet serve --link` makes a new one.";
            return code_form_response(StatusCode::FORBIDDEN, Some(trouble));
        }
        _ => return view::internal_error_response(),
    };
    let age = DEVICE_LIFETIME.as_secs();
    // The browser reports whether its connection is encrypted, since a proxy may be in between.
    let secure = match is_encrypted {
        true => "; Secure",
        false => "",
    };
    let cookie =
        format!("{COOKIE_NAME}={cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}");
    let mut response = redirect_to("/");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

fn method_not_allowed() -> Response {
    let words = "The page takes GET, HEAD and POST.";
    let mut response = view::message_page(StatusCode::METHOD_NOT_ALLOWED, words);
    let all = HeaderValue::from_static("GET, HEAD, POST");
    response.headers_mut().insert(ALLOW, all);
    response
}

fn code_form_response(status: StatusCode, trouble: Option<&'static str>) -> Response {
    view::html_response(
        status,
        &EnterView {
            trouble,
            style: assets::style_address(),
            script: assets::script_address(),
        },
    )
}

fn find_visitor(page: &WebPage, headers: &HeaderMap) -> Option<Visitor> {
    let cookies = headers.get_all(COOKIE).iter();
    let cookies = cookies.filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|value| value.split(';'));
    let mut ours =
        pairs.filter_map(|pair| pair.trim().strip_prefix(COOKIE_NAME)?.strip_prefix('='));
    // Another server of this machine may have set a cookie of the same name.
    let known = ours.find(|cookie| page.door.is_device_known(cookie))?;
    Some(Visitor::new(known, headers.contains_key(REFRESH_HEADER)))
}

fn header_text(headers: &HeaderMap, name: http::HeaderName) -> Option<&str> {
    headers.get(name).map(|value| value.to_str().unwrap_or(""))
}

/// Returns whether a form comes from this page. Cookies are also sent with forms of pages on other ports of this
/// machine, so the origin is compared with the host that the request names, including the port; a proxy may have put
/// its own name there.
fn is_form_of_this_page(page: &WebPage, headers: &HeaderMap) -> bool {
    let site = headers.get(FETCH_SITE);
    if site.is_some_and(|site| site != "same-origin" && site != "none") {
        return false;
    }
    let host = header_text(headers, HOST).unwrap_or_default();
    header_text(headers, ORIGIN).is_none_or(|origin| {
        let is_public = || {
            page.public
                .as_ref()
                .is_some_and(|url| url.is_origin(origin))
        };
        is_origin_of_host(origin, host) || is_public()
    })
}

async fn read_form(body: Body, longest: usize, time: Duration) -> Option<Fields> {
    let whole = Limited::new(body, longest).collect();
    let whole = tokio::time::timeout(time, whole).await.ok()?.ok()?;
    Some(Fields::new(&whole.to_bytes()))
}
