//! The lines of a response. The start of one line in [`STORED_LINE_STRIDE`] is stored and the others are found from
//! there, so that a response of 50 million empty lines takes 6 MB in addition to its text, where a position for each
//! line would take 200.

use std::cell::Cell;

use crate::line_end::{end_of_line, start_of_line};
use crate::line_start::is_blank;
use crate::plain_fence::skip_plain_fences;

/// The start of one in this many lines is stored.
const STORED_LINE_STRIDE: usize = 32;

/// The number of cached lines.
const CACHED_LINES: usize = 4;

/// The longest response, in bytes.
pub(crate) const MAX_RESPONSE_LENGTH: usize = u32::MAX as usize;

/// The stored line starts of a text, and its number of lines.
#[derive(Debug, Default)]
pub(crate) struct LineMarks {
    /// The start of every [`STORED_LINE_STRIDE`]th line, from the first on.
    marks: Vec<u32>,
    count: usize,
}

impl LineMarks {
    /// Adds the lines that start in a text from a position on. A line that has not ended counts, and one that would
    /// start at the end of the text does not.
    pub(crate) fn add_lines(&mut self, text: &str, from: usize) {
        if from >= text.len() {
            return;
        }
        if from == 0 || text.as_bytes()[from - 1] == b'\n' {
            self.push(from);
        }
        // Byte by byte: searching from each newline to the next takes longer if lines are short.
        for (at, byte) in text.as_bytes()[from..text.len() - 1].iter().enumerate() {
            if *byte == b'\n' {
                self.push(from + at + 1);
            }
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    fn push(&mut self, start: usize) {
        if self.count.is_multiple_of(STORED_LINE_STRIDE) {
            self.marks.push(start as u32);
        }
        self.count += 1;
    }
}

/// The lines of a text. A line ends at LF; a CR before it is not part of the line.
pub(crate) struct ResponseLines<'t> {
    text: &'t str,
    marks: &'t [u32],
    count: usize,
    /// The lines that were looked up last, each at its number modulo [`CACHED_LINES`]: the next lookup is mostly for
    /// one of them or for the line after it.
    recent: [Cell<LineSpan>; CACHED_LINES],
}

/// The number of a line and its bytes without the LF.
#[derive(Clone, Copy)]
struct LineSpan {
    line: usize,
    start: usize,
    end: usize,
}

impl<'t> ResponseLines<'t> {
    /// Creates a view of the first `count` lines of a text.
    pub(crate) fn new(text: &'t str, marks: &'t LineMarks, count: usize) -> ResponseLines<'t> {
        let first = Cell::new(LineSpan {
            line: 0,
            start: 0,
            end: end_of_line(text.as_bytes(), 0),
        });
        ResponseLines {
            text,
            marks: &marks.marks,
            count: count.min(marks.count),
            recent: std::array::from_fn(|_| first.clone()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Returns the first line, starting at a line, that is not empty.
    pub(crate) fn skip_empty_lines(&self, at: usize) -> usize {
        let Some(span) = self.find_line(at) else {
            return self.count;
        };
        let bytes = &self.text.as_bytes()[span.start..];
        let empty = bytes.iter().take_while(|byte| **byte == b'\n').count();
        (at + empty).min(self.count)
    }

    /// Returns the first line, starting at a line, for which a test returns a result, and that result. The test
    /// receives the text from the start of the line to the end of the response: most lines are decided by their first
    /// bytes, and looking up each line by its number takes 40 ns instead of 5.
    #[inline]
    pub(crate) fn find_from<T>(
        &self,
        at: usize,
        test: impl Fn(&'t [u8]) -> Option<T>,
    ) -> Option<(usize, T)> {
        let bytes = self.text.as_bytes();
        let (mut line, mut start) = (at, self.find_line(at)?.start);
        while line < self.count {
            let rest = &bytes[start..];
            if let Some(found) = test(rest) {
                let end = end_of_line(bytes, start);
                self.recent[line % CACHED_LINES].set(LineSpan { line, start, end });
                return Some((line, found));
            }
            line += 1;
            start = match rest.first() {
                Some(b'\n') => start + 1,
                _ => (end_of_line(bytes, start) + 1).min(bytes.len()),
            };
        }
        None
    }

    /// Returns the line after a sequence of plain fences that starts at a line.
    pub(crate) fn skip_plain_fences(&self, at: usize) -> Option<usize> {
        let start = self.find_line(at)?.start;
        let (lines, length) = skip_plain_fences(&self.text.as_bytes()[start..])?;
        let next = at + lines;
        if next < self.count {
            let start = start + length;
            let end = end_of_line(self.text.as_bytes(), start);
            let line = next;
            self.recent[line % CACHED_LINES].set(LineSpan { line, start, end });
        }
        Some(next)
    }

    /// Returns the first line, starting at a line, that contains a text without line ends.
    pub(crate) fn find_text(&self, at: usize, wanted: &str) -> Option<usize> {
        let start = self.find_line(at)?.start;
        let rest = &self.text.as_bytes()[start..];
        let found = memchr::memmem::find(rest, wanted.as_bytes())?;
        Some(at + memchr::memchr_iter(b'\n', &rest[..found]).count())
    }

    /// Returns the text of a line, without its end; empty after the last line.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> &'t str {
        let raw = self.line_with_ending(at);
        raw.strip_suffix('\r').unwrap_or(raw)
    }

    /// Returns whether a line ends in CR LF (or CR at the end of the response).
    pub(crate) fn has_cr(&self, at: usize) -> bool {
        self.line_with_ending(at).ends_with('\r')
    }

    /// Returns whether a line is empty or contains only blanks.
    pub(crate) fn is_blank(&self, at: usize) -> bool {
        is_blank(self.get(at))
    }

    #[inline]
    fn line_with_ending(&self, at: usize) -> &'t str {
        match self.find_line(at) {
            Some(span) => &self.text[span.start..span.end],
            None => "",
        }
    }

    /// Finds a line: it is cached, or the line before or after it is, or it is found from the nearest stored start.
    #[inline(always)]
    fn find_line(&self, at: usize) -> Option<LineSpan> {
        let span = self.recent[at % CACHED_LINES].get();
        if span.line == at && at < self.count {
            return Some(span);
        }
        self.find_uncached(at)
    }

    #[inline(never)]
    fn find_uncached(&self, at: usize) -> Option<LineSpan> {
        if at >= self.count {
            return None;
        }
        let mut span = self.nearest_known_line(at);
        while span.line < at {
            span.line += 1;
            span.start = span.end + 1;
            span.end = end_of_line(self.text.as_bytes(), span.start);
        }
        self.recent[at % CACHED_LINES].set(span);
        Some(span)
    }

    /// Returns a line, or one before it from which it can be found.
    fn nearest_known_line(&self, at: usize) -> LineSpan {
        let before = self.recent[at.wrapping_sub(1) % CACHED_LINES].get();
        if before.line + 1 == at {
            return before;
        }
        let after = self.recent[(at + 1) % CACHED_LINES].get();
        if after.line == at + 1 {
            let end = after.start - 1;
            return LineSpan {
                line: at,
                start: start_of_line(self.text.as_bytes(), end),
                end,
            };
        }
        let start = self.marks[at / STORED_LINE_STRIDE] as usize;
        LineSpan {
            line: at - at % STORED_LINE_STRIDE,
            start,
            end: end_of_line(self.text.as_bytes(), start),
        }
    }

    /// Returns the text of a new file made of all lines in a range, each of which has a line end. A CR at their ends
    /// belongs to the text if the format's own lines have none.
    pub(crate) fn text_between(&self, from: usize, to: usize, own_lines_have_cr: bool) -> String {
        let start = |at| {
            self.find_line(at)
                .map_or(self.text.len(), |span| span.start)
        };
        let text = &self.text[start(from)..start(to)];
        if !own_lines_have_cr {
            return text.to_owned();
        }
        let mut content = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            match line.strip_suffix("\r\n") {
                Some(line) => content.extend([line, "\n"]),
                None => content.push_str(line),
            }
        }
        content
    }

