//! Turns changes of a view into replacements of the file's bytes: which bytes are replaced, how new text is encoded,
//! and which line ends it gets. All other bytes are copied by the writer.

mod endings;
mod whole;

pub use whole::encode_new;

use crate::document::Document;
use crate::encoding::{Encoding, NotText, Unencodable, detect_encoding};
use std::borrow::Cow;
use std::ops::Range;

/// A range of a view and the text that replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The range in the view; empty for an insertion.
    pub range: Range<usize>,
    /// The new text, with LF line ends.
    pub text: String,
}

/// A range of a file's bytes and the bytes that replace it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawChange {
    /// The range in the file; empty for an insertion.
    pub range: Range<u64>,
    /// The new bytes.
    pub bytes: Vec<u8>,
}

impl Document<'_> {
    /// Returns the replacements of bytes that make these changes of the view, which are sorted and do not overlap.
    ///
    /// Each newline of the new text takes the line end of the line that it replaces, in order; further newlines take
    /// that of the last one. Where the change replaces no newline, they take that of the line where the change begins
    /// or, for an insertion at a line start, of the line before. If that line has no line end, the line before decides,
    /// and LF if there is none.
    pub fn raw_changes(&self, changes: &[Change]) -> Result<Vec<RawChange>, Unencodable> {
        debug_assert!(changes.is_sorted_by(|a, b| a.range.end <= b.range.start));
        let mut at = self.start();
        let mut replacements = Vec::with_capacity(changes.len());
        for change in changes {
            let start = self.last_position_up_to(at, change.range.start);
            let end = self.first_position_from(start, change.range.end);
            let text = self.with_line_ends(change, start);
            // Where the change begins or ends inside a sequence that decodes to two characters, the other character is
            // encoded again.
            let before = &self.view()[start.view..change.range.start];
            let after = &self.view()[change.range.end..end.view];
            let text = match (before, after) {
                ("", "") => text,
                _ => Cow::Owned([before, &text, after].concat()),
            };
            let mut bytes = self.encoding().encode(&text)?;
            if self.raw().is_empty() && replacements.is_empty() {
                bytes.splice(0..0, self.encoding().mark_bytes().iter().copied());
            }
            let range = start.raw as u64..end.raw as u64;
            replacements.push(RawChange { range, bytes });
            at = start;
        }
        Ok(replacements)
    }

    /// Returns the encoding in which the file would be read after these replacements, which make it `new_raw`; `None`
    /// where it stays the same. The error means that the file would no longer be text.
    pub fn encoding_after_changes(
        &self,
        changes: &[RawChange],
        new_raw: &[u8],
        configured: Option<Encoding>,
    ) -> Result<Option<Encoding>, NotText> {
        // UTF-8 stays UTF-8 under these conditions, and checking the new bytes is enough.
        let plain = self.encoding().is_utf8()
            && self.damaged_ranges().is_empty()
            && configured.is_none_or(Encoding::is_utf8)
            && new_raw.starts_with(Encoding::UTF8_BOM.mark_bytes()) == self.encoding().has_mark()
            && changes
                .iter()
                .all(|change| memchr::memchr(0, &change.bytes).is_none());
        if plain && !new_raw.is_empty() {
            return Ok(None);
        }
        let encoding = detect_encoding(new_raw, configured)?;
        Ok((encoding != self.encoding()).then_some(encoding))
    }
}

/// Returns the bytes of a file with some ranges replaced. The changes are sorted and do not overlap.
pub fn apply_raw(raw: &[u8], changes: &[RawChange]) -> Vec<u8> {
    let added: usize = changes.iter().map(|change| change.bytes.len()).sum();
    let mut result = Vec::with_capacity(raw.len() + added);
    let mut from = 0;
    for change in changes {
        let start = usize::try_from(change.range.start).unwrap_or(raw.len());
        let end = usize::try_from(change.range.end).unwrap_or(raw.len());
        result.extend_from_slice(&raw[from..start]);
        result.extend_from_slice(&change.bytes);
        from = end;
    }
    result.extend_from_slice(&raw[from..]);
    result
}

/// Returns a view with some ranges replaced. The changes are sorted and do not overlap.
pub fn apply_changes(view: &str, changes: &[Change]) -> String {
    let added: usize = changes.iter().map(|change| change.text.len()).sum();
    let mut result = String::with_capacity(view.len() + added);
    let mut from = 0;
    for change in changes {
        result.push_str(&view[from..change.range.start]);
        result.push_str(&change.text);
        from = change.range.end;
    }
    result.push_str(&view[from..]);
    result
}

#[cfg(test)]
mod tests;
