//! Hunks are found as whole lines, by anchors, numbers and gaps, and change what they say and nothing else.

mod alike;
mod laws;

use super::*;
use crate::ladder::{Leaks, Occurrences, TextKind, Tolerance};
use crate::splice::apply_changes;

fn query<'q>(view: &'q str, old: &'q str, new: &'q str) -> Query<'q> {
    Query {
        view,
        damaged: &[],
        old,
        new,
        occurrences: Occurrences::One,
        tolerance: Tolerance::Tolerant,
        abbreviations: &[],
        leaks: Leaks::Refuse,
        text_kind: TextKind::Code,
        bounds: None,
    }
}

/// Returns the result of a hunk, or why there is none.
fn placed(view: &str, old: &str, new: &str, hunk: &HunkBounds, line: Option<usize>) -> String {
    match find_hunk(&query(view, old, new), hunk, line) {
        Ok(Verdict::Found(found)) => {
            let changes: Vec<Change> = found
                .places
                .into_iter()
                .flat_map(|place| place.changes)
                .collect();
            apply_changes(view, &changes)
        }
        Ok(Verdict::Ambiguous { places, .. }) => format!("ambiguous {}", places.len()),
        Ok(Verdict::NotFound { guard: None }) => "not found".to_owned(),
        other => format!("{other:?}"),
    }
}

fn plain(view: &str, old: &str, new: &str) -> String {
    placed(view, old, new, &HunkBounds::default(), None)
}

fn under(anchors: &[&str]) -> HunkBounds {
    HunkBounds {
        anchors: anchors.iter().map(|anchor| (*anchor).to_owned()).collect(),
        last_line: LastLine::Kept,
        ..HunkBounds::default()
    }
}

#[test]
fn part_of_a_line_is_no_place() {
    assert_eq!(plain("xa\nab\n", "a\n", "b\n"), "not found");
    assert_eq!(plain("xa\na\n", "a\n", "b\n"), "xa\nb\n");
}

#[test]
fn the_last_line_without_its_newline_counts_and_keeps_lacking_it() {
    assert_eq!(plain("a\nb", "b\n", "c\n"), "a\nc");
    assert_eq!(plain("a\nb\na", "a\n", "c\n"), "ambiguous 2");
    assert_eq!(plain("a\nb", "b\n", "b\nc\n"), "a\nb\nc");
    assert_eq!(plain("a\nb", "a\nb\n", "a\n"), "a");
    let with_context = HunkBounds {
        sides: Sides::WithContext,
        ..HunkBounds::default()
    };
    let last_gone = placed("a\nb", "a\nb\n", "a\n", &with_context, None);
    assert_eq!(last_gone, "a\n");
    assert_eq!(plain("a\nb", "b\n", ""), "a\n");
    assert_eq!(plain("b", "b\n", ""), "");
    assert_eq!(plain("a\nb", "b\n", "\n"), "a\n");
    assert_eq!(plain("a\n\nb\n", "\n", "x\n"), "a\nx\nb\n");
}

#[test]
fn marks_say_which_side_lacks_the_newline() {
    let marked = |old, new| HunkBounds {
        at_end: true,
        old_end: old,
        new_end: new,
        ..HunkBounds::default()
    };
    use FinalNewline::{Lacking, Unmarked};
    let both = |view, old, new, marks: (FinalNewline, FinalNewline)| {
        placed(view, old, new, &marked(marks.0, marks.1), None)
    };
    assert_eq!(both("a\nb", "b\n", "b\n", (Lacking, Unmarked)), "a\nb\n");
    assert_eq!(both("a\nb\n", "b\n", "b\n", (Unmarked, Lacking)), "a\nb");
    assert_eq!(both("a\nb", "b\n", "c\n", (Lacking, Lacking)), "a\nc");
    assert_eq!(both("a\nb", "a\nb\n", "a\n", (Lacking, Unmarked)), "a\n");
    assert_eq!(
        both("a\nb\n", "b\n", "c\n", (Lacking, Lacking)),
        "Err(EndsInNewline)"
    );
    assert_eq!(
        both("b\na\n", "b\n", "c\n", (Unmarked, Lacking)),
        "not found"
    );
}

#[test]
fn a_number_chooses_only_the_place_that_has_it() {
    let hunk = HunkBounds::default();
    let view = "a\nx\na\nx\n";
    assert_eq!(placed(view, "x\n", "y\n", &hunk, Some(3)), "a\nx\na\ny\n");
    assert_eq!(placed(view, "x\n", "y\n", &hunk, Some(2)), "ambiguous 2");
    assert_eq!(placed(view, "x\n", "y\n", &hunk, Some(99)), "ambiguous 2");
    assert_eq!(placed("a\nx\n", "x\n", "y\n", &hunk, Some(0)), "a\ny\n");
    // Places that only a tolerant rung finds are not chosen by number.
    assert_eq!(
        placed("x \nx  \n", "x\n", "y\n", &hunk, Some(0)),
        "ambiguous 2"
    );
}

