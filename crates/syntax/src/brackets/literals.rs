//! The comments, strings and character literals of the languages, whose brackets do not count.

use crate::language::Language;

/// A comment, string or character literal at a place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Literal {
    /// Its end, in bytes.
    Ends(usize),
    /// It does not end; the phrase names it.
    Endless(&'static str),
}

const ENDLESS_STRING: Literal = Literal::Endless("a string");
const ENDLESS_COMMENT: Literal = Literal::Endless("a comment");

/// Returns the literal that begins at a place, if one does.
pub(super) fn literal_at(language: Language, bytes: &[u8], at: usize) -> Option<Literal> {
    let rest = bytes.get(at..)?;
    match (language, rest.first()?) {
        (Language::Python, b'#') => Some(Literal::Ends(line_end(bytes, at))),
        (Language::Python, quote @ (b'"' | b'\'')) => Some(python_string(bytes, at, *quote)),
        (Language::Python, _) => None,
        (_, b'/') if rest.starts_with(b"//") => Some(Literal::Ends(line_end(bytes, at))),
        (_, b'/') if rest.starts_with(b"/*") => Some(block_comment(language, bytes, at)),
        (Language::Rust, _) => rust_literal(bytes, at),
        (Language::Java, b'"') if rest.starts_with(b"\"\"\"") => {
            Some(end_of_quoted(bytes, at + 3, b"\"\"\"", Escapes::Yes))
        }
        (Language::Go, b'`') => Some(end_of_quoted(bytes, at + 1, b"`", Escapes::No)),
        (Language::JavaScript | Language::TypeScript | Language::Tsx, _) => {
            script_literal(bytes, at)
        }
        (Language::Cpp | Language::Header, b'R') if rest.starts_with(b"R\"") => {
            raw_cpp_literal(bytes, at)
        }
        (_, b'"') => {
            Some(end_of_line_quoted(bytes, at, b'"').map_or(ENDLESS_STRING, Literal::Ends))
        }
        (Language::Json, _) => None,
        (_, b'\'') if is_in_number(bytes, at) => None,
        // An apostrophe alone is no sure sign: it may be in the text of a directive.
        (_, b'\'') => end_of_line_quoted(bytes, at, b'\'').map(Literal::Ends),
        _ => None,
    }
}

/// Whether a backslash escapes the next character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    Yes,
    No,
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let end = rest.iter().position(|byte| *byte == b'\n');
    at + end.unwrap_or(rest.len())
}

/// Returns the end of a quoted text that may span several lines.
fn end_of_quoted(bytes: &[u8], mut at: usize, quote: &[u8], escapes: Escapes) -> Literal {
    while at < bytes.len() {
        if bytes[at..].starts_with(quote) {
            return Literal::Ends(at + quote.len());
        }
        at += match escapes == Escapes::Yes && bytes[at] == b'\\' {
            true => 2,
            false => 1,
        };
    }
    ENDLESS_STRING
}

