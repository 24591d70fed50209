//! Short refusals of an edit that several files use.

use crate::message::{message, tool_and_shell_term};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::locate::Target;
use crate::wording::quote_path;

/// Returns the refusal for an empty old text where the file has content.
pub(crate) fn not_empty_refusal(target: &Target) -> Refusal {
    let text = message!(
        "{}{}",
        quote_path(target.path()),
        tool_and_shell_term(
            " is there and not empty, and old_string is empty. Read it and send the text to replace, or use Write to replace it whole.",
            " exists and is not empty, and --old is empty. Give the text to replace, or use lancet write to replace the file.",
        )
    );
    Refusal::from_message(RefusalKind::Exists, text)
        .with_field("file_path", quote_path(target.path()))
}

/// Returns the refusal for an edit that changes nothing.
pub(crate) fn no_change_refusal(target: &Target) -> Refusal {
    Refusal::from_message(
        RefusalKind::NoChange,
        tool_and_shell_term(
            "old_string and new_string are the same. Nothing was written; send the text that was meant.",
            "--old and --new are the same; nothing was written.",
        ),
    )
    .with_field("file_path", quote_path(target.path()))
}

/// Returns the refusal for an edit that changes nothing and whose text is in the file. The edit is left out where
/// others of the call change something.
pub(crate) fn left_out_refusal(target: &Target) -> Refusal {
    let mut refusal = no_change_refusal(target);
    refusal.idle = true;
    refusal
}

/// Makes the refusal for a hunk that changes nothing and whose lines are in the file. It is given where the reply changes
/// nothing else.
pub(crate) fn idle_refusal(target: &Target) -> Refusal {
    let path = quote_path(target.path());
    let text = message!(
        "The old and the new lines for {} are the same. Nothing was written; send the lines that were meant.",
        &path
    );
    let mut refusal =
        Refusal::from_message(RefusalKind::NoChange, text).with_field("file_path", path);
    refusal.idle = true;
    refusal
}

/// Returns the refusal for a result of more than `most` bytes.
pub(super) fn too_large_refusal(target: &Target, most: usize) -> Refusal {
    let text = message!(
        "The result would be larger than {} MiB. Nothing was written; {}",
        most >> 20,
        tool_and_shell_term("send a smaller new_string.", "give a smaller --new.")
    );
    Refusal::from_message(RefusalKind::TooLarge, text)
        .with_field("file_path", quote_path(target.path()))
}

/// Returns the refusal where the result would no longer be text.
pub(crate) fn no_longer_text_refusal(target: &Target) -> Refusal {
    let path = quote_path(target.path());
    let text = message!(
        "With this change {} would no longer be text. Leave the NUL characters out.",
        &path
    );
    Refusal::from_message(RefusalKind::Binary, text).with_field("file_path", path)
}
