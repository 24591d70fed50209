//! The layout of a text: its line ends, the indentation of its lines, and its byte order mark.

/// The byte order mark that editors on Windows put at the beginning.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the length of the byte order mark of a text, in bytes.
pub(crate) fn byte_order_mark_length(text: &str) -> usize {
    match text.starts_with(BYTE_ORDER_MARK) {
        true => BYTE_ORDER_MARK.len_utf8(),
        false => 0,
    }
}

/// Returns the line end of a text: that of its first line.
pub(crate) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns the offset at which the line of an offset begins.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    start.max(byte_order_mark_length(text).min(at))
}

/// Returns the offset at which the line of an offset ends, before its line end.
pub(crate) fn line_content_end(text: &str, at: usize) -> usize {
    let stop = text[at..].find('\n').map_or(text.len(), |end| at + end);
    match text[at..stop].ends_with('\r') {
        true => stop - 1,
        false => stop,
    }
}

/// Returns the offset at which the line after that of an offset begins; the end of the text if there is none.
pub(crate) fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// Returns the blanks at the beginning of the line of an offset.
pub(crate) fn indentation(text: &str, at: usize) -> &str {
    let start = line_start(text, at);
    let rest = &text[start..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    &rest[..blanks]
}

/// Returns whether only blanks precede an offset in its line.
pub(crate) fn is_first_on_line(text: &str, at: usize) -> bool {
    line_start(text, at) + indentation(text, at).len() == at
}

/// Returns the line end that must be added before further lines; empty if the last line has one.
pub(crate) fn missing_line_end(text: &str) -> &'static str {
    let rest = &text[byte_order_mark_length(text)..];
    match rest.is_empty() || rest.ends_with('\n') {
        true => "",
        false => line_end(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_lines_with_lf_and_crlf() {
        let text = "\u{feff}{\r\n  \"a\": 1\r\n}";
        assert_eq!(line_end(text), "\r\n");
        assert_eq!(line_start(text, 4), 3);
        let at = text.find('"').unwrap_or(0);
        assert_eq!(indentation(text, at), "  ");
        assert!(is_first_on_line(text, at));
        assert_eq!(
            &text[line_start(text, at)..line_content_end(text, at)],
            "  \"a\": 1"
        );
        assert_eq!(missing_line_end(text), "\r\n");
        assert_eq!(missing_line_end("a\n"), "");
        assert_eq!(missing_line_end("\u{feff}"), "");
    }
}
