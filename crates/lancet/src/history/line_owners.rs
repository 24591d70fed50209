//! Which lines of a file differ from an earlier version of it, and which writers changed them. The versions in between
//! are replayed from the oldest to the newest. Each line keeps its writer, and each removed line the one who removed
//! it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use lancet_text::difference;

/// The longest time for one diff.
const DIFF_BUDGET: Duration = Duration::from_secs(2);

/// The writer of one step between two versions of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Writer {
    /// A selected operation, by its index among the operations of the file.
    Selected(usize),
    /// Another recorded operation, by its index among the operations of the file.
    Other(usize),
    /// A program that lancet did not record.
    Unknown,
    /// The step from the first version to the oldest recorded one, if they differ.
    Baseline,
}

impl Writer {
    /// Returns whether this is a selected operation.
    pub(super) fn is_selected(self) -> bool {
        matches!(self, Writer::Selected(_))
    }
}

/// A range of lines in which the newest version differs from the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenHunk {
    /// The lines of the first version, counted from 0.
    pub(super) old: Range<usize>,
    /// The lines of the newest version in their place.
    pub(super) new: Range<usize>,
    /// Everyone who changed them, without repetition.
    pub(super) writers: Vec<Writer>,
}

/// A line of some version.
#[derive(Clone, Copy, Debug)]
struct TrackedLine {
    /// The number of its text; equal lines have the same.
    text: u32,
    /// The writer; none for a line of the first version.
    from: Option<Writer>,
    /// The other writer whose uncommitted line a selected operation replaced by this one.
    over: Option<Writer>,
    /// The writer who removed the line, and the number of the step; none while the line is in the file.
    gone: Option<(Writer, usize)>,
}

/// The lines of all versions so far, in their order in the file.
#[derive(Clone, Debug)]
pub(super) struct LineOwners {
    lines: Vec<TrackedLine>,
    /// The newest version.
    content: Vec<u8>,
    steps: usize,
    /// The lines of the first version that the oldest recorded version does not have: what is committed of recorded
    /// changes.
    committed: HashSet<u32>,
}

/// The numbers of texts.
#[derive(Debug, Default)]
pub(super) struct LineTexts(HashMap<Vec<u8>, u32>);

impl LineTexts {
    fn number(&mut self, text: &[u8]) -> u32 {
        if let Some(number) = self.0.get(text) {
            return *number;
        }
        let number = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.insert(text.to_vec(), number);
        number
    }
}

impl LineOwners {
    /// Begins with the first version.
    pub(super) fn new(first: &[u8], texts: &mut LineTexts) -> Self {
        let line = |text| TrackedLine {
            text: texts.number(text),
            from: None,
            over: None,
            gone: None,
        };
        Self {
            lines: split_lines(first).map(line).collect(),
            content: first.to_vec(),
            steps: 0,
            committed: HashSet::new(),
        }
    }

    /// Adds the next version, which `writer` wrote.
    pub(super) fn apply(&mut self, next: &[u8], writer: Writer, texts: &mut LineTexts) {
        if next == self.content {
            return;
        }
        self.steps += 1;
        let live: Vec<usize> = (0..self.lines.len())
            .filter(|at| self.lines[*at].gone.is_none())
            .collect();
        let next_lines: Vec<&[u8]> = split_lines(next).collect();
        let mut inserted: Vec<(usize, Vec<TrackedLine>)> = Vec::new();
        for (gone, come) in differing_lines(&self.content, next) {
            let mut over = None;
            for at in live.get(gone.clone()).unwrap_or_default() {
                let line = &mut self.lines[*at];
                if writer == Writer::Baseline {
                    self.committed.insert(line.text);
                }
                if writer.is_selected() && !self.committed.contains(&line.text) {
                    let foreign = line.from.filter(|from| !from.is_selected());
                    over = over.or(line.over).or(foreign);
                }
                line.gone = Some((writer, self.steps));
            }
            let place = match gone.end.checked_sub(1).filter(|_| !gone.is_empty()) {
                Some(last) => live.get(last).map(|at| at + 1),
                None => live.get(gone.start).copied(),
            };
            let line = |text: &&[u8]| TrackedLine {
                text: texts.number(text),
                from: Some(writer),
                over,
                gone: None,
            };
            let lines = next_lines.get(come).unwrap_or_default();
            let lines = lines.iter().map(line).collect();
            inserted.push((place.unwrap_or(self.lines.len()), lines));
        }
        self.insert(inserted);
        self.content = next.to_vec();
    }

    /// Inserts lines before places, which are in order.
    fn insert(&mut self, inserted: Vec<(usize, Vec<TrackedLine>)>) {
        let before = std::mem::take(&mut self.lines);
        let mut done = 0;
        for (place, lines) in inserted {
            self.lines.extend(&before[done..place]);
            self.lines.extend(lines);
            done = place;
        }
        self.lines.extend(&before[done..]);
    }

    /// Returns where the newest version differs from the first.
    pub(super) fn hunks(&self) -> Vec<WrittenHunk> {
        let mut hunks = Vec::new();
        let mut region = Region::default();
        for line in &self.lines {
            match (line.from, line.gone) {
                (None, None) => {
                    region.finish(&mut hunks);
                    region = Region {
                        old_start: region.old_start + region.removed.len() + 1,
                        new_start: region.new_start + region.added.len() + 1,
                        ..Region::default()
                    };
                }
                (None, Some(_)) => region.removed.push(*line),
                (Some(_), None) => region.added.push(*line),
                (Some(_), Some(_)) => region.passing.push(*line),
            }
        }
        region.finish(&mut hunks);
        hunks
    }
}

