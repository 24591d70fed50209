//! Edits in order: their difference from the original, and which of them cross the borders of earlier ones.

use super::*;
use crate::laws;
use proptest::prelude::*;

fn find_place(draft: &Draft<'_>, old: &str) -> Range<usize> {
    let start = draft.text().find(old).expect("old text");
    start..start + old.len()
}

/// Replaces the first `old`, as one change of its whole place.
fn replace_first(draft: &mut Draft<'_>, old: &str, new: &str) {
    let range = find_place(draft, old);
    let text = new.to_owned();
    let change = Change {
        range: range.clone(),
        text,
    };
    draft.apply_edit(range, &[change]);
}

/// Returns whether an edit of the first `old` crosses a border, where it is not found exactly.
fn crosses_inexactly(draft: &Draft<'_>, old: &str) -> bool {
    draft.crosses_earlier_edit(&find_place(draft, old), None)
}

/// Returns the same for an edit that is found exactly.
fn crosses_exactly(draft: &Draft<'_>, old: &str) -> bool {
    let place = find_place(draft, old);
    draft.crosses_earlier_edit(&place, Some(&place))
}

fn new_change(range: Range<usize>, text: &str) -> Change {
    let text = text.to_owned();
    Change { range, text }
}

#[test]
fn repeated_context_is_not_changed() {
    let mut draft = Draft::new("a\nb\nc\nd\n");
    replace_first(&mut draft, "a\nb\nc", "a\nB\nc");
    assert!(!crosses_inexactly(&draft, "c\nd"));
    assert!(!crosses_inexactly(&draft, "a\n"));
    assert!(crosses_inexactly(&draft, "a\nB"));
    replace_first(&mut draft, "c\nd", "c\nD");
    assert_eq!(draft.text(), "a\nB\nc\nD\n");
}

#[test]
fn edit_inside_changed_text_crosses_no_border() {
    let mut draft = Draft::new("a\nb\nc\nd\n");
    replace_first(&mut draft, "b", "B\nB2");
    assert!(crosses_inexactly(&draft, "B2\nc"));
    assert!(crosses_inexactly(&draft, "a\nB"));
    assert!(!crosses_inexactly(&draft, "B2"));
    assert!(!crosses_inexactly(&draft, "B\nB2"));
    replace_first(&mut draft, "B2", "x");
    assert_eq!(draft.text(), "a\nB\nx\nc\nd\n");
    assert_eq!(draft.changes(), [new_change(2..3, "B\nx")]);
}

#[test]
fn borders_in_context_after_edit_shift_with_it() {
    let mut draft = Draft::new("a\nb\nc\nd\ne\n");
    replace_first(&mut draft, "d\n", "D\n");
    // An edit above it whose context reaches below it.
    replace_first(&mut draft, "a\nb\nc\nD\ne\n", "a\nB1\nB2\nB3\nc\nD\ne\n");
    assert!(crosses_inexactly(&draft, "c\nD"));
    assert!(crosses_inexactly(&draft, "D\ne"));
    assert!(crosses_inexactly(&draft, "B3\nc"));
    assert!(!crosses_inexactly(&draft, "D\n"));
    assert!(!crosses_inexactly(&draft, "B1\nB2\nB3\n"));
    assert!(!crosses_inexactly(&draft, "c\n"));
}

#[test]
fn deletion_leaves_border() {
    let mut draft = Draft::new("a\nb\nc\n");
    replace_first(&mut draft, "b\n", "");
    assert!(crosses_inexactly(&draft, "a\nc"));
    assert!(!crosses_inexactly(&draft, "c"));
    assert!(!crosses_inexactly(&draft, "a\n"));
}

