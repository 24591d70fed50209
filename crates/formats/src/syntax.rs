//! The results of a syntax reader: where a text stopped parsing, and its outline. The reader itself is provided by the
//! host, since its parsers are large.

use std::ops::RangeInclusive;
use std::path::Path;

/// A position in a text, and what is wrong there.
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
    /// Creates an error; line and column count from 1.
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
    /// Its kind, as the language writes it: `fn`, `class`, `impl`.
    pub kind: &'static str,
    /// Its name, without line ends.
    pub name: String,
    /// Its first and last line, from 1.
    pub lines: RangeInclusive<usize>,
    /// The number of symbols that enclose it.
    pub depth: usize,
}

impl Symbol {
    /// Creates a symbol.
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
    /// The symbols in the order of the text, each before those nested in it.
    pub symbols: Vec<Symbol>,
    /// The number of symbols that were left out.
    pub left_out: usize,
}

impl SyntaxOutline {
    /// Creates an outline.
    pub fn new(symbols: Vec<Symbol>, left_out: usize) -> Self {
        Self { symbols, left_out }
    }
}

/// Parses source code. An implementation must withstand every text, and finish within a second. Texts have line feeds
/// as line ends, and no byte order mark.
pub trait SyntaxReader: Send + Sync {
    /// Returns the language of a file by its name, such as `Rust`; none if it is unknown.
    fn language(&self, path: &Path) -> Option<&'static str>;

    /// Returns the size of the largest text that the reader parses, in bytes.
    fn most_bytes(&self) -> usize;

    /// Returns where `after` does not parse, if `before` does. None if neither or both parse, and if it is uncertain.
    fn newly_broken(&self, path: &Path, before: &str, after: &str) -> Option<SyntaxError>;

    /// Returns the outline of a text; none if the language is unknown, or the text is too large or takes too long.
    fn outline(&self, path: &Path, text: &str) -> Option<SyntaxOutline>;
}
