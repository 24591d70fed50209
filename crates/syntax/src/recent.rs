//! A cache of trees of texts that parsed, so that a later version of such a text is parsed only where it differs.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use tree_sitter::{InputEdit, Language as Grammar, Point, Tree};

use crate::parse::reparse;

/// The maximum total number of nodes in the cached trees, which is some 18 MB. Python's `argparse.py` (100 kB) has
/// 18,000.
const MAX_NODES: usize = 150_000;

/// The maximum number of cached trees.
const MAX_TREES: usize = 8;

/// The texts that parsed last, with their trees, least recently used first. A tree is never taken as a fact about a
/// file: it is stored with its text, and the parser receives the edit that leads to another text.
#[derive(Debug, Default)]
pub(crate) struct RecentTrees(Mutex<Vec<ParsedText>>);

/// A tree without errors, and the grammar that made it.
#[derive(Clone, Debug)]
pub(crate) struct ParsedTree {
    pub(crate) grammar: Grammar,
    pub(crate) tree: Tree,
}

/// A text that parsed.
#[derive(Debug)]
struct ParsedText {
    path: PathBuf,
    text: String,
    parsed: ParsedTree,
}

impl RecentTrees {
    /// Stores a text that `grammar` accepts, replacing an older one of the same file.
    pub(crate) fn store_text(&self, path: &Path, text: &str, parsed: ParsedTree) {
        self.put_text(ParsedText {
            path: path.to_owned(),
            text: text.to_owned(),
            parsed,
        });
    }

    /// Returns whether `text` is known to parse, based on an earlier text of the file. If this is uncertain, the text
    /// must be parsed whole: the tree of a text with errors may depend on the tree it was derived from.
    pub(crate) fn parses_incrementally(&self, path: &Path, text: &str, until: Instant) -> bool {
        let Some(parsed) = self.take_text(path) else {
            return false;
        };
        let again = parsed.with_text(text, until);
        let parses = again.is_some();
        self.put_text(again.unwrap_or(parsed));
        parses
    }

    fn take_text(&self, path: &Path) -> Option<ParsedText> {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = texts.iter().position(|parsed| parsed.path == path)?;
        Some(texts.remove(at))
    }

    fn put_text(&self, parsed: ParsedText) {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have stored a text of this file meanwhile.
        texts.retain(|other| other.path != parsed.path);
        texts.push(parsed);
        let mut nodes: usize = texts.iter().map(ParsedText::node_count).sum();
        while texts.len() > MAX_TREES || nodes > MAX_NODES {
            nodes -= texts.remove(0).node_count();
        }
    }
}

impl ParsedText {
    fn node_count(&self) -> usize {
        self.parsed.tree.root_node().descendant_count()
    }

    /// Returns another version of the text, if it parses.
    fn with_text(&self, text: &str, until: Instant) -> Option<ParsedText> {
        let grammar = &self.parsed.grammar;
        let mut old = self.parsed.tree.clone();
        old.edit(&single_edit(&self.text, text));
        let tree = reparse(grammar, text, &old, until)?;
        (!tree.root_node().has_error()).then(|| ParsedText {
            path: self.path.clone(),
            text: text.to_owned(),
            parsed: ParsedTree {
                grammar: grammar.clone(),
                tree,
            },
        })
    }
}

/// Returns the single edit that turns `old` into `new`.
fn single_edit(old: &str, new: &str) -> InputEdit {
    let start = shared_beginning(old, new);
    let shared = shared_end(&old[start..], &new[start..]);
    let (old_end, new_end) = (old.len() - shared, new.len() - shared);
    let start_position = advance_point(Point::default(), &old[..start]);
    InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position,
        old_end_position: advance_point(start_position, &old[start..old_end]),
        new_end_position: advance_point(start_position, &new[start..new_end]),
    }
}

/// Returns the position after a piece of text that begins at `from`.
fn advance_point(from: Point, piece: &str) -> Point {
    let newlines = piece.bytes().filter(|byte| *byte == b'\n').count();
    match piece.rfind('\n') {
        Some(last) => Point::new(from.row + newlines, piece.len() - last - 1),
        None => Point::new(from.row, from.column + piece.len()),
    }
}

/// Texts are compared in pieces of this length, which is as fast as memory access.
const COMPARED_PIECE: usize = 256;

/// Returns the length of the common beginning of two texts, in whole characters.
pub(crate) fn shared_beginning(one: &str, other: &str) -> usize {
    let pieces = one
        .as_bytes()
        .chunks(COMPARED_PIECE)
        .zip(other.as_bytes().chunks(COMPARED_PIECE));
    let whole = COMPARED_PIECE * pieces.take_while(|(one, other)| one == other).count();
    let whole = whole.min(one.len()).min(other.len());
    let rest = one.as_bytes()[whole..]
        .iter()
        .zip(&other.as_bytes()[whole..]);
    let shared = whole + rest.take_while(|(one, other)| one == other).count();
    one.floor_char_boundary(shared)
}

/// Returns the length of the common end of two texts, in whole characters.
fn shared_end(one: &str, other: &str) -> usize {
    let pieces = one
        .as_bytes()
        .rchunks(COMPARED_PIECE)
        .zip(other.as_bytes().rchunks(COMPARED_PIECE));
    let whole = COMPARED_PIECE * pieces.take_while(|(one, other)| one == other).count();
    let whole = whole.min(one.len()).min(other.len());
    let rest = one.as_bytes()[..one.len() - whole].iter().rev();
    let rest = rest.zip(other.as_bytes()[..other.len() - whole].iter().rev());
    let shared = whole + rest.take_while(|(one, other)| one == other).count();
    one.len() - one.ceil_char_boundary(one.len() - shared)
}
