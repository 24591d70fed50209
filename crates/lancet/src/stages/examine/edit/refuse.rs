//! Short refusals of an edit that several files use.

use crate::message::{message, term};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::locate::Target;
use crate::wording::quote_path;

/// Returns the refusal for an empty old text where the file has content.
pub(crate) fn not_empty(target: &Target) -> Refusal {
    let text = message!(
        "{}{}",
        quote_path(target.path()),
        term(
            " is there and not empty, and old_string is empty. Read it and send the text to replace, or use Write to replace it whole.",
            " exists and is not empty, and --old is empty. Give the text to replace, or use lancet write to replace the file.",
        )
    );
    Refusal::stating(RefusalKind::Exists, text).with("file_path", quote_path(target.path()))
}

/// Returns the refusal for an edit that changes nothing.
pub(crate) fn no_change(target: &Target) -> Refusal {
    Refusal::stating(
        RefusalKind::NoChange,
        term(
            "old_string and new_string are the same. Nothing was written; send the text that was meant.",
            "--old and --new are the same; nothing was written.",
        ),
    )
    .with("file_path", quote_path(target.path()))
}

/// Returns the refusal for an edit that changes nothing and whose text is in the file. The edit is left out where
/// others of the call change something.
pub(crate) fn left_out(target: &Target) -> Refusal {
    let mut refusal = no_change(target);
    refusal.idle = true;
    refusal
}

/// Makes the refusal for a hunk that changes nothing and whose lines are in the file. It is given where the reply changes
/// nothing else.
pub(crate) fn idle(target: &Target) -> Refusal {
    let path = quote_path(target.path());
    let text = message!(
        "The old and the new lines for {} are the same. Nothing was written; send the lines that were meant.",
        &path
    );
    let mut refusal = Refusal::stating(RefusalKind::NoChange, text).with("file_path", path);
    refusal.idle = true;
    refusal
}

/// Returns the refusal for a result of more than `most` bytes.
pub(super) fn too_large(target: &Target, most: usize) -> Refusal {
    let text = message!(
        "The result would be larger than {} MiB. Nothing was written; {}",
        most >> 20,
        term("send a smaller new_string.", "give a smaller --new.")
    );
    Refusal::stating(RefusalKind::TooLarge, text).with("file_path", quote_path(target.path()))
}

/// Returns the refusal where the result would no longer be text.
pub(crate) fn no_longer_text(target: &Target) -> Refusal {
    let path = quote_path(target.path());
    let text = message!(
        "With this change {} would no longer be text. Leave the NUL characters out.",
        &path
    );
    Refusal::stating(RefusalKind::Binary, text).with("file_path", path)
}