#[test]
fn an_anchor_bounds_the_place_to_its_scope() {
    let view = "def f():\n    x\n\n    y\ndef g():\n    x\n    y\nz\n";
    let g = under(&["def g():"]);
    assert_eq!(
        placed(view, "    x\n", "    1\n", &g, None),
        "def f():\n    x\n\n    y\ndef g():\n    1\n    y\nz\n"
    );
    assert_eq!(
        placed(view, "z\n", "z\n1\n", &g, None)
            .matches("z\n1\n")
            .count(),
        1
    );
    let replaced = HunkBounds {
        last_line: LastLine::Replaced,
        ..g.clone()
    };
    assert_eq!(placed(view, "z\n", "1\n", &replaced, None), "not found");
    assert!(
        placed(view, "def g():\n", "def g():\n    0\n", &g, None).contains("def g():\n    0\n")
    );
    let h = under(&["def h():"]);
    assert_eq!(
        placed(view, "z\n", "1\n", &h, None),
        "Err(NoAnchor(\"def h():\"))"
    );
    assert_eq!(
        placed(view, "", "    0\n", &g, None),
        "def f():\n    x\n\n    y\ndef g():\n    0\n    x\n    y\nz\n"
    );
}

#[test]
fn anchors_nest() {
    let view = "class A:\n  def f:\n    x\nclass B:\n  def f:\n    x\n  def g:\n    x\n";
    let hunk = under(&["class B:", "def f:"]);
    assert_eq!(
        placed(view, "    x\n", "    1\n", &hunk, None),
        "class A:\n  def f:\n    x\nclass B:\n  def f:\n    1\n  def g:\n    x\n"
    );
    assert_eq!(
        placed(view, "    x\n", "1\n", &under(&["def f:"]), None),
        "ambiguous 2"
    );
    assert_eq!(
        placed(view, "", "1\n", &under(&["def f:"]), None),
        "ambiguous 2"
    );
    let missing = under(&["class A:", "def g:"]);
    assert_eq!(
        placed(view, "    x\n", "1\n", &missing, None),
        "Err(NoAnchor(\"def g:\"))"
    );
}

#[test]
fn added_lines_alone_need_an_anchor_or_an_end() {
    assert_eq!(plain("a\n", "", "b\n"), "Err(NoPlace)");
    assert_eq!(plain("", "", "b\n"), "b\n");
    let end = HunkBounds {
        at_end: true,
        ..HunkBounds::default()
    };
    assert_eq!(placed("a\n", "", "b\n", &end, None), "a\nb\n");
    assert_eq!(placed("a", "", "b\n", &end, None), "a\nb");
    assert_eq!(placed("x\na\nx\n", "x\n", "y\n", &end, None), "x\na\ny\n");
    assert_eq!(placed("x\na\n", "x\n", "y\n", &end, None), "not found");
}

#[test]
fn pieces_between_gaps_are_found_one_by_one() {
    let gaps = HunkBounds {
        gaps: Gaps::Allowed,
        ..HunkBounds::default()
    };
    let found = |view, old, new| placed(view, old, new, &gaps, None);
    assert_eq!(
        found("a\nx\ny\nb\n", "a\n...\nb\n", "A\n...\nB\n"),
        "A\nx\ny\nB\n"
    );
    assert_eq!(found("a\n...\nb\n", "a\n...\nb\n", "c\n"), "c\n");
    assert_eq!(
        found("b\nx\na\n", "a\n...\nb\n", "A\n...\nB\n"),
        "Err(PiecesOutOfOrder(1))"
    );
    assert_eq!(
        found("a\nx\nb\n", "a\n...\nb\n", "A\nB\n"),
        "Err(UnpairedGaps)"
    );
    assert_eq!(
        found("a\nx\nb\n", "...\nb\n", "A\n...\nB\n"),
        "Err(UnpairedGaps)"
    );
    assert_eq!(
        found("a\nx\nb", "a\n  ...\nb\n", "A\n  ...\nB\n"),
        "A\nx\nB"
    );
    assert!(
        found("a\nb\nx\nb\n", "a\n...\nb\n", "A\n...\nB\n").starts_with("Err(Piece(1, Ambiguous")
    );
}
