//! The text formats in which language models write edits, parsed into one list of [`ResponsePart`]s: SEARCH/REPLACE
//! blocks, `apply_patch` (V4A), unified diffs and whole files in fences.
//!
//! The crate is pure: it neither reads nor writes files. The caller that applies the parts finds where their old lines
//! are in a file and decides whether the file may be written.
//!
//! ```
//! use lancet_dialects::{PartAction, Dialect, ParseOptions, parse};
//!
//! let response = "\
//! I change the greeting.
//!
//! src/greet.py
//! <<<<<<< SEARCH
//! print('hi')
//! =======
//! print('hello')
//! >>>>>>> REPLACE
//! ";
//! let parts = parse(response, &ParseOptions::default())?;
//! assert_eq!(parts[0].path, "src/greet.py");
//! assert_eq!(parts[0].dialect, Dialect::SearchReplace);
//! let PartAction::Edit(hunk) = &parts[0].action else { unreachable!() };
//! assert_eq!(hunk.old_lines().collect::<Vec<_>>(), ["print('hi')"]);
//! # Ok::<(), lancet_dialects::ParseError>(())
//! ```
//!
//! Rules for every format:
//! - A response is parsed whole or not at all. Text that is recognisably an edit and cannot be parsed is an error with
//!   its line, never prose.
//! - A response that ends in the middle of an edit is reported as cut off.
//! - Text between `<think>` or `<thinking>` tags is not part of the answer.

mod cursor;
mod error;
mod fence;
mod line_end;
mod line_start;
mod lines;
mod part;
mod path_line;
mod plain_fence;
mod prompt;
mod reader;
mod search_replace;
mod stream;
mod unified;
mod v4a;
mod whole;

pub use cursor::ParseOptions;
pub use error::{ParseError, ParseErrorKind};
pub use part::{Dialect, HunkLine, LineRole, PartAction, PatchHunk, ResponsePart, UnknownDialect};
pub use reader::parse;
pub use stream::ResponseStream;
