//! The style, the scripts and the icon, embedded in the program. Their addresses contain a hash, so that browsers
//! cache them until another version of lancet has others.

use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::Path;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};

const STYLE: &[u8] = include_bytes!("../../assets/page.css");
const SCRIPT: &[u8] = include_bytes!("../../assets/page.js");
const FORMS_SCRIPT: &[u8] = include_bytes!("../../assets/forms.js");
const ICON: &[u8] = include_bytes!("../../assets/icon.svg");

static STYLE_PATH: LazyLock<String> = LazyLock::new(|| asset_address("page.css", STYLE));
static SCRIPT_PATH: LazyLock<String> = LazyLock::new(|| asset_address("page.js", SCRIPT));
static FORMS_SCRIPT_PATH: LazyLock<String> =
    LazyLock::new(|| asset_address("forms.js", FORMS_SCRIPT));

fn asset_address(name: &str, bytes: &[u8]) -> String {
    let hash = blake3::hash(bytes).to_hex();
    format!("/assets/{name}?{}", &hash[..12])
}

/// Returns the address of the style.
pub(super) fn style_address() -> &'static str {
    &STYLE_PATH
}

/// Returns the address of the script.
pub(super) fn script_address() -> &'static str {
    &SCRIPT_PATH
}

/// Returns the address of the script about forms.
pub(super) fn forms_script_address() -> &'static str {
    &FORMS_SCRIPT_PATH
}

/// Returns the icon at the address where browsers look for one, for answers that are not HTML.
pub(super) async fn serve_icon() -> Response {
    serve_asset(Path("icon.svg".to_owned())).await
}

/// Serves one of them.
pub(super) async fn serve_asset(Path(name): Path<String>) -> Response {
    let (kind, bytes) = match name.as_str() {
        "page.css" => ("text/css; charset=utf-8", STYLE),
        "page.js" => ("text/javascript; charset=utf-8", SCRIPT),
        "forms.js" => ("text/javascript; charset=utf-8", FORMS_SCRIPT),
        "icon.svg" => ("image/svg+xml", ICON),
        _ => {
            let mut nothing = Response::new(Body::empty());
            *nothing.status_mut() = StatusCode::NOT_FOUND;
            return nothing;
        }
    };
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    let keep = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(CACHE_CONTROL, keep);
    response
}
