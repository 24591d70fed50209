//! Whether the place of a hunk in another version of a file is certain. Between two versions with repeated lines there
//! are several differences, and a hunk may belong to a place in each of them. A line that both versions have exactly
//! once is at the same place in all of them.

use std::collections::HashMap;
use std::ops::Range;

use super::line_owners::split_lines;
use super::uncommitted::{OtherWriter, PartOwner, UncommittedHunk};

/// The lines that two versions have exactly once each.
pub(super) struct AnchorLines<'a> {
    old: Vec<&'a [u8]>,
    counts: HashMap<&'a [u8], (usize, usize)>,
}

impl<'a> AnchorLines<'a> {
    pub(super) fn new(old: &'a [u8], other: &'a [u8]) -> Self {
        let old: Vec<&[u8]> = split_lines(old).collect();
        let mut counts: HashMap<&[u8], (usize, usize)> = HashMap::new();
        for line in &old {
            counts.entry(line).or_default().0 += 1;
        }
        for line in split_lines(other) {
            counts.entry(line).or_default().1 += 1;
        }
        Self { old, counts }
    }

    /// Returns whether the place of lines of the old version is certain, if `others` are the ranges in which the versions
    /// differ besides: on each side there is an anchor before the next of these ranges, or none of them.
    pub(super) fn is_certain(&self, place: &Range<usize>, others: &[Range<usize>]) -> bool {
        let before = others.iter().filter(|other| other.end <= place.start);
        let after = others.iter().filter(|other| other.start >= place.end);
        let above = before.map(|other| other.end).max();
        let below = after.map(|other| other.start).min();
        above.is_none_or(|from| self.has_anchor(from..place.start))
            && below.is_none_or(|to| self.has_anchor(place.end..to))
    }

    fn has_anchor(&self, lines: Range<usize>) -> bool {
        let lines = self.old.get(lines).unwrap_or_default();
        lines
            .iter()
            .any(|line| self.counts.get(line) == Some(&(1, 1)))
    }
}

/// Marks the selected hunks whose place in the committed version is not certain as hunks of others, too.
pub(super) fn mark_uncertain_places(
    hunks: &mut [UncommittedHunk],
    committed: &[u8],
    present: &[u8],
) {
    let others = hunks.iter().filter(|hunk| !hunk.is_selected());
    let others: Vec<Range<usize>> = others.map(|hunk| hunk.old.clone()).collect();
    if others.is_empty() {
        return;
    }
    let anchors = AnchorLines::new(committed, present);
    for hunk in hunks.iter_mut().filter(|hunk| hunk.is_selected()) {
        if !anchors.is_certain(&hunk.old, &others) {
            hunk.owner = PartOwner::Both(vec![OtherWriter::Unknown]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_needs_an_anchor_towards_each_other_difference() {
        let old = b"x\na\nb\na\nb\ny\n";
        let anchors = AnchorLines::new(old, b"X\na\nb\na\nb\ny\n");
        // Above there is another difference and no line between that both versions have once.
        let (first, end) = (0..1, 6..6);
        assert!(!anchors.is_certain(&(3..4), std::slice::from_ref(&first)));
        assert!(anchors.is_certain(&(3..4), &[]));
        // Below, `y` is between the two.
        assert!(anchors.is_certain(&(3..4), std::slice::from_ref(&end)));
        assert!(!anchors.is_certain(&(3..4), &[first, end]));
    }
}
