//! Code for showing code to a person that the terminal and the web page share: the lines of a diff with their numbers,
//! the words in which two lines differ, syntax highlighting, and text that
//! cannot be seen. Nothing here knows escape sequences or HTML, and nothing accesses the disk.

mod diff;
mod hidden;
mod syntax;
mod words;

pub use diff::{DiffLine, Role, parse_lines, unified, without_common_returns};
pub use hidden::{HiddenText, added_hidden_text, write_out_hidden};
pub use syntax::{Span, SyntaxClassifier, SyntaxState, Token};
pub use words::{ChangedWords, changed_words};
