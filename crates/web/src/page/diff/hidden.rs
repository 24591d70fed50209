//! What a diff brings in that people cannot see: written out in its lines, and named above it.

use lancet::doors::escape_for_terminal;
use lancet_rendering::{added_hidden_text, parse_lines, write_out_hidden};

/// The begin of the notice about hidden text that is worded for a model.
const NOTICE_FOR_MODELS: &str = "hidden_text: ";

/// Returns whether a notice of a question says what [`hidden_text_warning`] says to a person.
pub(in crate::page) fn is_hidden_text_notice(notice: &str) -> bool {
    notice.starts_with(NOTICE_FOR_MODELS)
}

/// Returns a warning if the added lines of a file's diff have characters that people cannot see. Each text is a unified
/// diff.
pub(in crate::page) fn hidden_text_warning(texts: &[&str]) -> Option<String> {
    let found = texts
        .iter()
        .flat_map(|text| added_hidden_text(&parse_lines(text)));
    let places: Vec<String> = found
        .map(|found| match found.line {
            Some(line) => format!("line {line}: {}", found.description),
            None => found.description,
        })
        .collect();
    (!places.is_empty()).then(|| {
        format!(
            "This change brings in text that cannot be seen: {}. The diff shows each such character as its number.",
            places.join("; ")
        )
    })
}

/// Returns a line with control characters, characters that change the writing direction, and characters without a shape
/// written out.
pub(super) fn escape_hidden(text: &str) -> String {
    write_out_hidden(&escape_for_terminal(text))
}
