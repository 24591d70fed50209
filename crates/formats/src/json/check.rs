//! Checks that a text is one JSON value and nothing else. The check is a loop with an explicit stack, so no nesting can
//! exhaust the thread's stack.

use std::ops::Range;

use super::{MalformedJson, skip_space};

/// How deep values may be nested. Notebooks stay below twenty; Python's parser stops at about a thousand.
const MAX_DEPTH: usize = 1_000;

/// The tokens that are allowed next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NextToken {
    Value,
    /// A value, or the end of an array that has just begun.
    ValueOrEnd,
    /// A name, or the end of an object that has just begun.
    NameOrEnd,
    Name,
    CommaOrEnd,
}

/// Returns the range of the only value of a text.
pub(crate) fn check_document(text: &str) -> Result<Range<usize>, MalformedJson> {
    let bytes = text.as_bytes();
    let start = skip_space(text, 0);
    let mut at = start;
    let mut open: Vec<u8> = Vec::new();
    let mut next = NextToken::Value;
    loop {
        at = skip_space(text, at);
        let byte = bytes.get(at).copied();
        let closes = open.last().copied();
        match (next, byte) {
            (NextToken::NameOrEnd, Some(b'}'))
            | (NextToken::ValueOrEnd, Some(b']'))
            | (NextToken::CommaOrEnd, Some(b'}' | b']'))
                if byte == closes =>
            {
                open.pop();
                at += 1;
                next = NextToken::CommaOrEnd;
            }
            (NextToken::CommaOrEnd, Some(b',')) => {
                at += 1;
                next = if closes == Some(b'}') {
                    NextToken::Name
                } else {
                    NextToken::Value
                };
            }
            (NextToken::CommaOrEnd, _) => {
                return Err(malformed(text, at, "a comma or the end expected"));
            }
            (NextToken::NameOrEnd | NextToken::Name, Some(b'"')) => {
                at = skip_space(text, check_string(text, at)?);
                if bytes.get(at) != Some(&b':') {
                    return Err(malformed(text, at, "a colon expected"));
                }
                at += 1;
                next = NextToken::Value;
            }
            (NextToken::NameOrEnd | NextToken::Name, _) => {
                return Err(malformed(text, at, "a name in quotes expected"));
            }
            (NextToken::Value | NextToken::ValueOrEnd, Some(b'{' | b'[')) => {
                if open.len() == MAX_DEPTH {
                    return Err(malformed(text, at, "values are nested too deep"));
                }
                let object = byte == Some(b'{');
                open.push(if object { b'}' } else { b']' });
                at += 1;
                next = if object {
                    NextToken::NameOrEnd
                } else {
                    NextToken::ValueOrEnd
                };
            }
            (NextToken::Value | NextToken::ValueOrEnd, _) => {
                at = if byte == Some(b'"') {
                    check_string(text, at)?
                } else {
                    check_scalar(text, at)?
                };
                next = NextToken::CommaOrEnd;
            }
        }
        if open.is_empty() && next == NextToken::CommaOrEnd {
            break;
        }
    }
    let end = skip_space(text, at);
    if end < text.len() {
        return Err(malformed(text, end, "the end of the file expected"));
    }
    Ok(start..at)
}

/// Returns the end of the string that begins at `at`.
fn check_string(text: &str, at: usize) -> Result<usize, MalformedJson> {
    let bytes = text.as_bytes();
    let mut at = at + 1;
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u')
                    if bytes
                        .get(at + 2..at + 6)
                        .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) =>
                {
                    at += 6;
                }
                _ => return Err(malformed(text, at, "an escape that JSON has expected")),
            },
            Some(0..0x20) => {
                return Err(malformed(
                    text,
                    at,
                    "no control character expected in a string",
                ));
            }
            Some(_) => at += 1,
            None => return Err(malformed(text, at, "the end of a string expected")),
        }
    }
}

/// Returns the end of the number or word that begins at `at`.
fn check_scalar(text: &str, at: usize) -> Result<usize, MalformedJson> {
    let rest = &text[at..];
    const SCALAR_WORDS: [&str; 6] = ["true", "false", "null", "NaN", "Infinity", "-Infinity"];
    let end = rest
        .find(|character: char| !(character.is_ascii_alphanumeric() || "+-.".contains(character)))
        .unwrap_or(rest.len());
    let token = &rest[..end];
    if SCALAR_WORDS.contains(&token) || is_number(token) {
        Ok(at + end)
    } else {
        Err(malformed(text, at, "a value expected"))
    }
}

/// Returns whether a token is a number as RFC 8259 writes it.
fn is_number(token: &str) -> bool {
    let token = token.strip_prefix('-').unwrap_or(token);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(token);
    if whole == 0 || (whole > 1 && token.starts_with('0')) {
        return false;
    }
    let mut rest = &token[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let count = digits(exponent);
        return count > 0 && count == exponent.len();
    }
    rest.is_empty()
}

fn malformed(text: &str, at: usize, expected: &'static str) -> MalformedJson {
    // A place inside of a character is impossible: the scanner stops at ASCII bytes or at the beginning of a token.
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    MalformedJson {
        line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        expected,
    }
}