#[test]
fn exact_old_text_may_contain_whole_earlier_edits() {
    let mut draft = Draft::new("a\nb\nc\nd\ne\n");
    replace_first(&mut draft, "b", "B\nB2");
    replace_first(&mut draft, "d\n", "");
    assert!(!crosses_exactly(&draft, "a\nB\nB2\nc"));
    assert!(crosses_exactly(&draft, "B2\nc"), "a part of it");
    assert!(crosses_exactly(&draft, "a\nB\n"), "a part of it");
    assert!(
        crosses_exactly(&draft, "c\ne"),
        "a deletion put nothing there"
    );
    assert!(
        crosses_inexactly(&draft, "a\nB\nB2\nc"),
        "not found exactly"
    );
    // Replaced text is no longer a separate part; the text that both share still is.
    replace_first(&mut draft, "a\nB\nB2\nc", "a\nB\nX\nY");
    assert!(!crosses_inexactly(&draft, "B\n"));
    assert!(crosses_inexactly(&draft, "B\nX"));
    assert!(!crosses_exactly(&draft, "a\nB\nX\nY"));
    assert!(crosses_exactly(&draft, "B\nX\n"));
}

#[test]
fn borders_can_be_inside_lines() {
    let mut draft = Draft::new("abcdefgh\nnext\n");
    replace_first(&mut draft, "abcd", "ABCD");
    assert!(crosses_inexactly(&draft, "CDef"));
    assert!(!crosses_inexactly(&draft, "ef"));
    let mut draft = Draft::new("x = 1\nz\n");
    replace_first(&mut draft, "x = 1", "x = 1\ny = 2");
    assert!(!crosses_inexactly(&draft, "x = 1"));
    assert!(crosses_inexactly(&draft, "y = 2\nz"));
}

#[test]
fn earlier_edits_shift_borders() {
    let mut draft = Draft::new("a\nb\nc\n");
    replace_first(&mut draft, "c", "C");
    replace_first(&mut draft, "a", "much longer\nthan before");
    assert!(crosses_inexactly(&draft, "b\nC"));
    assert!(!crosses_inexactly(&draft, "b\n"));
    assert!(!crosses_inexactly(&draft, "C"));
}

#[test]
fn adjacent_edits_stay_separate_changes() {
    let mut draft = Draft::new("a\nb\nc\n");
    replace_first(&mut draft, "b\n", "B\n");
    replace_first(&mut draft, "a\n", "A\nA2\n");
    assert_eq!(
        draft.changes(),
        [new_change(0..2, "A\nA2\n"), new_change(2..4, "B\n")]
    );
}

#[test]
fn reverted_edit_is_no_change() {
    let mut draft = Draft::new("a\nb\nc\n");
    replace_first(&mut draft, "b", "B\nextra");
    replace_first(&mut draft, "B\nextra", "b");
    assert_eq!(draft.changes(), []);
    replace_first(&mut draft, "a\nb\nc", "a\nX\nc");
    replace_first(&mut draft, "a\nX", "a\nY");
    assert_eq!(draft.changes(), [new_change(2..4, "Y\n")]);
}

#[test]
fn inserted_text_has_no_origin() {
    let mut draft = Draft::new("one two three");
    replace_first(&mut draft, "two", "2222");
    assert_eq!(draft.original_ranges(0..draft.text().len()), [0..4, 7..13]);
    assert!(draft.original_ranges(find_place(&draft, "22")).is_empty());
    assert_eq!(
        draft.original_ranges(find_place(&draft, "three")),
        vec![8..13; 1]
    );
    assert_eq!(draft.original_ranges(9..9), vec![8..8; 1]);
}

type Round = Vec<(usize, usize, String)>;

/// Generates a text of short lines, and rounds of changes: how far from the last one, how long, and the new text.
fn text_with_edit_rounds() -> impl Strategy<Value = (String, Vec<Round>)> {
    let change = (0_usize..6, 0_usize..5, "[xyzü\n]{0,4}");
    let round = proptest::collection::vec(change, 1..5);
    ("[abcö\n]{0,20}", proptest::collection::vec(round, 1..5))
}

