//! Hunks are found as whole lines, by anchors, numbers and gaps, and change what they say and nothing else.

mod alike;
mod laws;

use super::*;
use crate::ladder::{LeakPolicy, Occurrences, TextKind, Tolerance};
use crate::splice::apply_changes;

fn new_query<'q>(view: &'q str, old: &'q str, new: &'q str) -> Query<'q> {
    Query {
        view,
        damaged: &[],
        old,
        new,
        occurrences: Occurrences::One,
        tolerance: Tolerance::Tolerant,
        abbreviations: &[],
        leaks: LeakPolicy::Refuse,
        text_kind: TextKind::Code,
        bounds: None,
    }
}

/// Returns the result of a hunk, or why there is none.
fn apply_hunk_at(
    view: &str,
    old: &str,
    new: &str,
    hunk: &HunkBounds,
    line: Option<usize>,
) -> String {
    match find_hunk(&new_query(view, old, new), hunk, line) {
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

fn apply_plain_hunk(view: &str, old: &str, new: &str) -> String {
    apply_hunk_at(view, old, new, &HunkBounds::default(), None)
}

fn bounds_with_anchors(anchors: &[&str]) -> HunkBounds {
    HunkBounds {
        anchors: anchors.iter().map(|anchor| (*anchor).to_owned()).collect(),
        last_line: LastLine::Kept,
        ..HunkBounds::default()
    }
}

#[test]
fn does_not_match_part_of_line() {
    assert_eq!(apply_plain_hunk("xa\nab\n", "a\n", "b\n"), "not found");
    assert_eq!(apply_plain_hunk("xa\na\n", "a\n", "b\n"), "xa\nb\n");
}

#[test]
fn matches_last_line_without_newline_and_adds_none() {
    assert_eq!(apply_plain_hunk("a\nb", "b\n", "c\n"), "a\nc");
    assert_eq!(apply_plain_hunk("a\nb\na", "a\n", "c\n"), "ambiguous 2");
    assert_eq!(apply_plain_hunk("a\nb", "b\n", "b\nc\n"), "a\nb\nc");
    assert_eq!(apply_plain_hunk("a\nb", "a\nb\n", "a\n"), "a");
    let with_context = HunkBounds {
        sides: HunkSides::WithContext,
        ..HunkBounds::default()
    };
    let last_gone = apply_hunk_at("a\nb", "a\nb\n", "a\n", &with_context, None);
    assert_eq!(last_gone, "a\n");
    assert_eq!(apply_plain_hunk("a\nb", "b\n", ""), "a\n");
    assert_eq!(apply_plain_hunk("b", "b\n", ""), "");
    assert_eq!(apply_plain_hunk("a\nb", "b\n", "\n"), "a\n");
    assert_eq!(apply_plain_hunk("a\n\nb\n", "\n", "x\n"), "a\nx\nb\n");
}

#[test]
fn markers_tell_which_side_lacks_final_newline() {
    let marked = |old, new| HunkBounds {
        at_end: true,
        old_end: old,
        new_end: new,
        ..HunkBounds::default()
    };
    use FinalNewline::{Lacking, Unmarked};
    let both = |view, old, new, marks: (FinalNewline, FinalNewline)| {
        apply_hunk_at(view, old, new, &marked(marks.0, marks.1), None)
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
fn line_number_selects_only_exact_line() {
    let hunk = HunkBounds::default();
    let view = "a\nx\na\nx\n";
    assert_eq!(
        apply_hunk_at(view, "x\n", "y\n", &hunk, Some(3)),
        "a\nx\na\ny\n"
    );
    assert_eq!(
        apply_hunk_at(view, "x\n", "y\n", &hunk, Some(2)),
        "ambiguous 2"
    );
    assert_eq!(
        apply_hunk_at(view, "x\n", "y\n", &hunk, Some(99)),
        "ambiguous 2"
    );
    assert_eq!(
        apply_hunk_at("a\nx\n", "x\n", "y\n", &hunk, Some(0)),
        "a\ny\n"
    );
    // Places that only a tolerant rung finds are not chosen by number.
    assert_eq!(
        apply_hunk_at("x \nx  \n", "x\n", "y\n", &hunk, Some(0)),
        "ambiguous 2"
    );
}

#[test]
fn anchor_limits_search_to_its_scope() {
    let view = "def f():\n    x\n\n    y\ndef g():\n    x\n    y\nz\n";
    let g = bounds_with_anchors(&["def g():"]);
    assert_eq!(
        apply_hunk_at(view, "    x\n", "    1\n", &g, None),
        "def f():\n    x\n\n    y\ndef g():\n    1\n    y\nz\n"
    );
    assert_eq!(
        apply_hunk_at(view, "z\n", "z\n1\n", &g, None)
            .matches("z\n1\n")
            .count(),
        1
    );
    let replaced = HunkBounds {
        last_line: LastLine::Replaced,
        ..g.clone()
    };
    assert_eq!(
        apply_hunk_at(view, "z\n", "1\n", &replaced, None),
        "not found"
    );
    assert!(
        apply_hunk_at(view, "def g():\n", "def g():\n    0\n", &g, None)
            .contains("def g():\n    0\n")
    );
    let h = bounds_with_anchors(&["def h():"]);
    assert_eq!(
        apply_hunk_at(view, "z\n", "1\n", &h, None),
        "Err(NoAnchor(\"def h():\"))"
    );
    assert_eq!(
        apply_hunk_at(view, "", "    0\n", &g, None),
        "def f():\n    x\n\n    y\ndef g():\n    0\n    x\n    y\nz\n"
    );
}

#[test]
fn nested_anchors_narrow_scope() {
    let view = "class A:\n  def f:\n    x\nclass B:\n  def f:\n    x\n  def g:\n    x\n";
    let hunk = bounds_with_anchors(&["class B:", "def f:"]);
    assert_eq!(
        apply_hunk_at(view, "    x\n", "    1\n", &hunk, None),
        "class A:\n  def f:\n    x\nclass B:\n  def f:\n    1\n  def g:\n    x\n"
    );
    assert_eq!(
        apply_hunk_at(
            view,
            "    x\n",
            "1\n",
            &bounds_with_anchors(&["def f:"]),
            None
        ),
        "ambiguous 2"
    );
    assert_eq!(
        apply_hunk_at(view, "", "1\n", &bounds_with_anchors(&["def f:"]), None),
        "ambiguous 2"
    );
    let missing = bounds_with_anchors(&["class A:", "def g:"]);
    assert_eq!(
        apply_hunk_at(view, "    x\n", "1\n", &missing, None),
        "Err(NoAnchor(\"def g:\"))"
    );
}

#[test]
fn pure_insertion_needs_anchor_or_end_of_file() {
    assert_eq!(apply_plain_hunk("a\n", "", "b\n"), "Err(NoPlace)");
    assert_eq!(apply_plain_hunk("", "", "b\n"), "b\n");
    let end = HunkBounds {
        at_end: true,
        ..HunkBounds::default()
    };
    assert_eq!(apply_hunk_at("a\n", "", "b\n", &end, None), "a\nb\n");
    assert_eq!(apply_hunk_at("a", "", "b\n", &end, None), "a\nb");
    assert_eq!(
        apply_hunk_at("x\na\nx\n", "x\n", "y\n", &end, None),
        "x\na\ny\n"
    );
    assert_eq!(
        apply_hunk_at("x\na\n", "x\n", "y\n", &end, None),
        "not found"
    );
}

#[test]
fn finds_pieces_between_gaps_separately() {
    let gaps = HunkBounds {
        gaps: GapHandling::Allowed,
        ..HunkBounds::default()
    };
    let found = |view, old, new| apply_hunk_at(view, old, new, &gaps, None);
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
