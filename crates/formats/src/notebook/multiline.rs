//! Text that a notebook may write as a string or as a list of lines.

use std::ops::Range;

use crate::json::{self, JsonType, text::decode_literal};

/// Returns the text of a string, or of a list of strings joined together. Any other value is empty text.
pub(super) fn join_strings(text: &str, value: &Range<usize>) -> String {
    match json::type_at(text, value.start) {
        JsonType::String => decode_literal(&text[value.clone()]),
        JsonType::Array => json::array_items(text, value)
            .into_iter()
            .filter(|item| json::type_at(text, item.start) == JsonType::String)
            .map(|item| decode_literal(&text[item]))
            .collect(),
        _ => String::new(),
    }
}
