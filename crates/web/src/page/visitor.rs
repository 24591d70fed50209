//! The device that a request of the page comes from, and the tokens of the forms that it gets.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::request::Parts;

/// The request header that the script sends when it fetches the current page again to look for changes.
pub(super) const REFRESH_HEADER: &str = "lancet-looks-again";

/// A device that has access.
#[derive(Clone)]
pub(super) struct Visitor {
    /// The hash of its cookie. It identifies the device and is not a secret that gives access.
    pub(super) device: blake3::Hash,
    /// Whether the script requests the page again, in which case the user does not see the answer as it is.
    pub(super) looks_again: bool,
    key: [u8; 32],
}

impl Visitor {
    pub(super) fn new(cookie: &str, looks_again: bool) -> Self {
        Self {
            device: blake3::hash(cookie.as_bytes()),
            looks_again,
            key: blake3::derive_key("lancet page: tokens of forms", cookie.as_bytes()),
        }
    }

    /// Returns the token of the form that is sent to this path.
    pub(super) fn token(&self, action: &str) -> String {
        blake3::keyed_hash(&self.key, action.as_bytes())
            .to_hex()
            .to_string()
    }

    /// Returns whether a form's token is that of the path it was sent to. Hashes are compared in constant time.
    pub(super) fn accepts(&self, token: &str, action: &str) -> bool {
        let right = blake3::keyed_hash(&self.key, action.as_bytes());
        blake3::Hash::from_hex(token).is_ok_and(|token| token == right)
    }
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let visitor = parts.extensions.get::<Self>().cloned();
        // Requests that passed the entrance always have a visitor; the one that is created here knows no form's
        // token.
        Ok(visitor.unwrap_or_else(|| Self::new("", false)))
    }
}
