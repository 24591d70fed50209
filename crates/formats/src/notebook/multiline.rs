//! Text that a notebook may write as a string or as a list of lines.

use std::ops::Range;

use crate::json::{self, Type, text::decode};

/// Returns the text of a string, or of a list of strings joined together. Any other value is empty text.
pub(super) fn joined(text: &str, value: &Range<usize>) -> String {
    match json::type_at(text, value.start) {
        Type::String => decode(&text[value.clone()]),
        Type::Array => json::items(text, value)
            .into_iter()
            .filter(|item| json::type_at(text, item.start) == Type::String)
            .map(|item| decode(&text[item]))
            .collect(),
        _ => String::new(),
    }
}
