//! Properties of hunks: applied to the old text they give the new one, both with the reader here and with git's.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::document::Document;
use crate::splice::Change;

/// Enough time for a slow machine: the results that these tests check never depend on the clock.
const AMPLE_TIME: Duration = Duration::from_secs(60);

fn apply_changes_to_view(view: &str, changes: &[Change]) -> String {
    let mut new = String::new();
    let mut at = 0;
    for change in changes {
        new.push_str(&view[at..change.range.start]);
        new.push_str(&change.text);
        at = change.range.end;
    }
    new + &view[at..]
}

/// Applies hunks strictly: every number must be correct, and every old line must exist.
fn apply_hunks(old: &str, hunks: &[Hunk]) -> String {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let mut new: Vec<String> = Vec::new();
    let mut at = 0;
    for hunk in hunks {
        let start = |start: usize, count: usize| start - usize::from(count > 0);
        let from = start(hunk.old_start, hunk.old_lines);
        assert!(from >= at, "hunks overlap");
        new.extend(lines[at..from].iter().map(|line| line.to_string()));
        at = from;
        let new_from = start(hunk.new_start, hunk.new_lines);
        assert_eq!(new_from, new.len(), "new_start of {hunk:?}");
        for (index, line) in hunk.lines.iter().enumerate() {
            let unended = hunk
                .lines
                .get(index + 1)
                .is_some_and(|next| next.starts_with('\\'));
            let text = format!("{}{}", &line[1..], if unended { "" } else { "\n" });
            match line.as_bytes()[0] {
                b'\\' => {}
                b'+' => new.push(text),
                mark => {
                    assert_eq!(lines[at], text, "old line {at}");
                    at += 1;
                    if mark == b' ' {
                        new.push(text);
                    }
                }
            }
        }
        assert_eq!(at - from, hunk.old_lines, "old_lines");
        assert_eq!(new.len() - new_from, hunk.new_lines, "new_lines");
    }
    new.extend(lines[at..].iter().map(|line| line.to_string()));
    new.concat()
}

fn assert_difference_is_exact(old: &str, new: &str, difference: &Difference) {
    assert!(!difference.coarse);
    assert_eq!(apply_hunks(old, &difference.hunks), new);
    let count = |mark: char| {
        let lines = difference.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.filter(|line| line.starts_with(mark)).count()
    };
    assert_eq!(difference.added, count('+'));
    assert_eq!(difference.removed, count('-'));
    for pair in difference.blocks.windows(2) {
        assert!(
            pair[0].0.end < pair[1].0.start,
            "blocks touch: {:?}",
            difference.blocks
        );
    }
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let mut rebuilt: Vec<&str> = Vec::new();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let mut at = 0;
    for (before, after) in &difference.blocks {
        rebuilt.extend(&old_lines[at..before.start]);
        assert_eq!(rebuilt.len(), after.start);
        rebuilt.extend(&new_lines[after.clone()]);
        at = before.end;
    }
    rebuilt.extend(&old_lines[at..]);
    assert_eq!(rebuilt.concat(), new);
}

fn text() -> impl Strategy<Value = String> {
    "(a|b|\n|\n|xy|  z|é|\r){0,24}"
}

fn text_with_changes() -> impl Strategy<Value = (String, Vec<Change>)> {
    let part = "(a|b|\n|\n|xy|  z|é){0,6}";
    let change = (part.prop_map(String::from), "(a|\n|b\n|zz){0,4}", part);
    (part, prop::collection::vec(change, 0..5)).prop_map(|(head, parts)| {
        let mut view = head;
        let mut changes = Vec::new();
        for (old, text, gap) in parts {
            let start = view.len();
            view.push_str(&old);
            changes.push(Change {
                range: start..view.len(),
                text,
            });
            view.push_str(&gap);
        }
        (view, changes)
    })
}

