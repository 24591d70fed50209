//! The text that the rungs search: the view of a file, with its folded form and its lines, which are computed when a
//! rung first needs them.

use std::cell::OnceCell;
use std::ops::Range;

use crate::bounds::Bounds;
use crate::look_alike::Folded;

/// The view of a file and the forms of it that were computed so far.
pub(super) struct SourceText<'v> {
    pub(super) view: &'v str,
    damaged: &'v [Range<usize>],
    /// The allowed places; `None` if every place is allowed.
    bounds: Option<&'v Bounds>,
    folded: OnceCell<Folded<'v>>,
    lines: OnceCell<FileLines>,
}

/// The lines of a view: their start offsets in the view, and their parts in its folded form.
pub(super) struct FileLines {
    starts: Vec<usize>,
    pub(super) parts: Vec<LineParts>,
}

/// One line of a folded text as offsets: indentation, content, trailing blanks. A blank line has neither indentation
/// nor content. It holds no hash of the content: to hash a line took 220 instructions, to compare two of them takes
/// about 30, and a search compares most lines of a file only a few times.
#[derive(Debug, Clone)]
pub(super) struct LineParts {
    start: usize,
    content_start: usize,
    content_end: usize,
}

impl LineParts {
    pub(super) fn indent<'t>(&self, folded: &'t str) -> &'t str {
        &folded[self.start..self.content_start]
    }

    pub(super) fn content<'t>(&self, folded: &'t str) -> &'t str {
        &folded[self.content_start..self.content_end]
    }

    pub(super) fn is_blank(&self) -> bool {
        self.content_start == self.content_end
    }

    /// Returns whether two lines have the same content. `folded` and `others` are the texts that the offsets refer to.
    pub(super) fn same_content(&self, folded: &str, other: &LineParts, others: &str) -> bool {
        self.content(folded) == other.content(others)
    }
}

/// Returns the parts of every line of a folded text.
pub(super) fn split_lines(folded: &str) -> Vec<LineParts> {
    let mut start = 0;
    let mut parts = Vec::new();
    while start < folded.len() {
        let end = memchr::memchr(b'\n', &folded.as_bytes()[start..])
            .map_or(folded.len(), |length| start + length);
        let line = folded[start..end].trim_end_matches([' ', '\t']);
        let content = line.trim_start_matches([' ', '\t']);
        let content_end = start + line.len();
        parts.push(LineParts {
            start,
            content_start: content_end - content.len(),
            content_end,
        });
        start = end + 1;
    }
    parts
}

impl<'v> SourceText<'v> {
    pub(super) fn new(
        view: &'v str,
        damaged: &'v [Range<usize>],
        bounds: Option<&'v Bounds>,
    ) -> SourceText<'v> {
        SourceText {
            view,
            damaged,
            bounds,
            folded: OnceCell::new(),
            lines: OnceCell::new(),
        }
    }

    pub(super) fn folded(&self) -> &Folded<'v> {
        self.folded.get_or_init(|| Folded::new(self.view))
    }

    pub(super) fn lines(&self) -> &FileLines {
        self.lines.get_or_init(|| {
            let parts = split_lines(self.folded().text());
            let mut starts = Vec::with_capacity(parts.len() + 1);
            starts.push(0);
            starts.extend(memchr::memchr_iter(b'\n', self.view.as_bytes()).map(|at| at + 1));
            FileLines { starts, parts }
        })
    }

    /// Returns whether the last line of the file has no newline.
    pub(super) fn is_open(&self) -> bool {
        !self.view.is_empty() && !self.view.ends_with('\n')
    }

    /// Returns the range of the view from the start of line `first` to the end of line `last`, without its newline.
    pub(super) fn line_span(&self, first: usize, last: usize) -> Range<usize> {
        let starts = &self.lines().starts;
        let end = match starts.get(last + 1) {
            Some(next) => next - 1,
            None => self.view.len(),
        };
        starts[first]..end
    }

    /// Returns whether places must be whole lines within bounds.
    pub(super) fn is_bounded(&self) -> bool {
        self.bounds.is_some()
    }

    /// Returns whether the place does not count: it overlaps damaged text, or is out of bounds.
    pub(super) fn is_excluded(&self, place: &Range<usize>) -> bool {
        self.is_damaged(place)
            || self
                .bounds
                .is_some_and(|bounds| !bounds.allow(self.view, place))
    }

    /// Returns whether the place overlaps characters that represent bytes which could not be decoded.
    pub(super) fn is_damaged(&self, place: &Range<usize>) -> bool {
        let next = self
            .damaged
            .partition_point(|damage| damage.end <= place.start);
        self.damaged
            .get(next)
            .is_some_and(|damage| damage.start < place.end)
    }
}
