//! Short refusals of an edit that several files use.

use crate::refusal::{Refusal, RefusalKind};
use crate::rooms::locate::Target;
use crate::wording::quote_path;

/// The refusal for an empty old text where the file has content.
pub(crate) fn not_empty(target: &Target) -> Refusal {
    let text = format!(
        "{} is there and not empty, and old_string is empty. Read it and send the text to replace, or use Write to replace it whole.",
        quote_path(target.path())
    );
    Refusal::new(RefusalKind::Exists, text).with("file_path", quote_path(target.path()))
}

/// The refusal for an edit that changes nothing.
pub(crate) fn no_change(target: &Target) -> Refusal {
    Refusal::new(
        RefusalKind::NoChange,
        "old_string and new_string are the same. Nothing was written; send the text that was meant.",
    )
    .with("file_path", quote_path(target.path()))
}

/// The refusal for an edit that changes nothing and whose text is in the file. The edit is left out where others of the
/// call change something.
pub(crate) fn left_out(target: &Target) -> Refusal {
    let mut refusal = no_change(target);
    refusal.idle = true;
    refusal
}

/// Makes the refusal for a hunk that changes nothing and whose lines are in the file. It is given where the reply changes
/// nothing else.
pub(crate) fn idle(target: &Target) -> Refusal {
    let path = quote_path(target.path());
    let text = format!(
        "The old and the new lines for {path} are the same. Nothing was written; send the lines that were meant."
    );
    let mut refusal = Refusal::new(RefusalKind::NoChange, text).with("file_path", path);
    refusal.idle = true;
    refusal
}

/// The refusal where the result would no longer be text.
pub(crate) fn no_longer_text(target: &Target) -> Refusal {
    let path = quote_path(target.path());
    let text =
        format!("With this change {path} would no longer be text. Leave the NUL characters out.");
    Refusal::new(RefusalKind::Binary, text).with("file_path", path)
}
