//! Parses a text within limits of size and time.

use std::ops::ControlFlow;
use std::time::Instant;

use tree_sitter::{Language, ParseOptions, Parser, Tree};

/// The largest text that is parsed.
pub const MAX_BYTES: usize = 1 << 20;

/// Parses a text; returns none if it is too large or the time is over.
pub(crate) fn parse(grammar: &Language, text: &str, until: Instant) -> Option<Tree> {
    parse_from(grammar, text, None, until)
}

/// Parses a text incrementally, from the tree of an earlier text to which the edit has been applied.
pub(crate) fn reparse(grammar: &Language, text: &str, old: &Tree, until: Instant) -> Option<Tree> {
    parse_from(grammar, text, Some(old), until)
}

fn parse_from(grammar: &Language, text: &str, old: Option<&Tree>, until: Instant) -> Option<Tree> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(grammar).ok()?;
    let bytes = text.as_bytes();
    let mut watch = |_: &tree_sitter::ParseState| match Instant::now() < until {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, old, Some(options))
}
