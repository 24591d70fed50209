//! Tests that the rows of a diff have the same text as the diff.

use std::path::Path;

use askama::Template as _;
use proptest::prelude::*;

use super::line::LineText;
use super::rows::{DiffCell, DiffRow};
use super::*;

fn diff_part(
    layout: DiffLayout,
    from: usize,
    most: usize,
    budget: &HighlightingBudget,
) -> DiffPart<'_> {
    DiffPart {
        layout,
        from,
        most,
        budget,
    }
}

fn first_part_of(texts: &[&str], layout: DiffLayout) -> Diff {
    Diff::from_unified(
        Path::new("a.rs"),
        texts,
        &diff_part(layout, 0, LINES_PER_PART, &HighlightingBudget::for_page()),
    )
}

fn render_html(texts: &[&str], layout: DiffLayout) -> String {
    let diff = first_part_of(texts, layout);
    diff.hunks
        .iter()
        .map(|hunk| hunk.rows.render().expect("rows"))
        .collect()
}

fn line_text(line: &LineText) -> String {
    let parts = line.parts.iter().chain(&line.rest);
    parts.map(|part| part.text.as_str()).collect()
}

/// Lines with their numbers.
type Lines = Vec<(usize, String)>;

/// Returns the lines of the old and of the new text in the rows, with their numbers.
fn old_and_new_lines(diff: &Diff) -> (Lines, Lines) {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let mut put = |left: Option<(usize, &DiffCell)>, right: Option<(usize, &DiffCell)>| {
        old.extend(left.map(|(number, cell)| (number, line_text(&cell.text))));
        new.extend(right.map(|(number, cell)| (number, line_text(&cell.text))));
    };
    let bodies = diff.hunks.iter().flat_map(|hunk| &hunk.rows.bodies);
    for row in bodies.flat_map(|body| &body.rows) {
        match row {
            DiffRow::Line(cell, before) => {
                let number = cell.number.expect("a number");
                match cell.class {
                    "removed" => put(Some((number, cell)), None),
                    "added" => put(None, Some((number, cell))),
                    _ => put(
                        Some((before.expect("a number"), cell)),
                        Some((number, cell)),
                    ),
                }
            }
            DiffRow::Pair(left, right) => put(
                left.as_ref()
                    .map(|cell| (cell.number.expect("a number"), cell)),
                right
                    .as_ref()
                    .map(|cell| (cell.number.expect("a number"), cell)),
            ),
            DiffRow::Remark(_) => {}
        }
    }
    (old, new)
}

/// Returns a diff of some hunks, each given by its lines: kept, removed or added.
fn diff_from_hunks(hunks: &[Vec<(u8, String)>]) -> (String, Lines, Lines) {
    let (mut diff, mut old, mut new) = (String::new(), Vec::new(), Vec::new());
    let (mut left, mut right) = (1, 1);
    for hunk in hunks {
        let count = |wanted: u8| hunk.iter().filter(|(kind, _)| *kind == wanted).count();
        let (removed, added) = (count(0) + count(1), count(0) + count(2));
        diff.push_str(&format!("@@ -{left},{removed} +{right},{added} @@\n"));
        for (kind, line) in hunk {
            diff.push_str([" ", "-", "+"][usize::from(*kind)]);
            diff.push_str(&format!("{line}\n"));
            if *kind != 2 {
                old.push((left, line.clone()));
                left += 1;
            }
            if *kind != 1 {
                new.push((right, line.clone()));
                right += 1;
            }
        }
        (left, right) = (left + 7, right + 7);
    }
    (diff, old, new)
}

fn any_hunks() -> impl Strategy<Value = Vec<Vec<(u8, String)>>> {
    let word = prop_oneof![
        "[a-z =;(){}\"/*]{0,20}",
        "[<>&'\"é字\t-]{0,8}",
        "x{500,700}"
    ];
    let line = (0u8..3, word);
    proptest::collection::vec(proptest::collection::vec(line, 1..40), 1..4)
}

