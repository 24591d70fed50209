//! The mark at the beginning of a text in UTF-16.

/// Returns whether the text begins with a byte order mark of UTF-16.
pub(crate) fn has_wide_mark(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF])
}
