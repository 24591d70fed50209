//! Cuts a line that is too long to be shown to the part around its match, at character boundaries.

use std::ops::Range;

/// The most bytes that are returned of a line.
pub(crate) const MAX_LINE_BYTES: usize = 1_000;
/// The number of these bytes that come before the match.
const BYTES_BEFORE_MATCH: usize = 200;

/// Returns the part of a line to keep: around the match, else its start.
pub(crate) fn window_around(line: &[u8], found: Option<&Range<usize>>) -> Range<usize> {
    if line.len() <= MAX_LINE_BYTES {
        return 0..line.len();
    }
    let focus = found.map_or(0, |found| found.start.min(line.len()));
    let start = focus
        .saturating_sub(BYTES_BEFORE_MATCH)
        .min(line.len() - MAX_LINE_BYTES);
    let start = next_char_boundary(line, start);
    let end = previous_char_boundary(line, (start + MAX_LINE_BYTES).min(line.len()));
    start..end.max(start)
}

/// Returns the first character boundary at or after a byte. Bytes that are not UTF-8 have boundaries everywhere.
fn next_char_boundary(line: &[u8], at: usize) -> usize {
    (at..line.len().min(at + 3))
        .find(|at| !is_continuation(line[*at]))
        .unwrap_or(at)
}

/// Returns the last character boundary at or before a byte.
fn previous_char_boundary(line: &[u8], at: usize) -> usize {
    if at == line.len() {
        return at;
    }
    (at.saturating_sub(3)..=at)
        .rev()
        .find(|at| !is_continuation(line[*at]))
        .unwrap_or(at)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_short_line_whole() {
        assert_eq!(window_around(b"short", None), 0..5);
    }

    #[test]
    fn cuts_long_line_around_match_between_characters() {
        let line = format!("{}needle{}", "ä".repeat(5_000), "€".repeat(5_000));
        let at = line.find("needle").expect("it is there");
        let kept = window_around(line.as_bytes(), Some(&(at..at + 6)));
        let text = std::str::from_utf8(&line.as_bytes()[kept.clone()]).expect("whole characters");
        assert!(text.contains("needle"));
        assert!(kept.len() <= MAX_LINE_BYTES && kept.len() > MAX_LINE_BYTES - 8);
    }

    #[test]
    fn cuts_non_text_bytes_anywhere() {
        let kept = window_around(&[0x80; 5_000], Some(&(4_000..4_001)));
        assert!(kept.contains(&4_000) && kept.len() <= MAX_LINE_BYTES);
    }
}
