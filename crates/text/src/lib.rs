//! Characters, pure: encodings, line ends, finding, splicing, nearest text, diff.

mod closest;
mod diff;
mod document;
mod encoding;
#[cfg(test)]
mod laws;
mod leak;
mod lines;
mod merge;
mod splice;
mod unique;

pub use closest::closest;
pub use diff::{
    CHANGED_MOST, Difference, Hunk, LineStarts, LineTable, difference, hunks_of_changes, outline,
    unified,
};
pub use document::Document;
pub use encoding::{Encoding, NotText, Unencodable, binary_kind, detect};
pub use leak::{Leak, LeakKind, NOTICE, leaked, placeholder};
pub use lines::{Endings, LineEnd, Lines, sent_text};
pub use merge::merge_clean;
pub use splice::{Change, RawChange, apply_changes, apply_raw, encode_new};
pub use unique::unique_extension;
