//! Edits in order: their difference from the original, and which of them cross the borders of others.

use super::*;
use crate::laws;
use proptest::prelude::*;

fn place(draft: &Draft<'_>, old: &str) -> Range<usize> {
    let start = draft.text().find(old).expect("old text");
    start..start + old.len()
}

/// Replaces the first `old`, as one change of its whole place.
fn edit(draft: &mut Draft<'_>, old: &str, new: &str) {
    let range = place(draft, old);
    let text = new.to_owned();
    let change = Change {
        range: range.clone(),
        text,
    };
    draft.apply_edit(range, &[change]);
}

fn change(range: Range<usize>, text: &str) -> Change {
    let text = text.to_owned();
    Change { range, text }
}

#[test]
fn context_that_an_edit_repeats_is_not_changed() {
    let mut draft = Draft::new("a\nb\nc\nd\n");
    edit(&mut draft, "a\nb\nc", "a\nB\nc");
    assert!(!draft.crosses(place(&draft, "c\nd")));
    assert!(!draft.crosses(place(&draft, "a\n")));
    assert!(draft.crosses(place(&draft, "a\nB")));
    edit(&mut draft, "c\nd", "c\nD");
    assert_eq!(draft.text(), "a\nB\nc\nD\n");
}

#[test]
fn an_edit_inside_of_changed_text_crosses_nothing() {
    let mut draft = Draft::new("a\nb\nc\nd\n");
    edit(&mut draft, "b", "B\nB2");
    assert!(draft.crosses(place(&draft, "B2\nc")));
    assert!(draft.crosses(place(&draft, "a\nB")));
    assert!(!draft.crosses(place(&draft, "B2")));
    assert!(!draft.crosses(place(&draft, "B\nB2")));
    edit(&mut draft, "B2", "x");
    assert_eq!(draft.text(), "a\nB\nx\nc\nd\n");
    assert_eq!(draft.changes(), [change(2..3, "B\nx")]);
}

#[test]
fn borders_in_the_context_behind_an_edit_move_along_with_it() {
    let mut draft = Draft::new("a\nb\nc\nd\ne\n");
    edit(&mut draft, "d\n", "D\n");
    // An edit above it whose context reaches below it.
    edit(&mut draft, "a\nb\nc\nD\ne\n", "a\nB1\nB2\nB3\nc\nD\ne\n");
    assert!(draft.crosses(place(&draft, "c\nD")));
    assert!(draft.crosses(place(&draft, "D\ne")));
    assert!(draft.crosses(place(&draft, "B3\nc")));
    assert!(!draft.crosses(place(&draft, "D\n")));
    assert!(!draft.crosses(place(&draft, "B1\nB2\nB3\n")));
    assert!(!draft.crosses(place(&draft, "c\n")));
}

#[test]
fn a_deletion_leaves_a_border() {
    let mut draft = Draft::new("a\nb\nc\n");
    edit(&mut draft, "b\n", "");
    assert!(draft.crosses(place(&draft, "a\nc")));
    assert!(!draft.crosses(place(&draft, "c")));
    assert!(!draft.crosses(place(&draft, "a\n")));
}

#[test]
fn parts_of_lines_are_changed_whole() {
    let mut draft = Draft::new("abcdefgh\nnext\n");
    edit(&mut draft, "abcd", "ABCD");
    assert!(draft.crosses(place(&draft, "CDef")));
    assert!(!draft.crosses(place(&draft, "ef")));
    let mut draft = Draft::new("x = 1\nz\n");
    edit(&mut draft, "x = 1", "x = 1\ny = 2");
    assert!(!draft.crosses(place(&draft, "x = 1")));
    assert!(draft.crosses(place(&draft, "y = 2\nz")));
}

#[test]
fn borders_move_with_edits_before_them() {
    let mut draft = Draft::new("a\nb\nc\n");
    edit(&mut draft, "c", "C");
    edit(&mut draft, "a", "much longer\nthan before");
    assert!(draft.crosses(place(&draft, "b\nC")));
    assert!(!draft.crosses(place(&draft, "b\n")));
    assert!(!draft.crosses(place(&draft, "C")));
}

