//! The outline of a text: its symbols, with line ranges. It is bounded in number and depth.

mod names;
mod rules;

use std::time::Instant;

use lancet_formats::syntax::{Symbol, SyntaxOutline};
use tree_sitter::{Node, TreeCursor};

use self::names::symbol_name;
use self::rules::{OutlineRule, outline_rule};
use crate::language::Language;
use crate::parse::parse;

/// The maximum number of symbols in an outline.
const MAX_SYMBOLS: usize = 2_000;
/// The maximum nesting depth of symbols.
const MAX_SYMBOL_DEPTH: usize = 5;
/// How deep the tree is searched, including nodes that are not symbols.
const MAX_NODE_DEPTH: usize = 40;

/// Returns the outline of a text; none if it is too large or takes longer than `until`.
pub fn outline(language: Language, text: &str, until: Instant) -> Option<SyntaxOutline> {
    let mut best = None;
    for grammar in language.grammars() {
        let tree = parse(&grammar, text, until)?;
        let root = tree.root_node();
        let mut found = OutlineBuilder {
            language,
            text,
            symbols: Vec::new(),
            left_out: 0,
        };
        let mut cursor = root.walk();
        found.add_children(&mut cursor, None, 0, 0);
        let has_error = root.has_error();
        let found = SyntaxOutline::new(found.symbols, found.left_out);
        if !has_error {
            return Some(found);
        }
        best = best.or(Some(found));
    }
    best
}

struct OutlineBuilder<'t> {
    language: Language,
    text: &'t str,
    symbols: Vec<Symbol>,
    left_out: usize,
}

impl OutlineBuilder<'_> {
    /// Adds the symbols among the children of the node at a cursor. `around` is a node, such as `export` or a
    /// decorator, whose lines belong to the symbol inside it.
    fn add_children(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        around: Option<Node<'_>>,
        depth: usize,
        deep: usize,
    ) {
        if deep > MAX_NODE_DEPTH || !cursor.goto_first_child() {
            return;
        }
        loop {
            let node = cursor.node();
            if node.is_named() {
                self.add_node(cursor, &node, around, depth, deep);
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
    }

    fn add_node(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        node: &Node<'_>,
        around: Option<Node<'_>>,
        depth: usize,
        deep: usize,
    ) {
        match outline_rule(self.language, node, depth) {
            OutlineRule::Pass => {}
            OutlineRule::Into => self.add_children(cursor, None, depth, deep + 1),
            OutlineRule::Around => {
                self.add_children(cursor, Some(around.unwrap_or(*node)), depth, deep + 1)
            }
            OutlineRule::Symbol(kind) => self.add_symbol(kind, node, around, depth),
            OutlineRule::Holder(kind) => {
                self.add_symbol(kind, node, around, depth);
                if depth < MAX_SYMBOL_DEPTH {
                    self.add_children(cursor, None, depth + 1, deep + 1);
                }
            }
        }
    }

    fn add_symbol(
        &mut self,
        kind: &'static str,
        node: &Node<'_>,
        around: Option<Node<'_>>,
        depth: usize,
    ) {
        let Some(name) = symbol_name(self.language, node, self.text) else {
            return;
        };
        if self.symbols.len() >= MAX_SYMBOLS {
            self.left_out += 1;
            return;
        }
        let first = around.unwrap_or(*node).start_position().row + 1;
        let end = node.end_position();
        // A node that ends at the beginning of a line ends with the line before.
        let last = match end.column {
            0 => end.row.max(first),
            _ => end.row + 1,
        };
        let lines = first..=last.max(first);
        self.symbols.push(Symbol::new(kind, name, lines, depth));
    }
}