/// Returns the end of a quoted text on one line; a backslash continues the line.
fn end_of_line_quoted(bytes: &[u8], begin: usize, quote: u8) -> Option<usize> {
    let mut at = begin + 1;
    loop {
        match bytes.get(at)? {
            b'\n' => return None,
            b'\\' => at += 2,
            byte if *byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

fn block_comment(language: Language, bytes: &[u8], begin: usize) -> Literal {
    let (mut at, mut depth) = (begin + 2, 1);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"*/") {
            (at, depth) = (at + 2, depth - 1);
            if depth == 0 {
                return Literal::Ends(at);
            }
        } else if language == Language::Rust && bytes[at..].starts_with(b"/*") {
            (at, depth) = (at + 2, depth + 1);
        } else {
            at += 1;
        }
    }
    ENDLESS_COMMENT
}

fn python_string(bytes: &[u8], at: usize, quote: u8) -> Literal {
    let triple = [quote; 3];
    match bytes[at..].starts_with(&triple) {
        true => end_of_quoted(bytes, at + 3, &triple, Escapes::Yes),
        false => end_of_line_quoted(bytes, at, quote).map_or(ENDLESS_STRING, Literal::Ends),
    }
}

/// Parses a string or character literal of Rust; a lifetime is neither.
fn rust_literal(bytes: &[u8], at: usize) -> Option<Literal> {
    let rest = &bytes[at..];
    match rest.first()? {
        b'"' => Some(end_of_quoted(bytes, at + 1, b"\"", Escapes::Yes)),
        b'r' if !is_after_word(bytes, at) || is_raw_prefix(bytes, at) => {
            let marks = rest[1..].iter().take_while(|byte| **byte == b'#').count();
            if rest.get(1 + marks) != Some(&b'"') {
                return None;
            }
            let quote = [b"\"".as_slice(), &vec![b'#'; marks]].concat();
            Some(end_of_quoted(bytes, at + 2 + marks, &quote, Escapes::No))
        }
        b'\'' if rest.get(1) == Some(&b'\\') => {
            end_of_line_quoted(bytes, at, b'\'').map(Literal::Ends)
        }
        b'\'' => {
            let text = std::str::from_utf8(&rest[1..rest.len().min(6)]);
            let text = text.or_else(|error| std::str::from_utf8(&rest[1..1 + error.valid_up_to()]));
            let character = text.ok()?.chars().next()?;
            let end = at + 1 + character.len_utf8();
            (bytes.get(end) == Some(&b'\'')).then_some(Literal::Ends(end + 1))
        }
        _ => None,
    }
}

/// Returns whether the byte before a place belongs to a word.
fn is_after_word(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// Returns whether the `r` at a place ends `br` or `cr`.
fn is_raw_prefix(bytes: &[u8], at: usize) -> bool {
    at > 0 && matches!(bytes[at - 1], b'b' | b'c') && !is_after_word(bytes, at - 1)
}

/// Parses a string, template or regular expression of JavaScript and TypeScript.
fn script_literal(bytes: &[u8], at: usize) -> Option<Literal> {
    match bytes.get(at)? {
        b'`' => Some(template_literal(bytes, at)),
        // In the text between tags, quotes occur unpaired.
        quote @ (b'"' | b'\'') => end_of_line_quoted(bytes, at, *quote).map(Literal::Ends),
        b'/' if may_begin_regex(bytes, at) => end_of_regex(bytes, at).map(Literal::Ends),
        _ => None,
    }
}

/// Returns the end of a template, including the code in it.
fn template_literal(bytes: &[u8], begin: usize) -> Literal {
    let mut at = begin + 1;
    // The number of open braces in each piece of code; templates may be nested.
    let mut code: Vec<usize> = Vec::new();
    while let Some(byte) = bytes.get(at) {
        match (byte, code.last_mut()) {
            (b'\\', _) => at += 1,
            (b'`', None) => return Literal::Ends(at + 1),
            (b'$', None) if bytes.get(at + 1) == Some(&b'{') => {
                code.push(0);
                at += 1;
            }
            (b'{', Some(open)) => *open += 1,
            (b'}', Some(0)) => drop(code.pop()),
            (b'}', Some(open)) => *open -= 1,
            (b'"' | b'\'', Some(_)) => {
                if let Some(end) = end_of_line_quoted(bytes, at, *byte) {
                    at = end - 1;
                }
            }
            (b'`', Some(_)) => match end_of_template(bytes, at, code.len()) {
                Some(end) => at = end - 1,
                None => return ENDLESS_STRING,
            },
            _ => {}
        }
        at += 1;
    }
    ENDLESS_STRING
}

/// Returns the end of a template in the code of another one. Real code does not nest them deeper than a few levels.
fn end_of_template(bytes: &[u8], begin: usize, depth: usize) -> Option<usize> {
    const MAX_TEMPLATE_DEPTH: usize = 8;
    if depth > MAX_TEMPLATE_DEPTH {
        return None;
    }
    let mut at = begin + 1;
    let mut open = 0_usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'`' if open == 0 => return Some(at + 1),
            b'`' => at = end_of_template(bytes, at, depth + 1)? - 1,
            b'$' if bytes.get(at + 1) == Some(&b'{') => {
                open += 1;
                at += 1;
            }
            b'{' if open > 0 => open += 1,
            b'}' if open > 0 => open -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns whether a slash begins a regular expression: it is at a place where a value begins.
fn may_begin_regex(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at]
        .iter()
        .rev()
        .find(|byte| !byte.is_ascii_whitespace());
    match before {
        None => true,
        Some(byte) => {
            b"(,=:[!&|?{};+-*%~^".contains(byte)
                || bytes[..at].trim_ascii_end().ends_with(b"return")
        }
    }
}

fn end_of_regex(bytes: &[u8], begin: usize) -> Option<usize> {
    let (mut at, mut in_class) = (begin + 1, false);
    loop {
        match bytes.get(at)? {
            b'\n' => return None,
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
}

/// Parses a raw string of C++.
fn raw_cpp_literal(bytes: &[u8], at: usize) -> Option<Literal> {
    let rest = &bytes[at + 2..];
    let name = rest.iter().take(17).position(|byte| *byte == b'(')?;
    let quote = [b")".as_slice(), &rest[..name], b"\""].concat();
    Some(end_of_quoted(bytes, at + 2 + name + 1, &quote, Escapes::No))
}

/// Returns whether an apostrophe separates the digits of a number.
fn is_in_number(bytes: &[u8], at: usize) -> bool {
    let word = bytes[..at].iter().rev();
    let word = word.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\''));
    word.last().is_some_and(u8::is_ascii_digit)
}
