//! Three-way merge of a file whose two versions changed different lines. It works on raw bytes split at line feeds, so
//! encodings and line ends are preserved.

use std::ops::Range;

use lancet_text::difference;

use crate::stages::examine::read_state::DIFF_BUDGET;

/// Merges `ours` and `theirs`, which both come from `base`; none where their changes touch each other.
pub(super) fn merge_three_way(base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let (our_changes, their_changes) = (blocks(base, ours)?, blocks(base, theirs)?);
    let (base, ours, theirs) = (lines(base), lines(ours), lines(theirs));
    let mut all: Vec<(Range<usize>, &[&[u8]])> = Vec::new();
    for (old, new) in &our_changes {
        all.push((old.clone(), ours.get(new.clone())?));
    }
    for (old, new) in &their_changes {
        let new = theirs.get(new.clone())?;
        // Both sides made the same change, so it is applied once.
        if !all.contains(&(old.clone(), new)) {
            all.push((old.clone(), new));
        }
    }
    all.sort_by_key(|(old, _)| (old.start, old.end));
    let mut merged: Vec<u8> = Vec::new();
    let mut done = 0;
    let mut last: Option<usize> = None;
    for (old, new) in all {
        // Adjacent changes are not independent, even if no line belongs to both.
        if last.is_some_and(|end| old.start <= end) {
            return None;
        }
        merged.extend(base.get(done..old.start)?.concat());
        merged.extend(new.concat());
        done = old.end;
        last = Some(old.end);
    }
    merged.extend(base.get(done..)?.concat());
    Some(merged)
}

type Block = (Range<usize>, Range<usize>);

fn blocks(old: &[u8], new: &[u8]) -> Option<Vec<Block>> {
    // Each byte becomes one character (Latin-1), so that any file can be compared as text and no line end is added or
    // lost.
    let text = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| char::from(*byte))
            .collect::<String>()
    };
    Some(difference(&text(old), &text(new), 0, DIFF_BUDGET).blocks)
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn merges_changes_of_different_lines() {
        let merged = merge_three_way(b"a\nb\nc\nd\n", b"A\nb\nc\nd\n", b"a\nb\nc\nD\r\n");
        assert_eq!(merged.as_deref(), Some(&b"A\nb\nc\nD\r\n"[..]));
    }

    #[test]
    fn refuses_to_merge_adjacent_changes() {
        assert_eq!(
            merge_three_way(b"a\nb\nc\n", b"A\nb\nc\n", b"a\nB\nc\n"),
            None
        );
        assert_eq!(merge_three_way(b"a\nb\n", b"a\nx\nb\n", b"a\ny\nb\n"), None);
        assert_eq!(merge_three_way(b"a\nb\n", b"x\nb\n", b"y\nb\n"), None);
    }

    #[test]
    fn merge_preserves_invalid_utf8_and_missing_final_newline() {
        let merged = merge_three_way(b"\xff\n2\n3\n4", b"\xfe\n2\n3\n4", b"\xff\n2\n3\n\x004");
        assert_eq!(merged.as_deref(), Some(&b"\xfe\n2\n3\n\x004"[..]));
    }

    proptest! {
        #[test]
        fn merge_with_unchanged_side_returns_other_side(base in "[ab\n\r]{0,30}", other in "[ab\n\r]{0,30}") {
            let (base, other) = (base.as_bytes(), other.as_bytes());
            prop_assert_eq!(merge_three_way(base, base, other), Some(other.to_vec()));
            prop_assert_eq!(merge_three_way(base, other, base), Some(other.to_vec()));
            prop_assert_eq!(merge_three_way(base, other, other), Some(other.to_vec()));
        }
    }
}
