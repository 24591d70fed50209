//! `lancet grep` and `lancet glob`.

use crate::stage::Stage;

fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("src/a.rs", "fn one() {}\nfn two_test() {}\n");
    stage.file("src/b.py", "two_test = 2\n");
    stage.file(".gitignore", "*.log\n");
    stage.file("run.log", "two_test\n");
    stage
}

#[test]
fn lines_stand_under_their_file_and_the_end_says_what_was_left_out() {
    let run = stage().run(&["grep", "two_test"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.out
            .starts_with("src/a.rs\n2:fn two_test() {}\n\nsrc/b.py\n1:"),
        "{run:?}"
    );
    assert!(run.out.contains("1 ignored"), "{run:?}");
    assert!(
        !run.out.contains("run.log") && !run.out.contains('\x1b'),
        "{run:?}"
    );
}

#[test]
fn ripgreps_short_flags_mean_the_same() {
    let stage = stage();
    let run = stage.run(&["grep", "-l", "-t", "py", "TWO", "-i"]);
    assert!(run.out.starts_with("src/b.py\n"), "{run:?}");
    let run = stage.run(&["grep", "-c", "-g", "*.rs", "fn"]);
    assert!(run.out.starts_with("src/a.rs:2\n"), "{run:?}");
    let run = stage.run(&["grep", "-U", "one.*two", "src"]);
    assert!(
        run.out.contains("1:fn one() {}\n2:fn two_test() {}\n"),
        "{run:?}"
    );
    let run = stage.run(&["grep", "--no-ignore", "-N", "^two_test$"]);
    assert!(run.out.starts_with("run.log\ntwo_test\n"), "{run:?}");
    let run = stage.run(&["grep", "-A", "1", "-C", "0", "one"]);
    assert!(
        run.out.contains("1:fn one() {}\n2-fn two_test() {}\n"),
        "{run:?}"
    );
    let run = stage.run(&["grep", "--", "-x"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("no match"), "{run:?}");
}

#[test]
fn files_are_listed_by_name() {
    let stage = stage();
    let run = stage.run(&["glob", "src/*.{rs,py}", "--limit", "1"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("file 1 of 2"), "{run:?}");
    let run = stage.run(&["glob", "*.log", "--no-ignore"]);
    assert!(run.out.starts_with("run.log\n"), "{run:?}");
}

#[test]
fn json_is_one_object_a_line_and_a_last_one_with_the_totals() {
    let run = stage().run(&["grep", "two_test", "--json"]);
    let lines: Vec<serde_json::Value> = run
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 3, "{run:?}");
    assert_eq!(lines[0]["line"], 2);
    assert_eq!(lines[0]["submatches"], serde_json::json!([[3, 11]]));
    assert_eq!(lines[2]["numMatches"], 2);
    assert_eq!(lines[2]["skipped"]["ignored"], 1);
}

#[test]
fn a_broken_pattern_is_refused() {
    let stage = stage();
    let run = stage.run(&["grep", "("]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.err.contains("invalid") && run.err.contains("unclosed group"),
        "{run:?}"
    );
    let run = stage.run(&["grep", "x", "nowhere"]);
    assert_eq!(run.code, 1, "{run:?}");
}

#[test]
fn hints_are_flags_that_can_be_typed() {
    let stage = stage();
    let run = stage.run(&["grep", "two_test", "--limit", "1"]);
    assert!(
        run.out
            .contains("next page: the same command with --offset 1]"),
        "{run:?}"
    );
    let run = stage.run(&["grep", "^two_test$"]);
    assert!(run.out.contains("; --no-ignore searches them"), "{run:?}");
    let run = stage.run(&["glob", "*.log"]);
    assert!(run.out.contains("; --no-ignore lists them"), "{run:?}");
    let run = stage.run(&["grep", "one\\ntwo"]);
    assert!(run.err.contains("Give -U to search"), "{run:?}");
    let run = stage.run(&["call", "Grep", r#"{"pattern": "^two_test$"}"#]);
    assert!(
        run.out.contains("include_ignored: true searches"),
        "a tool's call is answered as one: {run:?}"
    );
}
