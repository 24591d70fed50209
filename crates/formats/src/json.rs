//! A JSON scanner that reports the position of each value in the text, so that one value can be replaced and every
//! other character stays. It accepts RFC 8259 and, as Python writes them, `NaN`, `Infinity` and `-Infinity`.
//!
//! [`document`] checks the whole text once; the other functions find the ranges of values in a text that passed, and
//! neither recurse nor fail.

mod check;
pub(crate) mod text;

use std::ops::Range;

pub(crate) use check::check_document;

/// The place where a text stops being JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {expected}")]
#[non_exhaustive]
pub struct MalformedJson {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What was expected there, in a few words.
    pub expected: &'static str,
}

/// The types of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonType {
    Object,
    Array,
    String,
    /// A number, `true`, `false`, `null`, `NaN` or an infinity.
    Scalar,
}

/// A name and its value in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonMember {
    /// The name's string, with its quotes.
    pub(crate) key: Range<usize>,
    pub(crate) value: Range<usize>,
}

/// Returns the type of the value that begins at `at`.
pub(crate) fn type_at(text: &str, at: usize) -> JsonType {
    match text.as_bytes().get(at) {
        Some(b'{') => JsonType::Object,
        Some(b'[') => JsonType::Array,
        Some(b'"') => JsonType::String,
        _ => JsonType::Scalar,
    }
}

/// Returns the members of an object in the order of the text, including duplicate names.
pub(crate) fn object_members(text: &str, object: &Range<usize>) -> Vec<JsonMember> {
    let mut members = Vec::new();
    let mut at = skip_space(text, object.start + 1);
    while at < object.end && text.as_bytes()[at] == b'"' {
        let key = at..end_of_string(text, at);
        let colon = skip_space(text, key.end);
        let start = skip_space(text, colon + 1);
        let value = start..end_of_value(text, start);
        at = skip_separator(text, value.end);
        members.push(JsonMember { key, value });
    }
    members
}

/// Returns the items of an array in order.
pub(crate) fn array_items(text: &str, array: &Range<usize>) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    let mut at = skip_space(text, array.start + 1);
    while at + 1 < array.end {
        let item = at..end_of_value(text, at);
        at = skip_separator(text, item.end);
        items.push(item);
    }
    items
}

/// Returns the value of a name. Of duplicate names the last one counts, as in Python and JavaScript.
pub(crate) fn last_member_named<'m>(
    text: &str,
    members: &'m [JsonMember],
    name: &str,
) -> Option<&'m JsonMember> {
    members
        .iter()
        .rev()
        .find(|member| text::decode_literal(&text[member.key.clone()]) == name)
}

/// Skips white space and one comma from the end of a value to the beginning of the next one.
fn skip_separator(text: &str, at: usize) -> usize {
    let at = skip_space(text, at);
    match text.as_bytes().get(at) {
        Some(b',') => skip_space(text, at + 1),
        _ => at,
    }
}

pub(crate) fn skip_space(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at.min(text.len())..];
    let space = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    at + space.count()
}

fn end_of_string(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = at + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

fn end_of_value(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_string(text, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' if depth == 0 => return at,
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            b',' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
            _ => {
                at += 1;
                continue;
            }
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}
