//! A cache of trees of texts that parsed, so that a later version of such a text is parsed only where it differs.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use tree_sitter::{InputEdit, Language as Grammar, Point, Tree};

use crate::parse::parse_again;

/// The maximum total number of nodes in the cached trees, which is some 18 MB. Python's `argparse.py` (100 kB) has
/// 18,000.
const MOST_NODES: usize = 150_000;

/// The maximum number of cached trees.
const MOST_TREES: usize = 8;

/// The texts that parsed last, with their trees, least recently used first. A tree is never taken as a fact about a
/// file: it is stored with its text, and the parser receives the edit that leads to another text.
#[derive(Debug, Default)]
pub(crate) struct RecentTrees(Mutex<Vec<ParsedText>>);

/// A tree without errors, and the grammar that made it.
#[derive(Clone, Debug)]
pub(crate) struct Parsed {
    pub(crate) grammar: Grammar,
    pub(crate) tree: Tree,
}

/// A text that parsed.
#[derive(Debug)]
struct ParsedText {
    path: PathBuf,
    text: String,
    parsed: Parsed,
}

impl RecentTrees {
    /// Stores a text that `grammar` accepts, replacing an older one of the same file.
    pub(crate) fn keep(&self, path: &Path, text: &str, parsed: Parsed) {
        self.put(ParsedText {
            path: path.to_owned(),
            text: text.to_owned(),
            parsed,
        });
    }

    /// Returns whether `text` is known to parse, based on an earlier text of the file. If this is uncertain, the text
    /// must be parsed whole: the tree of a text with errors may depend on the tree it was derived from.
    pub(crate) fn parses(&self, path: &Path, text: &str, until: Instant) -> bool {
        let Some(parsed) = self.take(path) else {
            return false;
        };
        let again = parsed.with_text(text, until);
        let parses = again.is_some();
        self.put(again.unwrap_or(parsed));
        parses
    }

    fn take(&self, path: &Path) -> Option<ParsedText> {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = texts.iter().position(|parsed| parsed.path == path)?;
        Some(texts.remove(at))
    }

    fn put(&self, parsed: ParsedText) {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have stored a text of this file meanwhile.
        texts.retain(|other| other.path != parsed.path);
        texts.push(parsed);
        let mut nodes: usize = texts.iter().map(ParsedText::nodes).sum();
        while texts.len() > MOST_TREES || nodes > MOST_NODES {
            nodes -= texts.remove(0).nodes();
        }
    }
}

impl ParsedText {
    fn nodes(&self) -> usize {
        self.parsed.tree.root_node().descendant_count()
    }

    /// Returns another version of the text, if it parses.
    fn with_text(&self, text: &str, until: Instant) -> Option<ParsedText> {
        let grammar = &self.parsed.grammar;
        let mut old = self.parsed.tree.clone();
        old.edit(&difference(&self.text, text));
        let tree = parse_again(grammar, text, &old, until)?;
        (!tree.root_node().has_error()).then(|| ParsedText {
            path: self.path.clone(),
            text: text.to_owned(),
            parsed: Parsed {
                grammar: grammar.clone(),
                tree,
            },
        })
    }
}

/// Returns the single edit that turns `old` into `new`.
fn difference(old: &str, new: &str) -> InputEdit {
    let start = shared_beginning(old, new);
    let shared = shared_end(&old[start..], &new[start..]);
    let (old_end, new_end) = (old.len() - shared, new.len() - shared);
    let start_position = advance(Point::default(), &old[..start]);
    InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position,
        old_end_position: advance(start_position, &old[start..old_end]),
        new_end_position: advance(start_position, &new[start..new_end]),
    }
}

/// Returns the position after a piece of text that begins at `from`.
fn advance(from: Point, piece: &str) -> Point {
    let newlines = piece.bytes().filter(|byte| *byte == b'\n').count();
    match piece.rfind('\n') {
        Some(last) => Point::new(from.row + newlines, piece.len() - last - 1),
        None => Point::new(from.row, from.column + piece.len()),
    }
}

/// Texts are compared in pieces of this length, which is as fast as memory access.
const PIECE: usize = 256;

/// Returns the length of the common beginning of two texts, in whole characters.
pub(crate) fn shared_beginning(one: &str, other: &str) -> usize {
    let pieces = one
        .as_bytes()
        .chunks(PIECE)
        .zip(other.as_bytes().chunks(PIECE));
    let whole = PIECE * pieces.take_while(|(one, other)| one == other).count();
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
        .rchunks(PIECE)
        .zip(other.as_bytes().rchunks(PIECE));
    let whole = PIECE * pieces.take_while(|(one, other)| one == other).count();
    let whole = whole.min(one.len()).min(other.len());
    let rest = one.as_bytes()[..one.len() - whole].iter().rev();
    let rest = rest.zip(other.as_bytes()[..other.len() - whole].iter().rev());
    let shared = whole + rest.take_while(|(one, other)| one == other).count();
    one.len() - one.ceil_char_boundary(one.len() - shared)
}