proptest! {
    #![proptest_config(crate::laws::config())]

    #[test]
    fn hunks_of_changes_turn_old_into_new((view, changes) in text_with_changes(), context in 0usize..4) {
        let new = apply_changes_to_view(&view, &changes);
        let index = LineStarts::new(&view);
        let found = hunks_of_changes(&view, &index, &changes, context);
        assert_difference_is_exact(&view, &new, &found);
        let document = Document::decode(view.as_bytes(), None).expect("it is text");
        prop_assert_eq!(found, hunks_of_changes(document.view(), &document, &changes, context));
    }

    #[test]
    fn hunks_in_two_contexts_are_those_of_each((view, changes) in text_with_changes(), narrow in 0usize..4, more in 0usize..3) {
        let document = Document::decode(view.as_bytes(), None).expect("text");
        let (first, second) = hunks_in_contexts(&view, &document, &changes, (narrow, narrow + more));
        prop_assert_eq!(first, hunks_of_changes(&view, &document, &changes, narrow));
        prop_assert_eq!(second, Some(hunks_of_changes(&view, &document, &changes, narrow + more)));
    }

    #[test]
    fn difference_turns_old_into_new(old in text(), new in text(), context in 0usize..4) {
        assert_difference_is_exact(&old, &new, &difference(&old, &new, context, AMPLE_TIME));
    }

    #[test]
    fn distant_edits_keep_lines_between_them((view, changes) in text_with_changes(), lines in 60usize..90) {
        let middle: String = (0..lines).map(|line| format!("line {line}\n")).collect();
        let old = format!("{view}\n{middle}{view}");
        let new = format!("{}\n{middle}{view}x", apply_changes_to_view(&view, &changes));
        let found = difference(&old, &new, 3, AMPLE_TIME);
        assert_difference_is_exact(&old, &new, &found);
    }
}

fn render_diff(view: &str, range: Range<usize>, text: &str) -> String {
    let changes = [Change {
        range,
        text: text.to_owned(),
    }];
    unified_diff(&hunks_of_changes(view, &LineStarts::new(view), &changes, 1).hunks)
}

#[test]
fn insertion_has_correct_line_numbers() {
    assert_eq!(
        render_diff("a\nb\n", 0..0, "n\n"),
        "@@ -1,1 +1,2 @@\n+n\n a\n"
    );
    assert_eq!(render_diff("", 0..0, "n\n"), "@@ -0,0 +1,1 @@\n+n\n");
    assert_eq!(render_diff("a\n", 2..2, "n\n"), "@@ -1,1 +1,2 @@\n a\n+n\n");
    let bare = hunks_of_changes(
        "a\nb\n",
        &LineStarts::new("a\nb\n"),
        &[Change {
            range: 2..2,
            text: "n\n".into(),
        }],
        0,
    );
    assert_eq!(unified_diff(&bare.hunks), "@@ -1,0 +2,1 @@\n+n\n");
}

#[test]
fn deletes_whole_lines_without_neighbours() {
    assert_eq!(
        render_diff("a\nb\nc\n", 2..4, ""),
        "@@ -1,3 +1,2 @@\n a\n-b\n c\n"
    );
    // The newline before instead of the one after: the same lines change.
    assert_eq!(
        render_diff("a\nb\nc\n", 1..3, ""),
        "@@ -1,3 +1,2 @@\n a\n-b\n c\n"
    );
    assert_eq!(render_diff("a\n", 0..2, ""), "@@ -1,1 +0,0 @@\n-a\n");
}

#[test]
fn marks_missing_final_newline() {
    assert_eq!(
        render_diff("a\nb", 2..3, "c"),
        "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"
    );
    assert_eq!(
        render_diff("a\nb", 3..3, "\n"),
        "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
    );
    assert_eq!(
        render_diff("x\na\nb", 0..1, "y"),
        "@@ -1,2 +1,2 @@\n-x\n+y\n a\n"
    );
}

#[test]
fn merges_two_changes_of_one_line() {
    let view = "one two three\nnext\n";
    let changes = [
        Change {
            range: 0..3,
            text: "1".into(),
        },
        Change {
            range: 8..13,
            text: "3".into(),
        },
    ];
    let found = hunks_of_changes(view, &LineStarts::new(view), &changes, 3);
    assert_eq!(
        unified_diff(&found.hunks),
        "@@ -1,2 +1,2 @@\n-one two three\n+1 two 3\n next\n"
    );
    assert_eq!((found.added, found.removed), (1, 1));
}

#[test]
fn merges_hunks_whose_contexts_touch() {
    let view: String = (1..=20).map(|line| format!("{line}\n")).collect();
    let index = LineStarts::new(&view);
    let change = |line: usize| Change {
        range: index.line_range(line - 1),
        text: "x".into(),
    };
    let together = hunks_of_changes(&view, &index, &[change(5), change(12)], 3);
    assert_eq!(together.hunks.len(), 1);
    let apart = hunks_of_changes(&view, &index, &[change(5), change(13)], 3);
    assert_eq!(apart.hunks.len(), 2);
}