proptest! {
    #![proptest_config(lancet_testing::laws::config_of(lancet_testing::laws::limited(lancet_testing::laws::cases(), 100)))]

    /// In both layouts, and combined from parts of any length, the rows have every line of both texts once, in order
    /// and with its number.
    #[test]
    fn rows_reproduce_the_diff(hunks in any_hunks(), part in 1usize..60) {
        let (diff, old, new) = diff_from_hunks(&hunks);
        for layout in [DiffLayout::Unified, DiffLayout::Split] {
            let whole = Diff::from_unified(Path::new("a.txt"), &[&diff], &diff_part(layout, 0, usize::MAX, &HighlightingBudget::for_page()));
            prop_assert_eq!(old_and_new_lines(&whole), (old.clone(), new.clone()));
            prop_assert!(whole.next.is_none());
            let (mut from, mut lines) = (0, (Vec::new(), Vec::new()));
            loop {
                let made = Diff::from_unified(Path::new("a.txt"), &[&diff], &diff_part(layout, from, part, &HighlightingBudget::for_page()));
                let (left, right) = old_and_new_lines(&made);
                lines.0.extend(left);
                lines.1.extend(right);
                match made.next {
                    Some(next) => {
                        prop_assert!(next.from >= from + part);
                        prop_assert_eq!(next.left, made.total - next.from);
                        from = next.from;
                    }
                    None => break,
                }
            }
            prop_assert_eq!(lines, (old.clone(), new.clone()));
        }
    }
}

#[test]
fn marks_changed_words_and_highlights_syntax() {
    let diff = "@@ -1 +1 @@\n-let limit = 10;\n+let limit = 20;\n";
    let unified = render_html(&[diff], DiffLayout::Unified);
    let line = "<tr class=\"added\"><td class=\"number\"></td><td class=\"number\" data-line=\"1\">1</td><td class=\"sign\">+</td><td class=\"text\"><span class=\"s-keyword\">let</span> limit = <mark><span class=\"s-number\">20</span></mark>;</td></tr>";
    assert!(unified.contains(line), "{unified}");
    assert!(unified.contains("data-line=\"-1\""), "{unified}");
    let split = render_html(&[diff], DiffLayout::Split);
    assert_eq!(split.matches("<tr>").count(), 1, "{split}");
}

#[test]
fn escapes_hostile_text() {
    let diff =
        "@@ -1 +1,2 @@\n+<script>alert(1)</script>\n+\u{202e}\" onmouseover='x' \u{1b}[2K\n \n";
    for layout in [DiffLayout::Unified, DiffLayout::Split] {
        let made = render_html(&[diff], layout);
        assert!(!made.contains("<script"), "{made}");
        assert!(
            !made.contains('\u{202e}') && !made.contains('\u{1b}'),
            "{made}"
        );
        assert!(
            made.contains("&lt;U+202E&gt;") || made.contains("&#60;U+202E&#62;"),
            "{made}"
        );
        assert!(!made.contains("onmouseover='"), "{made}");
    }
}

#[test]
fn missing_final_newline_is_reported_for_its_side() {
    let diff = "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n";
    for layout in [DiffLayout::Unified, DiffLayout::Split] {
        let made = render_html(&[diff], layout);
        assert!(
            made.contains("The old text has no newline at its end"),
            "{made}"
        );
        assert!(!made.contains("The new text"), "{made}");
    }
}

#[test]
fn folds_long_context_and_cuts_long_lines() {
    let context = " same\n".repeat(LONG);
    let diff = format!(
        "@@ -1,{LONG} +1,{} @@\n{context}+new {}\n",
        LONG + 1,
        "y".repeat(900)
    );
    let made = render_html(&[&diff], DiffLayout::Unified);
    assert!(made.contains("92 unchanged lines"), "{made}");
    assert!(made.contains("304 more characters"), "{made}");
}

const LONG: usize = 100;

#[test]
fn hunks_keep_text_position_and_gap() {
    let one = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -20 +20,0 @@\n-x\n";
    let two = "@@ -40,0 +40,2 @@\n+y\n+z\n";
    let made = first_part_of(&[one, two], DiffLayout::Unified);
    let hunks: Vec<_> = made
        .hunks
        .iter()
        .map(|hunk| {
            (
                hunk.text,
                hunk.number,
                hunk.is_first_of_text,
                hunk.gap,
                hunk.place.as_str(),
            )
        })
        .collect();
    assert_eq!(
        hunks,
        [
            (0, 1, true, 0, "lines 1 to 2"),
            (0, 2, false, 17, "line 20"),
            (1, 3, true, 19, "lines 40 to 41"),
        ]
    );
    assert_eq!(made.hunks[0].line, 2);
}

#[test]
fn omits_file_names_of_header_but_keeps_mode_changes() {
    let diff = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- one\n+++ two\n";
    let made = render_html(&[diff], DiffLayout::Unified);
    assert!(made.contains("new mode 100755"), "{made}");
    assert!(!made.contains("a/x"), "{made}");
    assert!(
        made.contains("-- <mark>one") || made.contains("-- one"),
        "{made}"
    );
}
