//! How requests reach the server, as far as its answers depend on it, and what the transport says about a request.

use lancet_serving::tokens::TokenKind;
use rmcp::RoleServer;
use rmcp::model::{Extensions, ProtocolVersion};
use rmcp::service::RequestContext;

use crate::message::{OtherArguments, UnreadableArguments};

/// The transport by which requests reach the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// Over one pair of streams that lasts as long as the client.
    Streams,
    /// Over HTTP. A client of the first generation has a session; a request of the second belongs to none.
    Http,
}

/// How many times the client of a session over HTTP had said that its roots changed, when a message arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RootsNews(pub(crate) u64);

/// Returns the count that came with a message of a session over HTTP.
pub(crate) fn roots_news(extensions: &Extensions) -> Option<RootsNews> {
    let parts = extensions.get::<::http::request::Parts>()?;
    parts.extensions.get().copied()
}

/// Reports whether a request is of the protocol generation without `initialize`, in which a server sends no requests.
pub(crate) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::NO_INITIALIZE.as_str())
}

/// Returns an extension of a request: one of the message itself or, over HTTP, of the HTTP request that carried it.
fn request_extension<T: Clone + Send + Sync + 'static>(
    context: &RequestContext<RoleServer>,
) -> Option<T> {
    let carried = || {
        let parts = context.extensions.get::<::http::request::Parts>()?;
        parts.extensions.get::<T>()
    };
    context.extensions.get::<T>().or_else(carried).cloned()
}

/// Returns the token of a request. Streams have no tokens, so everything is allowed. Over HTTP each request has one; a
/// request without one may at most read.
pub(crate) fn token_kind(context: &RequestContext<RoleServer>) -> TokenKind {
    match context.extensions.get::<::http::request::Parts>() {
        None => TokenKind::Write,
        Some(parts) => token_kind_of_parts(parts),
    }
}

fn token_kind_of_parts(parts: &::http::request::Parts) -> TokenKind {
    let token = parts.extensions.get().copied();
    token.unwrap_or(TokenKind::Read)
}

/// Returns the arguments of a call that are not a JSON object.
pub(crate) fn other_arguments(context: &RequestContext<RoleServer>) -> Option<OtherArguments> {
    request_extension(context)
}

/// Returns the reason why the arguments of a call cannot be parsed.
pub(crate) fn unreadable_arguments(
    context: &RequestContext<RoleServer>,
) -> Option<UnreadableArguments> {
    request_extension(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_request_without_token_is_read_only() {
        let (mut parts, ()) = ::http::Request::new(()).into_parts();
        assert_eq!(token_kind_of_parts(&parts), TokenKind::Read);
        parts.extensions.insert(TokenKind::Write);
        assert_eq!(token_kind_of_parts(&parts), TokenKind::Write);
    }
}