#[test]
fn neighbours_stay_changes_of_their_own() {
    let mut draft = Draft::new("a\nb\nc\n");
    edit(&mut draft, "b\n", "B\n");
    edit(&mut draft, "a\n", "A\nA2\n");
    assert_eq!(
        draft.changes(),
        [change(0..2, "A\nA2\n"), change(2..4, "B\n")]
    );
}

#[test]
fn what_is_taken_back_is_no_change() {
    let mut draft = Draft::new("a\nb\nc\n");
    edit(&mut draft, "b", "B\nextra");
    edit(&mut draft, "B\nextra", "b");
    assert_eq!(draft.changes(), []);
    edit(&mut draft, "a\nb\nc", "a\nX\nc");
    edit(&mut draft, "a\nX", "a\nY");
    assert_eq!(draft.changes(), [change(2..4, "Y\n")]);
}

#[test]
fn text_that_edits_wrote_has_no_origin() {
    let mut draft = Draft::new("one two three");
    edit(&mut draft, "two", "2222");
    assert_eq!(draft.origin(0..draft.text().len()), [0..4, 7..13]);
    assert!(draft.origin(place(&draft, "22")).is_empty());
    assert_eq!(draft.origin(place(&draft, "three")), vec![8..13; 1]);
    assert_eq!(draft.origin(9..9), vec![8..8; 1]);
}

type Round = Vec<(usize, usize, String)>;

/// A text of short lines, and rounds of changes: how far from the last one, how long, and the new text.
fn rounds() -> impl Strategy<Value = (String, Vec<Round>)> {
    let change = (0_usize..6, 0_usize..5, "[xyzü\n]{0,4}");
    let round = proptest::collection::vec(change, 1..5);
    ("[abcö\n]{0,20}", proptest::collection::vec(round, 1..5))
}

proptest! {
    #![proptest_config(laws::config())]

    /// The changes, made on the original, give the text; they are sorted; and what has an origin stands there.
    #[test]
    fn changes_lead_from_the_original_to_the_text((original, rounds) in rounds()) {
        let mut draft = Draft::new(&original);
        let mut expected = original.clone();
        for round in rounds {
            let text = draft.text().to_owned();
            let mut at = 0;
            let mut changes = Vec::new();
            for (skip, take, new) in round {
                let start = text.ceil_char_boundary((at + skip).min(text.len()));
                let end = text.ceil_char_boundary((start + take).min(text.len()));
                changes.push(change(start..end, &new));
                at = end;
            }
            expected = apply_changes(&expected, &changes);
            let places: Vec<_> = changes.iter().map(|change| (change.range.clone(), std::slice::from_ref(change))).collect();
            draft.apply_places(places);
            prop_assert_eq!(draft.text(), &expected);
            let all = draft.changes();
            prop_assert!(all.is_sorted_by(|a, b| a.range.end <= b.range.start));
            prop_assert_eq!(apply_changes(&original, &all), draft.text());
            for (start, character) in draft.text().char_indices() {
                let place = start..start + character.len_utf8();
                for origin in draft.origin(place.clone()) {
                    prop_assert_eq!(&original[origin], &draft.text()[place.clone()]);
                }
            }
            let kept: usize = draft.origin(0..draft.text().len()).iter().map(|range| range.len()).sum();
            let replaced: usize = draft.spans.iter().map(|span| span.original.len()).sum();
            prop_assert_eq!(kept + replaced, original.len());
        }
    }

    /// A text that an edit changed is bordered: a place with a character on either side of a border is refused.
    #[test]
    fn changed_text_is_found_by_its_borders(head in "[a\n]{0,6}", old in "[b\n]{1,6}", new in "[c\n]{0,6}", tail in "[d\n]{0,6}") {
        let original = format!("{head}{old}{tail}");
        let mut draft = Draft::new(&original);
        let range = head.len()..head.len() + old.len();
        draft.apply_edit(range.clone(), &[change(range, &new)]);
        if let Some(part) = changed_part(&old, &new) {
            let (start, end) = (head.len() + part.start, head.len() + part.end);
            if start > 0 && start < draft.text().len() {
                prop_assert!(draft.crosses(start - 1..start + 1));
            }
            prop_assert!(!draft.crosses(start..end));
            prop_assert!(!draft.crosses(0..start));
            prop_assert!(!draft.crosses(end..draft.text().len()));
        }
    }
}
