//! The text of a file in the form that language servers have.

/// The byte order mark, which is not part of that text.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Returns the text of a file in the form that servers have; none where it is not UTF-8.
pub(crate) fn server_text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))
}