proptest! {
    #![proptest_config(laws::config())]

    /// The changes, made on the original, give the text; they are sorted; and text with an origin is found there.
    #[test]
    fn changes_turn_original_into_draft_text((original, rounds) in text_with_edit_rounds()) {
        let mut draft = Draft::new(&original);
        let mut expected = original.clone();
        for round in rounds {
            let text = draft.text().to_owned();
            let mut at = 0;
            let mut changes = Vec::new();
            for (skip, take, new) in round {
                let start = text.ceil_char_boundary((at + skip).min(text.len()));
                let end = text.ceil_char_boundary((start + take).min(text.len()));
                changes.push(new_change(start..end, &new));
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
                for origin in draft.original_ranges(place.clone()) {
                    prop_assert_eq!(&original[origin], &draft.text()[place.clone()]);
                }
            }
            let kept: usize = draft.original_ranges(0..draft.text().len()).iter().map(|range| range.len()).sum();
            let replaced: usize = draft.spans.iter().map(|span| span.original.len()).sum();
            prop_assert_eq!(kept + replaced, original.len());
        }
    }

    /// Text that an edit changed has borders: a place with a character on either side of a border is refused.
    #[test]
    fn edit_across_border_is_detected(head in "[a\n]{0,6}", old in "[b\n]{1,6}", new in "[c\n]{0,6}", tail in "[d\n]{0,6}") {
        let original = format!("{head}{old}{tail}");
        let mut draft = Draft::new(&original);
        let range = head.len()..head.len() + old.len();
        draft.apply_edit(range.clone(), &[new_change(range, &new)]);
        if let Some(part) = changed_part(&old, &new) {
            let (start, end) = (head.len() + part.start, head.len() + part.end);
            if start > 0 && start < draft.text().len() {
                prop_assert!(draft.crosses_earlier_edit(&(start - 1..start + 1), None));
            }
            prop_assert!(!draft.crosses_earlier_edit(&(start..end), None));
            prop_assert!(!draft.crosses_earlier_edit(&(0..start), None));
            prop_assert!(!draft.crosses_earlier_edit(&(end..draft.text().len()), None));
        }
    }

    /// Compares borders with a second model of them: every character carries the numbers of the edits that wrote it. An
    /// edit crosses an earlier one if it takes some of its characters, but not all, and others besides.
    #[test]
    fn changed_parts_agree_with_per_character_model(original in "[a-d\n]{4,16}", edits in proptest::collection::vec((0_usize..20, 1_usize..6, "[v-z\n]{1,4}"), 1..8)) {
        let mut draft = Draft::new(&original);
        let mut makers: Vec<Vec<usize>> = vec![Vec::new(); original.len()];
        for (number, (start, length, new)) in edits.iter().enumerate() {
            let text = draft.text().to_owned();
            let start = start % text.len();
            let place = start..(start + length).min(text.len());
            let count = |range: &Range<usize>, earlier: usize| makers[range.clone()].iter().filter(|made| made.contains(&earlier)).count();
            let is_crossed = |earlier: usize, may_hold: bool| {
                let (inside, all) = (count(&place, earlier), count(&(0..text.len()), earlier));
                inside > 0 && inside < place.len() && !(may_hold && inside == all)
            };
            let (strict, exact) = ((0..number).any(|earlier| is_crossed(earlier, false)), (0..number).any(|earlier| is_crossed(earlier, true)));
            prop_assert_eq!(draft.crosses_earlier_edit(&place, None), strict);
            prop_assert_eq!(draft.crosses_earlier_edit(&place, Some(&place)), exact);
            let part = changed_part(&text[place.clone()], new);
            let is_deletion = part.as_ref().is_some_and(|part| part.is_empty());
            if exact || is_deletion {
                continue;
            }
            let (head, tail) = part.map_or((place.len(), 0), |part| (part.start, new.len() - part.end));
            let replaced = place.start + head..place.end - tail;
            // Text that is inserted inside an earlier part belongs to that part, too.
            let around = |earlier: &usize| {
                let has = |at: usize| makers.get(at).is_some_and(|made| made.contains(earlier));
                match replaced.is_empty() {
                    true => replaced.start > 0 && has(replaced.start - 1) && has(replaced.start),
                    false => replaced.clone().all(has),
                }
            };
            let is_whole = |earlier: &usize| !replaced.is_empty() && count(&replaced, *earlier) == count(&(0..text.len()), *earlier);
            let outer: Vec<usize> = (0..number).filter(|earlier| around(earlier) && !is_whole(earlier)).collect();
            let fresh = new.len() - head - tail;
            let made: Vec<usize> = outer.into_iter().chain([number]).collect();
            makers.splice(replaced, vec![made; if draft.text()[place.clone()] == **new { 0 } else { fresh }]);
            draft.apply_edit(place.clone(), &[new_change(place, new)]);
            prop_assert_eq!(makers.len(), draft.text().len());
        }
    }
}
