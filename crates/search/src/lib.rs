//! Walking, globbing and grepping through the door of `workspace`, with ripgrep's answers.
//!
//! Three parts that know little of each other: the *walk* ([`Walk`]) finds the files that would be searched and counts
//! what it leaves out and why; the *list* ([`Ranked`]) keeps what was found in an order that pages can be cut from; the
//! *seeker* ([`Seeker`]) looks for a [`Pattern`] in one file. A list that is kept up to date by other means can take the
//! place of the first two. Who may read what is decided by the [`Gate`] that the caller hands in; nothing here knows of
//! sessions, tools or answers.

mod components;
mod excerpt;
mod filter;
mod gate;
mod glob;
#[cfg(test)]
mod laws;
mod list;
mod pattern;
mod reading;
mod rules;
mod seek;
mod sieve;
mod stepwise;
mod survey;
mod tally;
mod walk;
mod window;

pub use components::Named;
pub use excerpt::{Excerpt, Extent, Line, Role};
pub use filter::{Filter, GlobError, UnknownType, type_names};
pub use gate::{Gate, Open, Stop};
pub use glob::escape_brackets;
pub use ignore::gitignore::gitconfig_excludes_path as excludes_path;
pub use list::{Entry, Listing, Order, Ranked};
pub use pattern::{Case, Lines, Pattern, PatternError};
pub use rules::{Excludes, FolderRules};
pub use seek::{Counted, Encodings, Seeker};
pub use survey::{Found, Survey, count_matches, list_files};
pub use tally::{SoFar, Tally};
pub use walk::{Ended, File, Ignoring, Start, Visitor, Walk};
