//! Counts the matches of a large file in the blocks that can have one, without reading the others. In a file of several
//! megabytes, the signature of a rare word lets one block through.

use std::ops::Range;

use lancet_workspace::FileReader;

use super::super::grams::{BLOCK_BYTES, BLOCK_OVERLAP};
use crate::file_search::{FileOutcome, FileSearcher};
use crate::wide_mark::has_wide_mark;

/// The bytes around a block in which the ends of its lines are searched for; a file with longer lines there is searched
/// whole.
const LINE_END_SEARCH_RANGE: u64 = 4 << 10;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Counts the matches in the lines that reach into the blocks that begin at these offsets, in order. Each match of the
/// pattern must lie within one line. Returns `None` where the file has to be searched whole.
pub(super) fn count_in_matching_blocks(
    searcher: &mut FileSearcher<'_>,
    reader: &FileReader,
    starts: impl Iterator<Item = u64>,
    buffer: &mut Vec<u8>,
) -> Option<FileOutcome> {
    let mut sum = 0;
    // The lines before this offset have been searched.
    let mut done = 0;
    for start in starts {
        // Up to `OVERLAP` bytes at the end of a file have no separate column: that of the last block describes them.
        let end = start + (BLOCK_BYTES + BLOCK_OVERLAP) as u64;
        let from = start.saturating_sub(LINE_END_SEARCH_RANGE).max(done);
        buffer.resize((end + LINE_END_SEARCH_RANGE - from) as usize, 0);
        let read = reader.read_from(buffer, from).ok()?;
        let block = start.max(from) - from..end - from;
        let lines = lines_around(&buffer[..read], block, from == done, read < buffer.len())?;
        let text = &buffer[lines.clone()];
        // Lines in the middle of a file that begin with a byte order mark would be taken for the beginning of the file.
        let is_inner = from + lines.start as u64 > 0;
        let is_marked = text.starts_with(BYTE_ORDER_MARK) || has_wide_mark(text);
        if memchr::memchr(0, text).is_some() || (is_inner && is_marked) {
            return None;
        }
        done = from + lines.end as u64;
        match searcher.count_in_text(text) {
            FileOutcome::Matches { matches, .. } => sum += matches,
            other => return Some(other),
        }
    }
    Some(FileOutcome::Matches {
        matches: sum,
        cut: false,
    })
}

/// Returns the whole lines of a text that reach into a range of it; `None` where one of them begins before the text or
/// ends after it.
fn lines_around(
    text: &[u8],
    range: Range<u64>,
    begins_line: bool,
    ends_file: bool,
) -> Option<Range<usize>> {
    let first = (range.start as usize).min(text.len());
    let last = (range.end as usize).min(text.len());
    let start = match memchr::memrchr(b'\n', &text[..first]) {
        Some(at) => at + 1,
        None if begins_line => 0,
        None => return None,
    };
    let end = match memchr::memchr(b'\n', &text[last.max(start)..]) {
        Some(at) => last.max(start) + at + 1,
        None if ends_file => text.len(),
        None => return None,
    };
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_whole_lines_that_overlap_range() {
        let text = b"one\ntwo\nthree\nfour";
        let lines =
            |range, begins, ends| lines_around(text, range, begins, ends).map(|lines| &text[lines]);
        assert_eq!(lines(5..9, false, false), Some(&b"two\nthree\n"[..]));
        assert_eq!(lines(4..7, false, false), Some(&b"two\n"[..]));
        assert_eq!(lines(0..3, true, false), Some(&b"one\n"[..]));
        assert_eq!(lines(1..3, false, false), None);
        assert_eq!(lines(15..18, false, true), Some(&b"four"[..]));
        assert_eq!(lines(15..18, false, false), None);
        assert_eq!(lines(20..30, false, true), Some(&b"four"[..]));
    }
}
