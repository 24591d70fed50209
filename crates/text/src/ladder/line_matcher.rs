//! Compares the old text with the lines of the file, for the rungs that match whole lines. Both sides are folded and
//! split into indentation and content, and the old lines are compared with every window of as many file lines.

use std::ops::Range;

use memchr::memmem;

use crate::look_alike::Folded;

use super::search::matching_windows;
use super::shift::LineShift;
use super::source::{LineParts, SourceText, split_lines};
use super::text_lines::TextLines;
use super::verdict;
use super::{Rung, SearchTask, Verdict};

/// Matches the lines in the old text against the lines in the file.
pub(super) struct LineMatcher<'a> {
    source: &'a SourceText<'a>,
    pub(super) old: TextLines<'a>,
    /// The old text in folded form, which `parts` refers to.
    folded: Folded<'a>,
    parts: Vec<LineParts>,
    /// The parts of the file's lines, and the text in folded form that they refer to. Every comparison reads them, so
    /// they are not fetched from `source` each time.
    file_parts: &'a [LineParts],
    file_text: &'a str,
    /// The first lines of all windows of the file whose lines have the content of the old lines, whatever their
    /// indentation.
    content_windows: Vec<usize>,
}

/// A line of the old text or of the file, together with the folded text that its offsets refer to.
#[derive(Clone, Copy)]
pub(super) struct LineRef<'a> {
    parts: &'a LineParts,
    text: &'a str,
}

impl<'a> LineRef<'a> {
    pub(super) fn indent(self) -> &'a str {
        self.parts.indent(self.text)
    }

    pub(super) fn is_blank(self) -> bool {
        self.parts.is_blank()
    }

    pub(super) fn same_content(self, other: LineRef<'_>) -> bool {
        self.parts.same_content(self.text, other.parts, other.text)
    }
}

impl<'a> LineMatcher<'a> {
    /// Returns `None` where no window of the file has the content of the old lines. Whether blanks at line ends or
    /// indentation differ is not checked at this point.
    pub(super) fn for_task(task: &SearchTask<'a>) -> Option<LineMatcher<'a>> {
        let folded = Folded::new(task.old);
        let parts = split_lines(folded.text());
        let source = task.source;
        let file_text = source.folded().text();
        let contents = parts.iter().map(|line| line.content(folded.text()));
        // Where the longest old line does not occur in the file, the file need not be split into lines, which takes 32
        // bytes for each.
        let longest = contents.max_by_key(|content| content.len())?;
        memmem::find(file_text.as_bytes(), longest.as_bytes())?;
        let mut matcher = LineMatcher {
            source,
            old: TextLines::new(task.old),
            folded,
            parts,
            file_parts: &source.lines().parts,
            file_text,
            content_windows: Vec::new(),
        };
        matcher.content_windows = matcher.matching_windows(|_| Some(()), |_| Some(()));
        (!matcher.content_windows.is_empty()).then_some(matcher)
    }

    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn file_len(&self) -> usize {
        self.file_parts.len()
    }

    pub(super) fn content_windows(&self) -> &[usize] {
        &self.content_windows
    }

    pub(super) fn old_line(&self, number: usize) -> LineRef<'_> {
        LineRef {
            parts: &self.parts[number],
            text: self.folded.text(),
        }
    }

    pub(super) fn old_lines(&self) -> impl Iterator<Item = LineRef<'_>> {
        (0..self.len()).map(|number| self.old_line(number))
    }

    pub(super) fn file_line(&self, number: usize) -> LineRef<'_> {
        LineRef {
            parts: &self.file_parts[number],
            text: self.file_text,
        }
    }

    /// Returns the first lines of all windows of the file that match: every line has the content of the old line, and
    /// `file_indent` gives the same value for it as `old_indent` for the old line. A file line whose `file_indent` is
    /// `None` matches nothing.
    pub(super) fn matching_windows<I: PartialEq>(
        &self,
        old_indent: impl Fn(usize) -> Option<I>,
        file_indent: impl Fn(usize) -> Option<I>,
    ) -> Vec<usize> {
        matching_windows(
            self.len(),
            self.file_len(),
            |a, b| {
                old_indent(a) == old_indent(b) && self.old_line(a).same_content(self.old_line(b))
            },
            |at, b| {
                let line = self.file_line(at);
                line.same_content(self.old_line(b))
                    && file_indent(at).is_some_and(|indent| Some(indent) == old_indent(b))
            },
        )
    }

    /// Returns the ranges of these windows in the view. Windows that do not count are left out.
    pub(super) fn place_ranges(&self, windows: &[usize]) -> Vec<Range<usize>> {
        windows
            .iter()
            .map(|&first| {
                let mut place = self.source.line_span(first, first + self.len() - 1);
                // The last line of the file may have no newline to include.
                if self.old.ended && place.end < self.source.view.len() {
                    place.end += 1;
                }
                place
            })
            .filter(|place| !self.source.is_excluded(place))
            .collect()
    }

    /// Returns the lines of a place in the view, each with the old line that it matches; blank lines are left out.
    pub(super) fn matched_line_pairs(
        &self,
        place: &Range<usize>,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.source.view[place.clone()]
            .split('\n')
            .zip(self.old.lines.clone())
            .filter(|(_, old)| !crate::look_alike::is_blank(old))
    }

    /// Returns the verdict for the places that were chosen.
    pub(super) fn edit_places(
        &self,
        task: &SearchTask<'_>,
        rung: Rung,
        places: Vec<Range<usize>>,
        shift: LineShift<'_>,
    ) -> Verdict {
        let (mut old, mut new) = (self.old.clone(), TextLines::new(task.new));
        let at_open_end = places
            .iter()
            .any(|place| place.end == self.source.view.len() && self.source.is_open());
        if old.ended && at_open_end {
            (old, new) = (old.without_final_newline(), new.without_final_newline());
        }
        verdict::edit_places(task, rung, places, &old, &new, Some(&shift))
    }
}
