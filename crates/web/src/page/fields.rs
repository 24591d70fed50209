//! The fields of a query or of a form that was sent.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;

/// Fields by name, in the order in which they came; a name may come several times.
#[derive(Clone, Default)]
pub(super) struct Fields(Arc<Vec<(String, String)>>);

/// The fields of the form that came with a request; its token was checked.
#[derive(Clone, Default)]
pub(super) struct SentForm(pub(super) Fields);

impl Fields {
    pub(super) fn new(encoded: &[u8]) -> Self {
        Self(Arc::new(
            form_urlencoded::parse(encoded).into_owned().collect(),
        ))
    }

    /// Returns the first value of a name, without surrounding spaces; none if it is missing or empty.
    pub(super) fn first_value(&self, name: &str) -> Option<&str> {
        let value = self.first_raw_value(name).map(str::trim);
        value.filter(|value| !value.is_empty())
    }

    /// Returns the first value of a name as it was sent.
    pub(super) fn first_raw_value(&self, name: &str) -> Option<&str> {
        let mut found = self.0.iter().filter(|(given, _)| given == name);
        found.next().map(|(_, value)| value.as_str())
    }

    /// Returns all values of a name.
    pub(super) fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        let found = self.0.iter().filter(move |(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns a number; none if it is missing or not a number.
    pub(super) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.first_value(name)?.parse().ok()
    }
}

impl<S: Sync> FromRequestParts<S> for Fields {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::new(parts.uri.query().unwrap_or_default().as_bytes()))
    }
}

impl<S: Sync> FromRequestParts<S> for SentForm {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}
