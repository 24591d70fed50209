//! What the terminal and the page share of showing code to a person: the lines of a diff with their numbers, the words in
//! which two lines differ, and what the words of a language are. Nothing here knows escape sequences or HTML, and nothing
//! touches the disk.

mod diff;
mod syntax;
mod words;

pub use diff::{DiffLine, Role, lines, unified, without_common_returns};
pub use syntax::{Span, Syntax, SyntaxState, Token};
pub use words::{ChangedWords, changed_words};
