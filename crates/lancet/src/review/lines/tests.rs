//! Tests of comparing by line and of removing a hunk.

use proptest::prelude::*;

use super::*;

fn lines(bytes: &[u8]) -> Lines<'_> {
    Lines::from_bytes(bytes).expect("text")
}

fn hunks(old: &[u8], new: &[u8]) -> Vec<Hunk> {
    let (old, new) = (lines(old), lines(new));
    let compared = compare(&old, &new);
    let groups = group_blocks(&compared.blocks).into_iter();
    groups.map(|group| hunk_of(&old, &new, group)).collect()
}

#[test]
fn hunks_match_unified_diff() {
    let old: String = (1..=30).map(|line| format!("{line}\n")).collect();
    let new = old
        .replace("\n5\n", "\nfive\n")
        .replace("\n20\n", "\n20\n20a\n")
        .replace("\n30\n", "\n30");
    let own = hunks(old.as_bytes(), new.as_bytes());
    assert_eq!(own, difference(&old, &new, 3, DIFF_BUDGET).hunks);
    assert_eq!(own.len(), 3);
    assert_eq!(
        hunks(b"", b"a\n"),
        difference("", "a\n", 3, DIFF_BUDGET).hunks
    );
}

#[test]
fn splits_utf16_into_whole_lines() {
    let utf16 = |text: &str| -> Vec<u8> {
        let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    };
    // One byte of the code unit U+0A61 has the value of a line feed, but the character is not a line feed.
    let (old, new) = (utf16("a\u{a61}b\r\nc\r\n"), utf16("a\u{a61}b\r\nC\r\n"));
    let found = hunks(&old, &new);
    assert_eq!(found[0].lines[1..], ["-c\r", "+C\r"]);
    let compared = compare(&lines(&old), &lines(&new));
    let taken = revert_blocks(&lines(&old), &lines(&new), &lines(&new), &compared.blocks);
    assert_eq!(taken, Some(old));
}

#[test]
fn reverts_moved_hunk_and_refuses_changed_hunk() {
    let (old, new) = (b"a\nb\nc\nd\n".as_slice(), b"a\nB\nc\nd\n".as_slice());
    let blocks = compare(&lines(old), &lines(new)).blocks;
    let take = |now: &[u8]| revert_blocks(&lines(old), &lines(new), &lines(now), &blocks);
    assert_eq!(take(new).as_deref(), Some(old));
    assert_eq!(
        take(b"x\ny\na\nB\nc\nD\n").as_deref(),
        Some(&b"x\ny\na\nb\nc\nD\n"[..])
    );
    // The line itself, or an adjacent one, was changed.
    assert_eq!(take(b"a\nBB\nc\nd\n"), None);
    assert_eq!(take(b"a\nB\nC\nd\n"), None);
    assert_eq!(take(b"a\nc\nd\n"), None);
    // The same line elsewhere is not mistaken for it.
    assert_eq!(take(b"a\nc\nd\nB\n"), None);
}

#[test]
fn traces_new_lines_to_old_lines() {
    let (old, new) = (b"a\nb\nc\nd\n".as_slice(), b"x\na\nb\nc\nD\nd\n".as_slice());
    let traced = |lines_of: Range<usize>| trace_to_old_lines(&lines(old), &lines(new), &lines_of);
    assert_eq!(traced(2..3), (1..2, false));
    assert_eq!(traced(4..5), (3..3, true));
    assert!(traced(0..1).1);
}

proptest! {
    #[test]
    fn reverting_all_hunks_restores_old_bytes(old in "[abc\r\n]{0,40}", new in "[abc\r\n]{0,40}") {
        let (old, new) = (old.as_bytes(), new.as_bytes());
        let compared = compare(&lines(old), &lines(new));
        let taken = revert_blocks(&lines(old), &lines(new), &lines(new), &compared.blocks);
        prop_assert_eq!(taken.as_deref(), Some(old));
    }

    #[test]
    fn reverting_one_hunk_leaves_other_bytes_unchanged(old in "[ab\n]{0,60}", new in "[ab\n]{0,60}", pick in 0usize..8) {
        let (old, new) = (old.as_bytes(), new.as_bytes());
        let (before, after) = (lines(old), lines(new));
        let compared = compare(&before, &after);
        let groups = group_blocks(&compared.blocks);
        if let Some(group) = groups.get(pick % groups.len().max(1)) {
            let taken = revert_blocks(&before, &after, &after, group).expect("stands");
            let mut expected = new.to_vec();
            for (gone, come) in group.iter().rev() {
                expected.splice(after.raw_range(come), before.raw(gone).iter().copied());
            }
            prop_assert_eq!(taken, expected);
        }
    }
}
