//! Compares two contents by line, and undoes one hunk of the difference in a third. Lines are raw bytes with their line
//! ends: what is not undone stays byte for byte, whatever the encoding.

use std::ops::Range;
use std::time::Duration;

use lancet_text::{Document, Encoding, Hunk, difference};

/// The budget for one comparison. The size of the input decides whether it is exceeded, not the clock.
const DIFF_BUDGET: Duration = Duration::from_millis(500);
/// How many unchanged lines a hunk shows around changed ones.
const CONTEXT_LINES: usize = 3;

/// Changed lines: a range of old lines and the range of new lines in their place, counted from 0.
pub(crate) type Block = (Range<usize>, Range<usize>);

/// A content split into lines.
pub(crate) struct Lines<'b> {
    bytes: &'b [u8],
    /// Where each line ends, its line end included.
    ends: Vec<usize>,
    encoding: Encoding,
}

impl<'b> Lines<'b> {
    /// Splits a content into lines; none where it is not text.
    pub(crate) fn from_bytes(bytes: &'b [u8]) -> Option<Self> {
        let encoding = Document::decode(bytes, None).ok()?.encoding();
        // A code unit of UTF-16 has two bytes, and a line feed is a whole unit.
        let unit: &[u8] = match encoding.name() {
            "utf-16le" => b"\n\0",
            "utf-16be" => b"\0\n",
            _ => b"\n",
        };
        let mut ends = Vec::new();
        for (at, found) in bytes.chunks(unit.len()).enumerate() {
            if found == unit {
                ends.push((at + 1) * unit.len());
            }
        }
        if ends.last().copied().unwrap_or(0) < bytes.len() {
            ends.push(bytes.len());
        }
        Some(Self {
            bytes,
            ends,
            encoding,
        })
    }

    /// Returns all bytes.
    pub(crate) fn bytes(&self) -> &'b [u8] {
        self.bytes
    }

    /// Returns the bytes of some lines.
    pub(crate) fn raw(&self, lines: &Range<usize>) -> &'b [u8] {
        let at = |line: usize| match line.checked_sub(1) {
            None => 0,
            Some(last) => self.ends.get(last).copied().unwrap_or(self.bytes.len()),
        };
        self.bytes
            .get(at(lines.start)..at(lines.end))
            .unwrap_or_default()
    }

    fn raw_range(&self, lines: &Range<usize>) -> Range<usize> {
        let at = |line: usize| match line.checked_sub(1) {
            None => 0,
            Some(last) => self.ends.get(last).copied().unwrap_or(self.bytes.len()),
        };
        at(lines.start)..at(lines.end)
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the text that represents the lines in a comparison: two lines are equal where all their bytes are.
    fn comparison_text(&self) -> String {
        let mut key = String::with_capacity(self.bytes.len() + 2 * self.len());
        for line in 0..self.len() {
            let bytes = self.raw(&(line..line + 1)).iter();
            // Each byte becomes one character, and the line feed one that no byte has.
            key.extend(bytes.map(|byte| match byte {
                b'\n' => '\u{100}',
                byte => char::from(*byte),
            }));
            key.push('\n');
        }
        key
    }

    /// Adds a line to the lines of a hunk.
    fn push_line(&self, line: usize, sign: char, into: &mut Vec<String>) {
        let text = self
            .encoding
            .decode_for_display(self.raw(&(line..line + 1)));
        let whole = text.strip_suffix('\n');
        into.push(format!("{sign}{}", whole.unwrap_or(&text)));
        if whole.is_none() {
            into.push("\\ No newline at end of file".to_owned());
        }
    }
}

/// The difference between two contents.
pub(crate) struct Comparison {
    pub(crate) blocks: Vec<Block>,
    pub(crate) added: usize,
    pub(crate) removed: usize,
    /// Whether there is too much to compare. The one block then goes from the first to the last changed line.
    pub(crate) coarse: bool,
}