/// The lines between two that both versions have.
#[derive(Debug, Default)]
struct Region {
    old_start: usize,
    new_start: usize,
    /// Lines of the first version that are no longer in the file.
    removed: Vec<TrackedLine>,
    /// Lines of the newest version.
    added: Vec<TrackedLine>,
    /// Lines of versions in between.
    passing: Vec<TrackedLine>,
}

impl Region {
    /// Adds the hunks of the region: what was removed and written again is none.
    fn finish(&self, hunks: &mut Vec<WrittenHunk>) {
        if self.removed.is_empty() && self.added.is_empty() {
            return;
        }
        let numbers = |lines: &[TrackedLine]| -> Vec<u8> {
            let line = |line: &TrackedLine| format!("{}\n", line.text).into_bytes();
            lines.iter().flat_map(line).collect()
        };
        for (gone, come) in differing_lines(&numbers(&self.removed), &numbers(&self.added)) {
            let mut writers = Vec::new();
            let mut add = |writer: Writer| {
                if !writers.contains(&writer) {
                    writers.push(writer);
                }
            };
            for line in self.removed.get(gone.clone()).unwrap_or_default() {
                add(self.remover(line));
            }
            for line in self.added.get(come.clone()).unwrap_or_default() {
                line.from.into_iter().chain(line.over).for_each(&mut add);
            }
            hunks.push(WrittenHunk {
                old: self.old_start + gone.start..self.old_start + gone.end,
                new: self.new_start + come.start..self.new_start + come.end,
                writers,
            });
        }
    }

    /// Returns who removed a line. A line that the oldest recorded version does not have may be in a later one, which
    /// is committed: then it is who removed it from there.
    fn remover(&self, line: &TrackedLine) -> Writer {
        match line.gone {
            Some((Writer::Baseline, _)) | None => {
                let same = self
                    .passing
                    .iter()
                    .filter(|other| other.text == line.text)
                    .filter_map(|other| other.gone);
                let last = same.max_by_key(|(_, step)| *step);
                last.map_or(Writer::Baseline, |(writer, _)| writer)
            }
            Some((writer, _)) => writer,
        }
    }
}

/// Splits a content into lines with their line ends.
pub(super) fn split_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

/// Returns the ranges of lines that differ.
pub(super) fn differing_lines(old: &[u8], new: &[u8]) -> Vec<(Range<usize>, Range<usize>)> {
    // Each byte becomes one character (Latin-1), so that any file can be compared as text.
    let text = |bytes: &[u8]| -> String { bytes.iter().map(|byte| char::from(*byte)).collect() };
    difference(&text(old), &text(new), 0, DIFF_BUDGET).blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Writer = Writer::Selected(0);
    const OTHER: Writer = Writer::Other(1);

    fn hunks(
        first: &str,
        steps: &[(&str, Writer)],
    ) -> Vec<(Range<usize>, Range<usize>, Vec<Writer>)> {
        let mut texts = LineTexts::default();
        let mut owners = LineOwners::new(first.as_bytes(), &mut texts);
        for (content, writer) in steps {
            owners.apply(content.as_bytes(), *writer, &mut texts);
        }
        let hunks = owners.hunks().into_iter();
        hunks
            .map(|hunk| (hunk.old, hunk.new, hunk.writers))
            .collect()
    }

    #[test]
    fn separate_hunks_have_separate_writers() {
        let found = hunks(
            "a\nb\nc\nd\ne\n",
            &[("a\nB\nc\nd\ne\n", OWN), ("a\nB\nc\nD\ne\nf\n", OTHER)],
        );
        assert_eq!(
            found,
            [
                (1..2, 1..2, vec![OWN]),
                (3..4, 3..4, vec![OTHER]),
                (5..5, 5..6, vec![OTHER]),
            ]
        );
    }

    #[test]
    fn adjacent_lines_are_one_hunk_of_both_writers() {
        let found = hunks("a\nb\n", &[("A\nb\n", OWN), ("A\nB\n", OTHER)]);
        assert_eq!(found, [(0..2, 0..2, vec![OWN, OTHER])]);
    }

    #[test]
    fn line_over_anothers_new_line_names_both() {
        let found = hunks("a\nb\n", &[("a\nx\nb\n", OTHER), ("a\ny\nb\n", OWN)]);
        assert_eq!(found, [(1..1, 1..2, vec![OWN, OTHER])]);
    }

    #[test]
    fn line_that_was_written_again_is_no_hunk() {
        let found = hunks(
            "a\nb\nc\n",
            &[("a\nx\ny\nc\n", OTHER), ("a\nb\nz\nc\n", OWN)],
        );
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].0.clone(), found[0].1.clone()), (2..2, 2..3));
    }

    #[test]
    fn earlier_lines_of_the_selection_may_be_committed() {
        // `B` is committed and `D` is not, which is no recorded version of the file.
        let found = hunks(
            "a\nB\nc\nd\n",
            &[
                ("a\nb\nc\nd\n", Writer::Baseline),
                ("a\nb\nc\nD\n", OTHER),
                ("a\nB\nc\nD\n", OWN),
                ("a\nBB\nc\nD\n", OWN),
            ],
        );
        assert_eq!(found, [(1..2, 1..2, vec![OWN]), (3..4, 3..4, vec![OTHER])]);
    }

    #[test]
    fn uncommitted_line_from_before_the_selection_belongs_to_another() {
        let found = hunks("a\n", &[("a\nx\n", Writer::Baseline), ("a\ny\n", OWN)]);
        assert_eq!(found, [(1..1, 1..2, vec![OWN, Writer::Baseline])]);
    }
}
