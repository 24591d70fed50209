//! The text of a file as language servers have it.

/// The byte order mark, which is no part of that text.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The text of a file as servers have it; none where it is not UTF-8.
pub(crate) fn server_text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))
}