/// Compares two contents.
pub(crate) fn compare(old: &Lines<'_>, new: &Lines<'_>) -> Comparison {
    let found = difference(
        &old.comparison_text(),
        &new.comparison_text(),
        0,
        DIFF_BUDGET,
    );
    Comparison {
        added: found.added,
        removed: found.removed,
        coarse: found.coarse,
        blocks: found.blocks,
    }
}

/// Groups the blocks that are shown as one hunk, because the lines around them would overlap or touch.
pub(crate) fn group_blocks(blocks: &[Block]) -> Vec<&[Block]> {
    blocks
        .chunk_by(|one, next| next.0.start - one.0.end <= 2 * CONTEXT_LINES)
        .collect()
}

/// Returns the hunk of some blocks.
pub(crate) fn hunk_of(old: &Lines<'_>, new: &Lines<'_>, blocks: &[Block]) -> Hunk {
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
        return Hunk {
            old_start: 0,
            old_lines: 0,
            new_start: 0,
            new_lines: 0,
            lines: Vec::new(),
        };
    };
    let above = first.0.start.min(CONTEXT_LINES);
    let below = (old.len() - last.0.end).min(CONTEXT_LINES);
    let old_range = first.0.start - above..last.0.end + below;
    let new_range = first.1.start - above..last.1.end + below;
    let mut lines = Vec::new();
    let mut next = old_range.start;
    for (gone, come) in blocks {
        (next..gone.start).for_each(|line| old.push_line(line, ' ', &mut lines));
        gone.clone()
            .for_each(|line| old.push_line(line, '-', &mut lines));
        come.clone()
            .for_each(|line| new.push_line(line, '+', &mut lines));
        next = gone.end;
    }
    (next..old_range.end).for_each(|line| old.push_line(line, ' ', &mut lines));
    let start = |range: &Range<usize>| range.start + usize::from(!range.is_empty());
    Hunk {
        old_start: start(&old_range),
        old_lines: old_range.len(),
        new_start: start(&new_range),
        new_lines: new_range.len(),
        lines,
    }
}

/// Undoes blocks in a content that may have changed elsewhere since: their new lines, found by counting through the
/// difference between `new` and `now`, become the old lines again. None where that difference touches one of them.
pub(crate) fn revert_blocks(
    old: &Lines<'_>,
    new: &Lines<'_>,
    now: &Lines<'_>,
    blocks: &[Block],
) -> Option<Vec<u8>> {
    let since = compare(new, now);
    let mut taken = Vec::with_capacity(now.bytes.len());
    let mut done = 0;
    for (gone, come) in blocks {
        let mut shift: isize = 0;
        for (from, to) in &since.blocks {
            if from.end < come.start {
                shift += to.len() as isize - from.len() as isize;
            } else if from.start <= come.end {
                return None;
            }
        }
        let start = come.start.checked_add_signed(shift)?;
        let standing = start..start + come.len();
        if now.raw(&standing) != new.raw(come) {
            return None;
        }
        let place = now.raw_range(&standing);
        taken.extend_from_slice(now.bytes.get(done..place.start)?);
        taken.extend_from_slice(old.raw(gone));
        done = place.end;
    }
    taken.extend_from_slice(now.bytes.get(done..)?);
    Some(taken)
}

/// Returns the range of old lines that a range of new lines comes from, and whether the change touches it.
pub(crate) fn trace_to_old_lines(
    old: &Lines<'_>,
    new: &Lines<'_>,
    lines: &Range<usize>,
) -> (Range<usize>, bool) {
    let (mut start, mut end) = (lines.start as isize, lines.end as isize);
    let (mut from, mut to) = (None, None);
    for (gone, come) in compare(old, new).blocks {
        let shift = gone.len() as isize - come.len() as isize;
        if come.end < lines.start {
            start += shift;
            end += shift;
        } else if come.start <= lines.end {
            from.get_or_insert(gone.start);
            to = Some(gone.end);
            end += shift;
        }
    }
    let (start, end) = (start.max(0) as usize, end.max(0) as usize);
    let touched = from.is_some();
    let start = from.map_or(start, |from| from.min(start));
    let end = to.map_or(end, |to: usize| to.max(end));
    (start..end.max(start), touched)
}

#[cfg(test)]
mod tests;