    /// Returns the text of a new file made of some lines. A CR at their ends belongs to the text if the format's own
    /// lines have none.
    pub(crate) fn new_file_text(
        &self,
        lines: impl IntoIterator<Item = (usize, &'t str)>,
        own_lines_have_cr: bool,
    ) -> String {
        let mut text = String::new();
        for line in lines {
            self.push_line(&mut text, line, own_lines_have_cr);
        }
        text
    }

    /// Adds a line to the text of a new file, as [`ResponseLines::new_file_text`] does.
    pub(crate) fn push_line(
        &self,
        text: &mut String,
        (at, line): (usize, &str),
        own_lines_have_cr: bool,
    ) {
        text.push_str(line);
        if self.has_cr(at) && !own_lines_have_cr {
            text.push('\r');
        }
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(lancet_testing::laws::config())]

        /// Lookups in any order, in a text that arrived in any pieces, return the same as `str::lines`.
        #[test]
        fn lookups_agree_with_str_lines(
            text in "([a\r]{0,2}\n){0,150}[a]{0,2}",
            cuts in prop::collection::vec(0usize..400, 0..5),
            asked in prop::collection::vec(0usize..160, 0..40),
        ) {
            let mut marks = LineMarks::default();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.push(text.len());
            cuts.sort_unstable();
            let mut from = 0;
            for cut in cuts {
                marks.add_lines(&text[..cut], from);
                from = cut;
            }
            let body = text.strip_suffix('\n').unwrap_or(&text);
            let all: Vec<&str> = match text.is_empty() {
                true => Vec::new(),
                false => body.split('\n').collect(),
            };
            prop_assert_eq!(marks.count(), all.len());
            let lines = ResponseLines::new(&text, &marks, marks.count());
            for at in asked {
                let line = all.get(at).copied().unwrap_or_default();
                prop_assert_eq!(lines.get(at), line.strip_suffix('\r').unwrap_or(line));
                prop_assert_eq!(lines.has_cr(at), line.ends_with('\r'));
                let next = (at..all.len()).find(|&at| !all[at].is_empty());
                prop_assert_eq!(lines.skip_empty_lines(at), next.unwrap_or(all.len()));
                let next = (at..all.len()).find(|&at| all[at].starts_with('a'));
                let found = lines.find_from(at, |rest| rest.first().filter(|first| **first == b'a'));
                prop_assert_eq!(found, next.map(|next| (next, &b'a')));
                let next = (at..all.len()).find(|&at| all[at].contains("aa"));
                prop_assert_eq!(lines.find_text(at, "aa"), next);
                if at < all.len() {
                    let numbered = (0..at).map(|at| (at, lines.get(at)));
                    let content = lines.new_file_text(numbered.clone(), true);
                    prop_assert_eq!(lines.text_between(0, at, true), content);
                    let content = lines.new_file_text(numbered, false);
                    prop_assert_eq!(lines.text_between(0, at, false), content);
                }
            }
        }
    }
}
