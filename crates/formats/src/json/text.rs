//! The text of JSON strings: decoding, encoding, and the smallest replacement that turns one string into another.

use std::ops::Range;

use crate::shared_ends::shared_ends;

/// One character of a string and the range of the literal that represents it.
struct LiteralUnit {
    character: char,
    literal: Range<usize>,
}

/// Decodes a string literal. Half of a surrogate pair alone becomes U+FFFD.
pub(crate) fn decode_literal(literal: &str) -> String {
    let inner = without_quotes(literal);
    if !inner.contains('\\') {
        return inner.to_owned();
    }
    literal_units(literal).map(|unit| unit.character).collect()
}

/// Encodes a text as a literal: only characters that JSON requires to be escaped are escaped.
pub(crate) fn encode_literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    escape_into(&mut literal, text);
    literal.push('"');
    literal
}

/// Returns the range of a literal that has to be replaced, and its replacement, so that it represents `new`. Characters
/// that both texts begin or end with keep their spelling.
pub(crate) fn literal_difference(literal: &str, new: &str) -> (Range<usize>, String) {
    let old: Vec<LiteralUnit> = literal_units(literal).collect();
    let new: Vec<char> = new.chars().collect();
    let (before, after) = shared_ends(&old, &new, |unit, &character| {
        unit.character == character && character != '\u{FFFD}'
    });
    let at = |index: usize| {
        old.get(index)
            .map_or(literal.len() - 1, |unit| unit.literal.start)
    };
    let range = at(before)..at(old.len() - after);
    let text: String = new[before..new.len() - after].iter().collect();
    let mut escaped = String::with_capacity(text.len());
    escape_into(&mut escaped, &text);
    (range, escaped)
}

fn escape_into(literal: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            '\u{8}' => literal.push_str("\\b"),
            '\u{c}' => literal.push_str("\\f"),
            control if control < ' ' => {
                literal.push_str(&format!("\\u{:04x}", u32::from(control)));
            }
            other => literal.push(other),
        }
    }
}

fn without_quotes(literal: &str) -> &str {
    literal
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(literal)
}

/// Iterates over the characters of a literal in order.
fn literal_units(literal: &str) -> impl Iterator<Item = LiteralUnit> + '_ {
    let text = without_quotes(literal);
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let first = rest.chars().next()?;
        let (character, length) = if first == '\\' {
            parse_escape(rest)
        } else {
            (first, first.len_utf8())
        };
        let literal = at + 1..at + 1 + length;
        at += length;
        Some(LiteralUnit { character, literal })
    })
}

/// Returns the character of the escape that a text begins with, and the length of the escape.
fn parse_escape(text: &str) -> (char, usize) {
    let simple = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return parse_unicode_escape(text),
        Some(other) => char::from(*other),
        None => return ('\\', 1),
    };
    (simple, 2)
}

fn parse_unicode_escape(text: &str) -> (char, usize) {
    let unit = |at: usize| {
        text.get(at..at + 6)
            .and_then(|escape| escape.strip_prefix("\\u"))
            .and_then(|digits| u16::from_str_radix(digits, 16).ok())
    };
    let Some(first) = unit(0) else {
        return ('\u{FFFD}', text.len().min(6));
    };
    let pair = [first, unit(6).unwrap_or_default()];
    match char::decode_utf16(pair).next() {
        Some(Ok(character)) => (character, 6 * character.len_utf16()),
        _ => ('\u{FFFD}', 6),
    }
}
