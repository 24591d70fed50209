//! Records which bytes of a file were shown, as sorted ranges that neither overlap nor touch. Ranges are in bytes,
//! not lines, so that they can follow every edit and represent a line of which only a part was shown. The caller
//! converts lines to bytes.

use std::ops::Range;

/// The bytes of one version of a file that were shown in full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenRanges {
    ranges: Vec<Range<u64>>,
}

impl SeenRanges {
    /// Returns a value for a file of which no bytes were seen.
    #[must_use]
    pub fn nothing_seen() -> Self {
        Self::default()
    }

    /// Returns a value for a file of `size` bytes of which all were seen.
    #[must_use]
    pub fn all_seen(size: u64) -> Self {
        let mut seen = Self::default();
        seen.add(0..size);
        seen
    }

    /// Returns whether no byte was seen, which is always so for an empty file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns whether every byte of a file of `size` bytes was seen; true for an empty file.
    #[must_use]
    pub fn is_whole(&self, size: u64) -> bool {
        self.covers(0..size)
    }

    /// Returns the ranges: sorted, not empty, with a gap between any two.
    #[must_use]
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// Marks `range` as seen.
    pub fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let first = self.ranges.partition_point(|kept| kept.end < range.start);
        let after = self.ranges.partition_point(|kept| kept.start <= range.end);
        let mut joined = range;
        if first < after {
            joined.start = joined.start.min(self.ranges[first].start);
            joined.end = joined.end.max(self.ranges[after - 1].end);
        }
        self.ranges.splice(first..after, [joined]);
    }

    /// Adds the ranges of `other`, which is about the same version.
    pub fn add_all(&mut self, other: &SeenRanges) {
        for range in &other.ranges {
            self.add(range.clone());
        }
    }

    /// Returns whether every byte of `range` was seen; true for an empty range.
    #[must_use]
    pub fn covers(&self, range: Range<u64>) -> bool {
        if range.is_empty() {
            return true;
        }
        let at = self.ranges.partition_point(|kept| kept.end <= range.start);
        self.ranges
            .get(at)
            .is_some_and(|kept| kept.start <= range.start && range.end <= kept.end)
    }

    /// Returns the parts of `range` that were not seen, in order.
    #[must_use]
    pub fn missing_from(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let mut missing = Vec::new();
        let mut from = range.start;
        let at = self.ranges.partition_point(|kept| kept.end <= range.start);
        for kept in &self.ranges[at..] {
            if kept.start >= range.end {
                break;
            }
            if from < kept.start {
                missing.push(from..kept.start);
            }
            from = kept.end;
        }
        if from < range.end {
            missing.push(from..range.end);
        }
        missing
    }

    /// Removes a range.
    pub fn remove(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let parts = std::mem::take(&mut self.ranges);
        for kept in parts {
            for part in [
                kept.start..kept.end.min(range.start),
                kept.start.max(range.end)..kept.end,
            ] {
                if part.start < part.end {
                    push_range(&mut self.ranges, part);
                }
            }
        }
    }

    /// Removes everything from `size` on.
    pub fn truncate(&mut self, size: u64) {
        self.ranges
            .truncate(self.ranges.partition_point(|kept| kept.start < size));
        if let Some(last) = self.ranges.last_mut() {
            last.end = last.end.min(size);
        }
    }

    /// Applies an edit: each range was replaced by the given number of new bytes. Ranges outside are shifted; the new
    /// bytes count as seen, since the author of the edit knows them.
    ///
    /// The changes are sorted and disjoint, in positions before the edit. Otherwise everything is cleared: an
    /// unnecessary read is cheaper than an edit of lines that were not seen.
    pub fn apply_edit(&mut self, changes: &[(Range<u64>, u64)]) {
        self.ranges = self.shifted_ranges(changes).unwrap_or_default();
    }

    fn shifted_ranges(&self, changes: &[(Range<u64>, u64)]) -> Option<Vec<Range<u64>>> {
        let mut after = Vec::with_capacity(self.ranges.len() + changes.len());
        let mut kept = self.ranges.iter().cloned().peekable();
        let mut done = 0;
        let mut moved: i128 = 0;
        // A sentinel at the last position handles the ranges after the last change.
        let last = (u64::MAX..u64::MAX, 0);
        for (replaced, new_length) in changes.iter().chain([&last]) {
            if replaced.start < done || replaced.end < replaced.start {
                return None;
            }
            while let Some(range) = kept.peek() {
                let part = range.start.max(done)..range.end.min(replaced.start);
                if part.start < part.end {
                    push_range(
                        &mut after,
                        shifted_position(part.start, moved)?..shifted_position(part.end, moved)?,
                    );
                }
                if range.end > replaced.start {
                    break;
                }
                kept.next();
            }
            let start = shifted_position(replaced.start, moved);
            if *new_length > 0 {
                let start = start?;
                push_range(&mut after, start..start.checked_add(*new_length)?);
            }
            moved += i128::from(*new_length) - i128::from(replaced.end - replaced.start);
            done = replaced.end;
        }
        Some(after)
    }

    /// Encodes the ranges for the store: gap and length of each as LEB128 integers.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.ranges.len() * 4);
        let mut from = 0;
        for range in &self.ranges {
            write_integer(&mut bytes, range.start - from);
            write_integer(&mut bytes, range.end - range.start);
            from = range.end;
        }
        bytes
    }

    /// Decodes the result of [`SeenRanges::encode`]; returns none for other bytes.
    pub(crate) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let mut ranges = Vec::new();
        let mut from: u64 = 0;
        while !bytes.is_empty() {
            let start = from.checked_add(read_integer(&mut bytes)?)?;
            let end = start.checked_add(read_integer(&mut bytes)?)?;
            if start == end {
                return None;
            }
            push_range(&mut ranges, start..end);
            from = end;
        }
        Some(Self { ranges })
    }
}

fn shifted_position(position: u64, moved: i128) -> Option<u64> {
    u64::try_from(i128::from(position) + moved).ok()
}

/// Appends a range that starts at or behind the end of the last one.
fn push_range(ranges: &mut Vec<Range<u64>>, range: Range<u64>) {
    match ranges.last_mut() {
        Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
        _ => ranges.push(range),
    }
}

fn write_integer(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn read_integer(bytes: &mut &[u8]) -> Option<u64> {
    let mut value: u64 = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        if part << shift >> shift != part {
            return None;
        }
        value |= part << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests;
