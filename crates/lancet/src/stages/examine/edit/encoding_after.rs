//! The encoding in which the result of edits would be read.

use lancet_text::{Document, RawChange, apply_raw};

use super::refuse::no_longer_text_refusal;
use crate::message::{Message, message, verbatim};
use crate::refusal::Refusal;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::configured_encoding;

/// Returns the sentence about a different encoding in which the result would be read, or the refusal where it would not
/// be text.
pub(super) fn encoding_after(
    context: &CallContext<'_>,
    target: &Target,
    document: &Document<'_>,
    changes: &[RawChange],
) -> Result<Option<Message>, Refusal> {
    let configured = configured_encoding(context.engine(), target);
    let plain = document.encoding().is_utf8()
        && document.damaged_ranges().is_empty()
        && configured.is_none();
    if plain
        && changes
            .iter()
            .all(|change| !change.bytes.contains(&0) && change.range.start > 3)
    {
        // Only UTF-8 is possible here, so the result need not be built and its encoding detected.
        return Ok(None);
    }
    let result = apply_raw(document.raw(), changes);
    match document.encoding_after_changes(changes, &result, configured) {
        Ok(other) => Ok(other.map(|other| {
            message!(
                "with this change the file will be read as {}, no longer as {}",
                verbatim(other.name()),
                verbatim(document.encoding().name())
            )
        })),
        Err(_) => Err(no_longer_text_refusal(target)),
    }
}
