//! Determines whether a change broke a text, and where. Nothing is reported if it is uncertain: a false alarm costs a
//! model more than a missing one.

use std::path::Path;
use std::time::Instant;

use lancet_formats::syntax::SyntaxError;
use tree_sitter::{Node, Tree};

use crate::brackets::{Brackets, Fault, brackets};
use crate::language::{Language, Trust};
use crate::parse::parse;
use crate::recent::{Parsed, RecentTrees, shared_beginning};

/// The maximum number of characters of the text that an error quotes.
const LONGEST_TOKEN: usize = 20;

/// Returns the first error of a text; none if it parses, is too large, or takes longer than `until`.
pub fn first_error(language: Language, text: &str, until: Instant) -> Option<SyntaxError> {
    let found = match look(language, text, until)? {
        Look::Parses(_) => return None,
        Look::Fails(found) => found,
    };
    match brackets(language, text, 0) {
        Brackets::Broken(fault) => Some(of_fault(text, fault)),
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
        && (is_loose(path) || before.contains("//") || after.contains("//"))
    {
        return None;
    }
    let changed = shared_beginning(before, after);
    let fault = match language.trust() {
        Trust::TreeAndBrackets => Some(new_fault(language, (before, after), changed)?),
        Trust::Tree if recent.parses(path, after, until) => return None,
        Trust::Tree => None,
    };
    let keep = |text, parsed| {
        if language.trust() == Trust::Tree {
            recent.keep(path, text, parsed);
        }
    };
    let found = match look(language, after, until)? {
        Look::Fails(found) => found,
        Look::Parses(parsed) => {
            keep(after, parsed);
            return None;
        }
    };
    let Look::Parses(parsed) = look(language, before, until)? else {
        return None;
    };
    keep(before, parsed);
    let fault = fault.or_else(|| new_fault(language, (before, after), changed));
    Some(match fault {
        Some(fault) => of_fault(after, fault),
        None => found.to_syntax_error(after, changed),
    })
}

/// Returns the bracket or quote of `after` that lacks its partner, if none of `before` does.
fn new_fault(language: Language, (before, after): (&str, &str), changed: usize) -> Option<Fault> {
    let Brackets::Broken(fault) = brackets(language, after, changed) else {
        return None;
    };
    (brackets(language, before, 0) == Brackets::Balanced).then_some(fault)
}

/// Returns whether programs read this JSON file with trailing commas.
fn is_loose(path: &Path) -> bool {
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
enum Look {
    Parses(Parsed),
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
fn look(language: Language, text: &str, until: Instant) -> Option<Look> {
    let mut first = None;
    for grammar in language.grammars() {
        let tree = parse(&grammar, text, until)?;
        if !tree.root_node().has_error() {
            return Some(Look::Parses(Parsed { grammar, tree }));
        }
        first = first.or_else(|| find(&tree));
    }
    first.map(Look::Fails)
}

/// Finds the first error in a tree, in the order of the text. The traversal does not recurse: a tree may be as deep as
/// its text is long.
fn find(tree: &Tree) -> Option<TreeError> {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_missing() || node.is_error() {
            return Some(found(&node));
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

fn found(node: &Node<'_>) -> TreeError {
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
            return at(text, self.start, words);
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
            return at(text, changed, "unexpected end of the line".to_owned());
        }
        let token = text[place..].split_whitespace().next().unwrap_or_default();
        let token: String = token.chars().take(LONGEST_TOKEN).collect();
        let words = match token.is_empty() {
            true => "unexpected end of the file".to_owned(),
            false => format!("unexpected {token:?}"),
        };
        at(text, place, words)
    }
}

fn of_fault(text: &str, fault: Fault) -> SyntaxError {
    at(text, fault.at, fault.kind.describe())
}

/// Creates an error at a byte offset.
fn at(text: &str, place: usize, words: String) -> SyntaxError {
    let before = &text[..place];
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    SyntaxError::new(line, before[start..].chars().count() + 1, words)
}
