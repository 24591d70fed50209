//! Determines whether a change broke a text, and where. Nothing is reported if it is uncertain: a false alarm costs a
//! model more than a missing one.

use std::path::Path;
use std::time::Instant;

use lancet_formats::syntax::SyntaxError;
use tree_sitter::{Node, Tree};

use crate::brackets::{BracketCheck, BracketFault, check_brackets};
use crate::language::{ErrorTrust, Language};
use crate::parse::parse;
use crate::recent::{ParsedTree, RecentTrees, shared_beginning};

/// The maximum number of characters of the text that an error quotes.
const MAX_TOKEN_LENGTH: usize = 20;

/// Returns the first error of a text; none if it parses, is too large, or takes longer than `until`.
pub fn first_error(language: Language, text: &str, until: Instant) -> Option<SyntaxError> {
    let found = match parse_with_grammars(language, text, until)? {
        ParseOutcome::Parses(_) => return None,
        ParseOutcome::Fails(found) => found,
    };
    match check_brackets(language, text, 0) {
        BracketCheck::Broken(fault) => Some(fault_error(text, fault)),
        _ => Some(found.to_syntax_error(text, 0)),
    }
}

/// Returns where `after` does not parse, if `before` does. Most changes break nothing, so the faster check comes first:
/// the brackets if tree and brackets must agree, else the tree of an earlier version.
pub(crate) fn newly_broken(
    path: &Path,
    (before, after): (&str, &str),
    recent: &RecentTrees,
    until: Instant,
) -> Option<SyntaxError> {
    let language = Language::from_path(path)?;
    if language == Language::Json
        && (allows_trailing_commas(path) || before.contains("//") || after.contains("//"))
    {
        return None;
    }
    let changed = shared_beginning(before, after);
    let fault = match language.error_trust() {
        ErrorTrust::TreeAndBrackets => Some(new_fault(language, (before, after), changed)?),
        ErrorTrust::Tree if recent.parses_incrementally(path, after, until) => return None,
        ErrorTrust::Tree => None,
    };
    let keep = |text, parsed| {
        if language.error_trust() == ErrorTrust::Tree {
            recent.store_text(path, text, parsed);
        }
    };
    let found = match parse_with_grammars(language, after, until)? {
        ParseOutcome::Fails(found) => found,
        ParseOutcome::Parses(parsed) => {
            keep(after, parsed);
            return None;
        }
    };
    let ParseOutcome::Parses(parsed) = parse_with_grammars(language, before, until)? else {
        return None;
    };
    keep(before, parsed);
    let fault = fault.or_else(|| new_fault(language, (before, after), changed));
    Some(match fault {
        Some(fault) => fault_error(after, fault),
        None => found.to_syntax_error(after, changed),
    })
}

/// Returns the bracket or quote of `after` that lacks its partner, if none of `before` does.
fn new_fault(
    language: Language,
    (before, after): (&str, &str),
    changed: usize,
) -> Option<BracketFault> {
    let BracketCheck::Broken(fault) = check_brackets(language, after, changed) else {
        return None;
    };
    (check_brackets(language, before, 0) == BracketCheck::Balanced).then_some(fault)
}

/// Returns whether programs read this JSON file with trailing commas.
fn allows_trailing_commas(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let folder = path
        .parent()
        .and_then(Path::file_name)
        .and_then(|name| name.to_str());
    name.starts_with("tsconfig")
        || name.starts_with("jsconfig")
        || name.starts_with('.')
        || matches!(folder, Some(".vscode" | ".devcontainer" | ".zed"))
}

/// The result of parsing a text with the grammars.
enum ParseOutcome {
    Parses(ParsedTree),
    Fails(TreeError),
}

/// An error in a tree.
struct TreeError {
    start: usize,
    end: usize,
    /// The missing token; none if there is an unexpected one.
    missing: Option<String>,
}

/// Parses a text with the grammars of a language. Returns none if the time is over.
fn parse_with_grammars(language: Language, text: &str, until: Instant) -> Option<ParseOutcome> {
    let mut first = None;
    for grammar in language.grammars() {
        let tree = parse(&grammar, text, until)?;
        if !tree.root_node().has_error() {
            return Some(ParseOutcome::Parses(ParsedTree { grammar, tree }));
        }
        first = first.or_else(|| first_tree_error(&tree));
    }
    first.map(ParseOutcome::Fails)
}

/// Finds the first error in a tree, in the order of the text. The traversal does not recurse: a tree may be as deep as
/// its text is long.
fn first_tree_error(tree: &Tree) -> Option<TreeError> {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_missing() || node.is_error() {
            return Some(error_of_node(&node));
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}

fn error_of_node(node: &Node<'_>) -> TreeError {
    TreeError {
        start: node.start_byte(),
        end: node.end_byte(),
        missing: node.is_missing().then(|| node.kind().to_owned()),
    }
}

impl TreeError {
    /// Returns the error with its place. A tree's error begins where the parser gave up a construct, which may be far
    /// before the change; the text up to the change did parse, so the place is after it.
    fn to_syntax_error(&self, text: &str, changed: usize) -> SyntaxError {
        if let Some(token) = &self.missing {
            let words = match token.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
                true => format!("missing {}", token.replace('_', " ")),
                false => format!("missing \"{token}\""),
            };
            return error_at(text, self.start, words);
        }
        let place = match (self.start..=self.end).contains(&changed) {
            true => changed,
            false => self.start,
        };
        let rest = &text[place..];
        let place = place + (rest.len() - rest.trim_start().len());
        // The beginning of the next line is wrong because something is missing at the end of the changed one.
        let between = text.get(changed..place).unwrap_or_default();
        if between.starts_with('\n') && between.trim().is_empty() {
            return error_at(text, changed, "unexpected end of the line".to_owned());
        }
        let token = text[place..].split_whitespace().next().unwrap_or_default();
        let token: String = token.chars().take(MAX_TOKEN_LENGTH).collect();
        let words = match token.is_empty() {
            true => "unexpected end of the file".to_owned(),
            false => format!("unexpected {token:?}"),
        };
        error_at(text, place, words)
    }
}

fn fault_error(text: &str, fault: BracketFault) -> SyntaxError {
    error_at(text, fault.at, fault.kind.describe())
}

/// Creates an error at a byte offset.
fn error_at(text: &str, place: usize, words: String) -> SyntaxError {
    let before = &text[..place];
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    SyntaxError::new(line, before[start..].chars().count() + 1, words)
}
