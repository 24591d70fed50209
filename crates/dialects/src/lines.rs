//! The lines of a reply. Only the start of each line is stored, so that a reply of many short lines takes little
//! memory.

/// The lines of a text. A line ends at LF; a CR before it is not part of the line.
pub(crate) struct ReplyLines<'t> {
    text: &'t str,
    starts: &'t [u32],
}

/// The longest reply, in bytes.
pub(crate) const LONGEST: usize = u32::MAX as usize;

/// Finds the starts of the lines of a text from a position on; a line that has not ended yet counts only at the end of
/// the text.
pub(crate) fn line_starts(text: &str, from: usize, starts: &mut Vec<u32>) {
    if starts.is_empty() && !text.is_empty() {
        starts.push(0);
    }
    for (at, byte) in text.as_bytes()[from..].iter().enumerate() {
        if *byte == b'\n' && from + at + 1 < text.len() {
            starts.push((from + at + 1) as u32);
        }
    }
}

impl<'t> ReplyLines<'t> {
    pub(crate) fn new(text: &'t str, starts: &'t [u32]) -> ReplyLines<'t> {
        ReplyLines { text, starts }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
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
        let Some(&start) = self.starts.get(at) else {
            return "";
        };
        let end = self
            .starts
            .get(at + 1)
            .map_or(self.text.len(), |end| *end as usize);
        let line = &self.text[start as usize..end];
        line.strip_suffix('\n').unwrap_or(line)
    }

    /// The text of a new file made of some lines. A CR at their ends belongs to the text if the format's own lines have
    /// none.
    pub(crate) fn content(
        &self,
        lines: impl IntoIterator<Item = (usize, &'t str)>,
        own_lines_have_cr: bool,
    ) -> String {
        let mut text = String::new();
        for (at, line) in lines {
            text.push_str(line);
            if self.has_cr(at) && !own_lines_have_cr {
                text.push('\r');
            }
            text.push('\n');
        }
        text
    }
}
