//! The layout of diffs, unified or side by side: `?view=` selects it, and a cookie with only this word stores the
//! choice.

use std::convert::Infallible;

use askama::Template;
use axum::extract::{FromRequestParts, Request};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;
use http::header::{COOKIE, SET_COOKIE};
use http::request::Parts;

use crate::page::fields::Fields;

/// The name of the cookie.
const COOKIE_NAME: &str = "lancet-view";
/// The time for which a browser stores it: a year.
const COOKIE_AGE: u32 = 365 * 24 * 60 * 60;

/// The arrangement of old and new lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::page) enum DiffLayout {
    /// Below each other.
    #[default]
    Unified,
    /// Side by side.
    Split,
}

impl DiffLayout {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "unified" => Some(Self::Unified),
            "split" => Some(Self::Split),
            _ => None,
        }
    }

    /// Returns its name.
    pub(in crate::page) fn name(self) -> &'static str {
        match self {
            Self::Unified => "unified",
            Self::Split => "split",
        }
    }

    pub(in crate::page) fn is_split(self) -> bool {
        self == Self::Split
    }

    fn from_query(query: Option<&str>) -> Option<Self> {
        let fields = Fields::new(query.unwrap_or_default().as_bytes());
        Self::parse(fields.first_value("view")?)
    }
}

impl<S: Sync> FromRequestParts<S> for DiffLayout {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let cookies = parts.headers.get_all(COOKIE).iter();
        let cookies = cookies.filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|value| value.split(';'));
        let kept = pairs.find_map(|pair| {
            let word = pair.trim().strip_prefix(COOKIE_NAME)?.strip_prefix('=')?;
            Self::parse(word)
        });
        let asked = Self::from_query(parts.uri.query());
        Ok(asked.or(kept).unwrap_or_default())
    }
}

/// Makes the browser store the layout that a request selects.
pub(in crate::page) async fn store_requested_layout(request: Request, next: Next) -> Response {
    let asked = DiffLayout::from_query(request.uri().query());
    let mut response = next.run(request).await;
    let cookie = asked.map(|layout| {
        let word = layout.name();
        format!("{COOKIE_NAME}={word}; Path=/; HttpOnly; SameSite=Strict; Max-Age={COOKIE_AGE}")
    });
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// The links that change the layout of the requested view; the other fields of its query stay.
#[derive(Clone, Template)]
#[template(path = "diff/layout.html")]
pub(in crate::page) struct LayoutChoice {
    pub(in crate::page) layout: DiffLayout,
    /// The text before the field `view`: an address that ends in `?` or `&`.
    address: String,
}

impl LayoutChoice {
    /// Returns the links of a view whose address is not the one of the request.
    pub(in crate::page) fn for_path(path: &str, layout: DiffLayout) -> Self {
        let address = format!("{path}?");
        Self { layout, address }
    }
}

impl<S: Sync> FromRequestParts<S> for LayoutChoice {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let layout = DiffLayout::from_request_parts(parts, state).await?;
        let query = parts.uri.query().unwrap_or_default();
        let mut kept = form_urlencoded::Serializer::new(String::new());
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if name != "view" {
                kept.append_pair(&name, &value);
            }
        }
        let kept = kept.finish();
        let address = match kept.is_empty() {
            true => "?".to_owned(),
            false => format!("?{kept}&"),
        };
        Ok(Self { layout, address })
    }
}

impl askama::filters::HtmlSafe for LayoutChoice {}
