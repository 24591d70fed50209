//! Determines whether the new text of a file can be edited on the page.

use lancet::approval::FileQuestion;
use lancet::questions::RecordedQuestion;

/// Returns the reason why the text of a file cannot be edited here; none if it can.
pub(super) fn reason_not_editable(
    question: &RecordedQuestion,
    file: &FileQuestion,
) -> Option<&'static str> {
    let text = file.text.as_deref();
    match text {
        _ if question.question.is_whole => Some("This change is written as a whole or not at all."),
        None => Some("Its text cannot be edited: it is no text, too long, or may not be shown."),
        // A browser changes these characters in a field.
        Some(text) if text.contains(['\r', '\0']) => Some(
            "Its text has characters that a browser would change. `lancet pending approve --edit` can edit it.",
        ),
        Some(_) => None,
    }
}
