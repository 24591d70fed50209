//! Puts some of the hunks between two versions of a file into the older one, or into a third version.

use std::ops::Range;

use super::certain_places::AnchorLines;
use super::line_owners::{differing_lines, split_lines};
use super::uncommitted::{PartOwner, UncommittedHunk};

impl UncommittedHunk {
    /// Returns whether the selected operations alone wrote the hunk.
    #[must_use]
    pub fn is_selected(&self) -> bool {
        matches!(self.owner, PartOwner::Selected)
    }
}

/// Returns the old version with the selected ones of the hunks between it and the new version.
#[must_use]
pub fn apply_selected_hunks(old: &[u8], new: &[u8], hunks: &[UncommittedHunk]) -> Vec<u8> {
    let old_lines: Vec<&[u8]> = split_lines(old).collect();
    let new_lines: Vec<&[u8]> = split_lines(new).collect();
    let mut lines: Vec<&[u8]> = Vec::with_capacity(old_lines.len());
    let mut done = 0;
    for hunk in hunks.iter().filter(|hunk| hunk.is_selected()) {
        lines.extend(old_lines.get(done..hunk.old.start).unwrap_or_default());
        lines.extend(new_lines.get(hunk.new.clone()).unwrap_or_default());
        done = hunk.old.end;
    }
    lines.extend(old_lines.get(done..).unwrap_or_default());
    lines.concat()
}

/// Puts the selected ones of the hunks between the old version and the new one into a third version, which differs from
/// the old one elsewhere. A hunk that the third version has already is left out. None where one of its own differences
/// touches a hunk, or where the place of a hunk is not certain.
#[must_use]
pub fn merge_selected_hunks(
    third: &[u8],
    old: &[u8],
    new: &[u8],
    hunks: &[UncommittedHunk],
) -> Option<Vec<u8>> {
    let third_lines: Vec<&[u8]> = split_lines(third).collect();
    let new_lines: Vec<&[u8]> = split_lines(new).collect();
    let differences = differing_lines(old, third);
    let anchors = AnchorLines::new(old, third);
    let places: Vec<Range<usize>> = differences.iter().map(|(gone, _)| gone.clone()).collect();
    let mut lines: Vec<&[u8]> = Vec::with_capacity(third_lines.len());
    let mut done = 0;
    'hunks: for hunk in hunks.iter().filter(|hunk| hunk.is_selected()) {
        let wanted = new_lines.get(hunk.new.clone())?;
        // The place of the hunk in the third version.
        let mut shift: isize = 0;
        for (gone, come) in &differences {
            if gone.end < hunk.old.start {
                shift += come.len() as isize - gone.len() as isize;
            } else if gone.start <= hunk.old.end {
                let is_same = *gone == hunk.old && third_lines.get(come.clone())? == wanted;
                match is_same {
                    true => continue 'hunks,
                    false => return None,
                }
            }
        }
        if !anchors.is_certain(&hunk.old, &places) {
            return None;
        }
        let start = hunk.old.start.checked_add_signed(shift)?;
        let end = hunk.old.end.checked_add_signed(shift)?;
        lines.extend(third_lines.get(done..start)?);
        lines.extend(wanted);
        done = end;
    }
    lines.extend(third_lines.get(done..)?);
    Some(lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(old: Range<usize>, new: Range<usize>) -> UncommittedHunk {
        UncommittedHunk {
            old,
            new,
            owner: PartOwner::Selected,
        }
    }

    fn others(old: Range<usize>, new: Range<usize>) -> UncommittedHunk {
        UncommittedHunk {
            owner: PartOwner::Others(Vec::new()),
            ..own(old, new)
        }
    }

    #[test]
    fn applies_selected_hunks_only() {
        let hunks = [own(0..1, 0..2), others(2..3, 3..4), own(4..4, 5..6)];
        let applied = apply_selected_hunks(b"a\nb\nc\nd", b"A\nAA\nb\nC\nd\ne\n", &hunks[..2]);
        assert_eq!(applied, b"A\nAA\nb\nc\nd");
        let applied = apply_selected_hunks(b"a\nb\nc\nd\n", b"A\nAA\nb\nC\nd\ne\n", &hunks);
        assert_eq!(applied, b"A\nAA\nb\nc\nd\ne\n");
    }

    #[test]
    fn merges_into_version_that_differs_elsewhere() {
        let hunks = [own(3..4, 3..5)];
        let merged = merge_selected_hunks(
            b"zero\na\nb\nc\nd\n",
            b"a\nb\nc\nd\n",
            b"a\nb\nc\nD\ne\n",
            &hunks,
        );
        assert_eq!(merged.as_deref(), Some(&b"zero\na\nb\nc\nD\ne\n"[..]));
    }

    #[test]
    fn merges_nothing_next_to_another_difference() {
        let (old, new) = (b"a\nb\nc\n", b"a\nB\nc\n");
        let hunks = [own(1..2, 1..2)];
        assert_eq!(merge_selected_hunks(b"A\nb\nc\n", old, new, &hunks), None);
        let same = merge_selected_hunks(new, old, new, &hunks);
        assert_eq!(same.as_deref(), Some(&new[..]), "it is there already");
    }
}
