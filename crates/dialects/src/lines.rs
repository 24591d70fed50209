//! The lines of a reply. The start of one line in [`STRIDE`] is stored and the others are found from there, so that a
//! reply of 50 million empty lines takes 6 MB beside its text, where a position for each line would take 200.

use std::cell::Cell;

/// Of how many lines one has its start stored.
const STRIDE: usize = 32;

/// How many lines are remembered.
const RECENT: usize = 4;

/// The longest reply, in bytes.
pub(crate) const LONGEST: usize = u32::MAX as usize;

/// Where lines of a text start, and how many lines it has.
#[derive(Debug, Default)]
pub(crate) struct LineMarks {
    /// The start of every [`STRIDE`]th line, from the first on.
    marks: Vec<u32>,
    count: usize,
}

impl LineMarks {
    /// Adds the lines that start in a text from a position on. A line that has not ended counts, and one that would
    /// start at the end of the text does not.
    pub(crate) fn extend(&mut self, text: &str, from: usize) {
        if from >= text.len() {
            return;
        }
        if from == 0 || text.as_bytes()[from - 1] == b'\n' {
            self.push(from);
        }
        // Byte by byte: a search from each newline to the next takes longer where lines are short.
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
        if self.count.is_multiple_of(STRIDE) {
            self.marks.push(start as u32);
        }
        self.count += 1;
    }
}

/// The lines of a text. A line ends at LF; a CR before it is not part of the line.
pub(crate) struct ReplyLines<'t> {
    text: &'t str,
    marks: &'t [u32],
    count: usize,
    /// The lines that were asked for last, each at its number modulo [`RECENT`]: the next question is mostly about one of
    /// them or about the line after it.
    recent: [Cell<Span>; RECENT],
}

/// The number of a line and its bytes without the LF.
#[derive(Clone, Copy)]
struct Span {
    line: usize,
    start: usize,
    end: usize,
}

impl<'t> ReplyLines<'t> {
    /// The first `count` lines of a text.
    pub(crate) fn new(text: &'t str, marks: &'t LineMarks, count: usize) -> ReplyLines<'t> {
        let first = Cell::new(Span {
            line: 0,
            start: 0,
            end: end_of_line(text, 0),
        });
        ReplyLines {
            text,
            marks: &marks.marks,
            count: count.min(marks.count),
            recent: std::array::from_fn(|_| first.clone()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The first line, from a line on, that is not empty.
    pub(crate) fn after_empty(&self, at: usize) -> usize {
        let Some(span) = self.find(at) else {
            return self.count;
        };
        let bytes = &self.text.as_bytes()[span.start..];
        let empty = bytes.iter().take_while(|byte| **byte == b'\n').count();
        (at + empty).min(self.count)
    }

    /// The text of a line, without its end; empty after the last line.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> &'t str {
        let raw = self.raw(at);
        raw.strip_suffix('\r').unwrap_or(raw)
    }

    /// Whether a line ends in CR LF (or CR at the end of the reply).
    pub(crate) fn has_cr(&self, at: usize) -> bool {
        self.raw(at).ends_with('\r')
    }

    /// Whether a line is empty or contains only blanks.
    pub(crate) fn is_blank(&self, at: usize) -> bool {
        self.get(at).trim().is_empty()
    }

    #[inline]
    fn raw(&self, at: usize) -> &'t str {
        match self.find(at) {
            Some(span) => &self.text[span.start..span.end],
            None => "",
        }
    }

    /// Finds a line: it is remembered, or the line before it is, or it is found from the nearest stored start.
    #[inline]
    fn find(&self, at: usize) -> Option<Span> {
        let span = self.recent[at % RECENT].get();
        if span.line == at && at < self.count {
            return Some(span);
        }
        self.find_anew(at)
    }

    fn find_anew(&self, at: usize) -> Option<Span> {
        if at >= self.count {
            return None;
        }
        let mark = at - at % STRIDE;
        let before = self.recent[at.wrapping_sub(1) % RECENT].get();
        let mut span = if before.line + 1 == at {
            before
        } else {
            let start = self.marks[at / STRIDE] as usize;
            let end = end_of_line(self.text, start);
            Span {
                line: mark,
                start,
                end,
            }
        };
        while span.line < at {
            span.line += 1;
            span.start = span.end + 1;
            span.end = end_of_line(self.text, span.start);
        }
        self.recent[at % RECENT].set(span);
        Some(span)
    }

    /// The text of a new file made of some lines. A CR at their ends belongs to the text if the format's own lines have
    /// none.
    pub(crate) fn content(
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

    /// Adds a line to the text of a new file, as [`ReplyLines::content`] does.
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

/// The offset of the LF that ends the line which starts at an offset, or the end of the text.
#[inline]
fn end_of_line(text: &str, start: usize) -> usize {
    let bytes = &text.as_bytes()[start..];
    // Calling memchr takes longer than looking at the few bytes of a short line.
    if let Some(length) = bytes.iter().take(8).position(|byte| *byte == b'\n') {
        return start + length;
    }
    memchr::memchr(b'\n', bytes).map_or(text.len(), |length| start + length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(lancet_testing::laws::config())]

        /// Any order of questions, about a text that came in any pieces, is answered as by `str::lines`.
        #[test]
        fn lines_are_those_of_the_whole_text(
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
                marks.extend(&text[..cut], from);
                from = cut;
            }
            let body = text.strip_suffix('\n').unwrap_or(&text);
            let all: Vec<&str> = match text.is_empty() {
                true => Vec::new(),
                false => body.split('\n').collect(),
            };
            prop_assert_eq!(marks.count(), all.len());
            let lines = ReplyLines::new(&text, &marks, marks.count());
            for at in asked {
                let line = all.get(at).copied().unwrap_or_default();
                prop_assert_eq!(lines.get(at), line.strip_suffix('\r').unwrap_or(line));
                prop_assert_eq!(lines.has_cr(at), line.ends_with('\r'));
                let next = (at..all.len()).find(|&at| !all[at].is_empty());
                prop_assert_eq!(lines.after_empty(at), next.unwrap_or(all.len()));
            }
        }
    }
}