#[test]
fn oversized_difference_is_coarse() {
    let long = "x".repeat(MAX_CHANGED_BYTES);
    let view = format!("head\n{long}\ntail\n");
    let index = LineStarts::new(&view);
    let changes = [Change {
        range: 6..7,
        text: "a\nb".into(),
    }];
    let found = hunks_of_changes(&view, &index, &changes, 3);
    assert!(found.coarse);
    assert_eq!(unified_diff(&found.hunks), "@@ -2,1 +2,2 @@\n");
    assert_eq!((found.added, found.removed), (2, 1));

    let near = [Change {
        range: 0..4,
        text: "HEAD".into(),
    }];
    assert!(
        !hunks_of_changes(&view, &index, &near, 3).coarse,
        "a long neighbour is shown"
    );

    let rewritten: String = (0..100_000)
        .map(|line| format!("another {line}\n"))
        .collect();
    let found = difference(
        &format!("top\n{view}"),
        &format!("top\n{rewritten}"),
        3,
        AMPLE_TIME,
    );
    assert!(found.coarse);
    assert_eq!(found.hunks[0].old_start, 2);
    assert_eq!(found.added, 100_000);
}

#[test]
fn exhausted_budget_gives_coarse_difference() {
    let found = difference("a\nb\nc\n", "a\nx\nc\n", 3, Duration::ZERO);
    assert!(found.coarse);
    assert_eq!(found.blocks, [(1..2, 1..2)]);
    assert!(difference("a\n", "a\n", 3, Duration::ZERO).is_empty());
}

#[test]
fn compares_repetitive_lines_within_budget() {
    let few = |seed: usize| -> String {
        (0..20_000usize)
            .map(|line| format!("{}\n", (line * (line + seed)) % 7 % 3))
            .collect()
    };
    let (old, new) = (
        format!("{}unique\n{}", few(1), few(2)),
        format!("{}unique\n{}", few(3), few(2)),
    );
    let found = difference(&old, &new, 3, Duration::from_millis(200));
    assert_difference_is_exact(&old, &new, &found);
    assert_eq!(
        found.blocks.len(),
        1,
        "what stands below the unique line is the same"
    );
    assert!(found.blocks[0].0.end <= 20_000);
}

#[test]
fn outline_is_bounded() {
    let view: String = (1..=500).map(|line| format!("{line}\n")).collect();
    let index = LineStarts::new(&view);
    let changes: Vec<_> = (0..50)
        .map(|at| Change {
            range: index.line_range(at * 10),
            text: "x".into(),
        })
        .collect();
    let text = outline_hunks(&hunks_of_changes(&view, &index, &changes, 0).hunks);
    assert!(
        text.starts_with("lines 1 (now 1); lines 11 (now 11); "),
        "{text}"
    );
    assert!(text.ends_with("; 30 more"), "{text}");
}

/// The real program decides whether the output is correct.
#[test]
fn git_applies_printed_diff() {
    let numbered: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    let pairs = [
        ("a\nb\nc\n".to_owned(), "a\nB\nc\n".to_owned()),
        ("a\nb".into(), "a\nb\n".into()),
        ("a\nb\n".into(), "a\nb".into()),
        ("a\n".into(), "a\nb\nc".into()),
        (
            numbered.clone(),
            numbered
                .replace("line 7\n", "")
                .replace("line 30\n", "x\ny\n"),
        ),
        (numbered.clone(), format!("new\n{numbered}end")),
        (numbered.clone(), numbered.replace("line 39\nline 40\n", "")),
    ];
    let folder = std::env::temp_dir().join(format!("lancet-text-judge-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the judge");
    for (old, new) in pairs {
        let from_diff = difference(&old, &new, 3, AMPLE_TIME);
        let whole = [Change {
            range: 0..old.len(),
            text: new.clone(),
        }];
        let from_spans = hunks_of_changes(&old, &LineStarts::new(&old), &whole, 3);
        for found in [from_diff, from_spans] {
            assert_difference_is_exact(&old, &new, &found);
            std::fs::write(folder.join("file"), &old).expect("the old file");
            let patch = format!("--- a/file\n+++ b/file\n{}", unified_diff(&found.hunks));
            let mut judge = Command::new("git")
                .args(["apply", "--unidiff-zero", "-"])
                .current_dir(&folder)
                .env("GIT_CEILING_DIRECTORIES", std::env::temp_dir())
                .stdin(Stdio::piped())
                .spawn()
                .expect("git is installed");
            let mut input = judge.stdin.take().expect("its input");
            input.write_all(patch.as_bytes()).expect("the patch");
            drop(input);
            assert!(
                judge.wait().expect("git ends").success(),
                "git refused:\n{patch}"
            );
            let result = std::fs::read_to_string(folder.join("file")).expect("the new file");
            assert_eq!(result, new, "after\n{patch}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}
