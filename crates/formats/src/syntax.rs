//! Source code as a reader of syntax gives it: where a text stopped parsing, and its outline. The reader itself is handed
//! in by the host, since its parsers are large.

use std::ops::RangeInclusive;
use std::path::Path;

/// A place in a text, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong, in a few words: `missing "}"`.
    pub words: String,
}

impl SyntaxError {
    /// Makes an error; line and column count from 1.
    pub fn new(line: usize, column: usize, words: String) -> Self {
        Self {
            line,
            column,
            words,
        }
    }
}

/// A function, type or another thing that source code names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol {
    /// What it is, as the language writes it: `fn`, `class`, `impl`.
    pub kind: &'static str,
    /// Its name. It has no line end.
    pub name: String,
    /// Its first and last line, from 1.
    pub lines: RangeInclusive<usize>,
    /// In how many other symbols it stands.
    pub depth: usize,
}

impl Symbol {
    /// Makes a symbol.
    pub fn new(
        kind: &'static str,
        name: String,
        lines: RangeInclusive<usize>,
        depth: usize,
    ) -> Self {
        Self {
            kind,
            name,
            lines,
            depth,
        }
    }
}

/// The symbols of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyntaxOutline {
    /// The symbols in the order of the text, each before those that stand in it.
    pub symbols: Vec<Symbol>,
    /// How many more there are.
    pub left_out: usize,
}

impl SyntaxOutline {
    /// Makes an outline.
    pub fn new(symbols: Vec<Symbol>, left_out: usize) -> Self {
        Self { symbols, left_out }
    }
}

/// Reads source code. An implementation must survive every text, and end within a second. Texts have line feeds as line
/// ends, and no byte order mark.
pub trait SyntaxReader: Send + Sync {
    /// The language of a file by its name, such as `Rust`; none where it is not known.
    fn language(&self, path: &Path) -> Option<&'static str>;

    /// The largest text, in bytes, that the reader looks at.
    fn most_bytes(&self) -> usize;

    /// Where `after` does not parse, if `before` does. None where neither or both parse, and where it is not sure.
    fn newly_broken(&self, path: &Path, before: &str, after: &str) -> Option<SyntaxError>;

    /// The outline of a text. None where the language is not known, and where the text is too large or takes too long.
    fn outline(&self, path: &Path, text: &str) -> Option<SyntaxOutline>;
}
