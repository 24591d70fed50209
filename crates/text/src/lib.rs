//! Characters, pure: encodings, line ends, finding, splicing, nearest text, diff.

mod document;
mod encoding;
#[cfg(test)]
mod laws;
mod lines;
mod splice;

pub use document::Document;
pub use encoding::{Encoding, NotText, Unencodable, binary_kind, detect};
pub use lines::{Endings, LineEnd, Lines, sent_text};
pub use splice::{Change, RawChange, apply_changes, apply_raw, encode_new};
