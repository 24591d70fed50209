//! Assertions about replies.

use lancet::Reply;

/// Returns the name of the refusal; empty if the reply is not one.
#[must_use]
pub fn refused(reply: &Reply) -> &'static str {
    reply.refusal().map_or("", |kind| kind.name())
}

/// Asserts that the call succeeded.
#[track_caller]
pub fn done(reply: &Reply) {
    assert!(!reply.is_error(), "{}: {}", refused(reply), reply.text());
}

/// Asserts that the call was refused under this name.
#[track_caller]
pub fn is_refused(reply: &Reply, name: &str) {
    assert_eq!(refused(reply), name, "{}", reply.text());
}
