//! The text of a line in parts: the syntax class of each part, which parts changed, and the rest of a long line.

use std::ops::Range;

use lancet_rendering::{DiffLine, Span, Token};

use super::hidden::escape_hidden;

/// The number of bytes of a line that are shown at once; the rest can be opened.
const MAX_SHOWN_BYTES: usize = 600;
/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::page) struct TextPart {
    /// The class of its syntax; empty for plain text.
    pub(in crate::page) class: &'static str,
    pub(in crate::page) is_changed: bool,
    pub(in crate::page) text: String,
}

/// The text of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::page) struct LineText {
    pub(in crate::page) parts: Vec<TextPart>,
    /// The rest of a long line.
    pub(in crate::page) rest: Vec<TextPart>,
    /// The number of characters of the rest.
    pub(in crate::page) more: usize,
}

impl LineText {
    /// Assembles a line.
    pub(super) fn new(text: &str, changed: &[Range<usize>], spans: &[Span]) -> Self {
        let cut = match text.len() > MAX_SHOWN_BYTES {
            true => floor_char_boundary(text, MAX_SHOWN_BYTES),
            false => text.len(),
        };
        Self {
            parts: split_into_parts(text, 0..cut, changed, spans),
            rest: split_into_parts(text, cut..text.len(), changed, spans),
            more: text[cut..].chars().count(),
        }
    }
}

/// Returns the nearest character boundary at or before this position.
fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut places = (0..=at.min(text.len())).rev();
    places
        .find(|place| text.is_char_boundary(*place))
        .unwrap_or(0)
}

/// Splits a range of a line wherever its class changes or a changed part begins or ends.
fn split_into_parts(
    text: &str,
    range: Range<usize>,
    changed: &[Range<usize>],
    spans: &[Span],
) -> Vec<TextPart> {
    let mut parts: Vec<TextPart> = Vec::new();
    let (mut at, mut changes, mut tokens) = (
        range.start,
        changed.iter().peekable(),
        spans.iter().peekable(),
    );
    while at < range.end {
        while changes.next_if(|change| change.end <= at).is_some() {}
        while tokens.next_if(|(span, _)| span.end <= at).is_some() {}
        let (is_changed, change_ends) = range_membership(changes.peek().copied(), at);
        let (is_token, token_ends) = range_membership(tokens.peek().map(|(span, _)| span), at);
        let end = range.end.min(change_ends).min(token_ends);
        let token = tokens.peek().filter(|_| is_token);
        // A range that is not on character boundaries is not part of the text; the text is shown unchanged to its
        // end.
        let (piece, end) = match text.get(at..end) {
            Some(piece) if !piece.is_empty() => (piece, end),
            _ => (text.get(at..range.end).unwrap_or_default(), range.end),
        };
        parts.push(TextPart {
            class: token.map_or("", |(_, token)| css_class(*token)),
            is_changed,
            text: piece.to_owned(),
        });
        at = end;
    }
    parts
}

/// Returns whether a position is within a range that ends after it, and the next position at which that changes.
fn range_membership(range: Option<&Range<usize>>, at: usize) -> (bool, usize) {
    match range {
        Some(range) if range.start <= at => (true, range.end),
        Some(range) => (false, range.start),
        None => (false, usize::MAX),
    }
}

fn css_class(token: Token) -> &'static str {
    match token {
        Token::Comment => "s-comment",
        Token::Quoted => "s-string",
        Token::Number => "s-number",
        Token::Constant => "s-constant",
        Token::Keyword | Token::Itself => "s-keyword",
        Token::Function => "s-function",
        Token::Type => "s-type",
        Token::Strong => "s-strong",
    }
}

/// Returns the text of a diff's line, with deceptive characters made visible.
pub(super) fn visible_text(line: &DiffLine<'_>) -> String {
    escape_hidden(line.text())
}
