//! Code for showing code to a person that the terminal and the web page share: the lines of a diff with their numbers,
//! the words in which two lines differ, and syntax highlighting. Nothing here knows escape sequences or HTML, and
//! nothing accesses the disk.

mod diff;
mod syntax;
mod words;

pub use diff::{DiffLine, Role, parse_lines, unified, without_common_returns};
pub use syntax::{Span, SyntaxClassifier, SyntaxState, Token};
pub use words::{ChangedWords, changed_words};
