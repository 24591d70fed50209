//! The devices that have access, and their removal: a removed device needs a new link.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Extension, State};
use axum::response::Response;
use axum::routing::{get, post};
use http::StatusCode;
use lancet_serving::door::Device;

use super::WebPage;
use super::fields::SentForm;
use super::frame::{Frame, Section};
use super::told::Tone;
use super::view::{self, redirect_to};
use super::visitor::Visitor;

/// Returns the paths of this part of the page.
pub(super) fn routes() -> Router<Arc<WebPage>> {
    Router::new()
        .route("/devices", get(list_devices))
        .route("/devices/forget", post(forget_device))
        .route("/devices/forget-others", post(forget_other_devices))
}

/// One device in the form of the template.
struct DeviceRow {
    id: String,
    name: String,
    words: String,
    since: String,
    used: String,
    is_this: bool,
}

#[derive(Template)]
#[template(path = "devices.html")]
struct DevicesView {
    frame: Frame,
    rows: Vec<DeviceRow>,
}

async fn list_devices(State(page): State<Arc<WebPage>>, visitor: Visitor) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let frame = Frame::new(page, &visitor, Section::Settings, "Devices");
        let this = visitor.device.to_hex();
        let row = |device: Device| DeviceRow {
            is_this: device.id == this.as_str(),
            name: browser_name(&device.words),
            words: device.words,
            since: format_elapsed(device.since),
            used: format_elapsed(device.used),
            id: device.id,
        };
        let rows = page.door.devices().into_iter().map(row).collect();
        view::html_response(StatusCode::OK, &DevicesView { frame, rows })
    })
    .await
}

async fn forget_device(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    Extension(SentForm(form)): Extension<SentForm>,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let id = form.first_value("device").unwrap_or_default();
        let (tone, words) = match page.door.forget(id) {
            true => (Tone::Done, "The device is forgotten. It needs a new link."),
            false => (Tone::Refused, "This device was forgotten already."),
        };
        page.told.add_message(&visitor, tone, words);
        redirect_to("/devices")
    })
    .await
}

async fn forget_other_devices(State(page): State<Arc<WebPage>>, visitor: Visitor) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let words = match page.door.forget_others(visitor.device.to_hex().as_str()) {
            1 => "One other device is forgotten.".to_owned(),
            number => format!("{number} other devices are forgotten."),
        };
        page.told.add_message(&visitor, Tone::Done, words);
        redirect_to("/devices")
    })
    .await
}

/// Returns a short name for a browser and its system from its user agent. The order matters, because most browsers
/// also name others.
fn browser_name(words: &str) -> String {
    let known = |all: &[(&str, &'static str)]| {
        let found = all.iter().find(|(part, _)| words.contains(part));
        found.map(|(_, name)| *name)
    };
    let browser = known(&[
        ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"),
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("SamsungBrowser/", "Samsung Internet"),
        ("Chrome/", "Chrome"),
        ("CriOS/", "Chrome"),
        ("Safari/", "Safari"),
    ]);
    let system = known(&[
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("CrOS", "ChromeOS"),
        ("Mac OS X", "macOS"),
        ("Windows", "Windows"),
        ("Linux", "Linux"),
    ]);
    match (browser, system) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => "A device".to_owned(),
    }
}

/// Returns the time elapsed since something, as text.
fn format_elapsed(time: std::time::SystemTime) -> String {
    let minutes = time.elapsed().map_or(0, |passed| passed.as_secs() / 60);
    match minutes {
        0 | 1 => "just now".to_owned(),
        2..=119 => format!("{minutes} minutes ago"),
        120..=2879 => format!("{} hours ago", minutes / 60),
        _ => format!("{} days ago", minutes / 60 / 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_browsers_by_user_agent() {
        let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1";
        assert_eq!(browser_name(phone), "Safari on iPhone");
        let desk = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
        assert_eq!(browser_name(desk), "Chrome on Linux");
        assert_eq!(browser_name("curl/8"), "A device");
    }
}
