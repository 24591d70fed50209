//! What a reply came to.

use lancet::Reply;

/// The name of the refusal; empty for a reply that is none.
#[must_use]
pub fn refused(reply: &Reply) -> &'static str {
    reply.refusal().map_or("", |kind| kind.name())
}

/// The call went through.
#[track_caller]
pub fn done(reply: &Reply) {
    assert!(!reply.is_error(), "{}: {}", refused(reply), reply.text());
}

/// The call was refused under this name.
#[track_caller]
pub fn is_refused(reply: &Reply, name: &str) {
    assert_eq!(refused(reply), name, "{}", reply.text());
}
