//! `lancet edit`, for the cases that need no terminal.

use crate::stage::{Stage, path_argument};

#[test]
fn text_is_replaced_without_a_read_before_it() {
    let stage = Stage::new();
    let path = stage.file("a.txt", "one\r\ntwo\r\nthree\r\n");
    let (code, data) = stage.json(&[
        "edit", "a.txt", "--old", "two", "--new", "2", "--yes", "--json",
    ]);
    assert_eq!(code, 0, "{data}");
    assert_eq!(stage.text("a.txt"), "one\r\n2\r\nthree\r\n");
    assert_eq!(data["type"], "update");
    assert_eq!(data["matched"], "exact");
    assert_eq!(data["file_path"], path_argument(&path));
    assert_eq!(data["patch"][0]["oldStart"], 1);
    assert!(
        data["text"]
            .as_str()
            .is_some_and(|text| text.contains("2→2"))
    );
}

#[test]
fn lines_far_down_a_long_file_may_be_changed_too() {
    let stage = Stage::new();
    let text: String = (1..=5000).map(|line| format!("line {line}.\n")).collect();
    stage.file("long.txt", &text);
    let run = stage.run(&[
        "edit",
        "long.txt",
        "--old",
        "line 4321.",
        "--new",
        "LINE",
        "--yes",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("long.txt"), text.replace("line 4321.", "LINE"));
}

#[test]
fn texts_come_from_files_and_standard_input() {
    let stage = Stage::new();
    stage.file("a.txt", "one\ntwo\nthree\n");
    stage.file("old.txt", "one\ntwo\n");
    let run = stage.run_with(
        &[
            "edit",
            "a.txt",
            "--old-file",
            "old.txt",
            "--new-file",
            "-",
            "--yes",
        ],
        "1\n2\n",
    );
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.txt"), "1\n2\nthree\n");
    let run = stage.run_with(
        &["edit", "a.txt", "--old-file", "-", "--new", "-", "--yes"],
        "three",
    );
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.txt"), "1\n2\n-\n", "`-` as a text is a text");
    let run = stage.run_with(
        &[
            "edit",
            "a.txt",
            "--old-file",
            "-",
            "--new-file",
            "-",
            "--yes",
        ],
        "x",
    );
    assert_eq!(run.code, 2, "{run:?}");
    let run = stage.run(&[
        "edit",
        "a.txt",
        "--old-file",
        "none.txt",
        "--new",
        "x",
        "--yes",
    ]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("none.txt"), "{run:?}");
    let mut command = stage.command(crate::stage::LANCET);
    command.args(["edit", "a.txt", "--old", "1", "--new-file", "-", "--yes"]);
    let run = crate::stage::finish(command, b"ok\xff");
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("UTF-8"), "{run:?}");
    assert_eq!(stage.text("a.txt"), "1\n2\n-\n");
}

#[test]
fn without_a_terminal_and_without_yes_nothing_is_written() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let edit = ["edit", "a.txt", "--old", "one", "--new", "two"];
    let run = stage.run_with(&edit, "y\n");
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.err.contains("--yes") && run.err.contains("terminal"),
        "{run:?}"
    );
    assert!(
        !run.err.contains("person declined"),
        "nobody was asked: {run:?}"
    );
    let (code, data) = stage.json(&[&edit[..], &["--json"]].concat());
    assert_eq!((code, &data["error"]["name"]), (1, &"declined".into()));
    assert!(
        data["text"]
            .as_str()
            .is_some_and(|text| text.contains("--yes")),
        "{data}"
    );
    assert_eq!(stage.text("a.txt"), "one\n");
}

#[test]
fn yes_does_not_open_protected_names() {
    let stage = Stage::new();
    stage.file(".git/config", "[core]\n");
    let run = stage.run(&[
        "edit",
        ".git/config",
        "--old",
        "[core]",
        "--new",
        "[evil]",
        "--yes",
    ]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("person at a terminal"), "{run:?}");
    assert_eq!(stage.text(".git/config"), "[core]\n");
}

#[test]
fn a_preview_shows_the_diff_and_writes_nothing() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let run = stage.run(&["edit", "a.txt", "--old", "one", "--new", "two", "--diff"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("-one\n+two"), "{run:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
    let (_, data) = stage.json(&[
        "edit", "a.txt", "--old", "one", "--new", "two", "--diff", "--json",
    ]);
    assert_eq!(data["dryRun"], true);
    assert!(data.get("operation").is_none());
}

#[test]
fn several_places_need_replace_all() {
    let stage = Stage::new();
    stage.file("a.txt", "x\nx\n");
    let edit = ["edit", "a.txt", "--old", "x", "--new", "y", "--yes"];
    let run = stage.run(&edit);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("ambiguous"), "{run:?}");
    let wrong = [&edit[..], &["--replace-all", "--expect-count", "3"]].concat();
    assert_eq!(stage.run(&wrong).code, 1);
    assert_eq!(stage.text("a.txt"), "x\nx\n");
    let right = [&edit[..], &["--replace-all", "--expect-count", "2"]].concat();
    assert_eq!(stage.run(&right).code, 0);
    assert_eq!(stage.text("a.txt"), "y\ny\n");
}

#[test]
fn text_that_begins_with_a_dash_is_text() {
    let stage = Stage::new();
    stage.file("a.md", "- item\n");
    let run = stage.run(&[
        "edit", "a.md", "--old", "- item", "--new", "--item", "--yes",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.md"), "--item\n");
}

#[test]
fn a_secret_file_is_edited_by_a_rule_of_ones_own_only() {
    let stage = Stage::new().with_token();
    stage.file(".env", "A=1\n");
    let edit = [
        "edit",
        ".env",
        "--old",
        "1",
        "--new",
        "2",
        "--yes-protected",
    ];
    let run = stage.run(&edit);
    assert_eq!(run.code, 1, "{run:?}");
    let rule = r#"allow = ["Read(.env)"]"#;
    assert!(run.err.contains(rule), "it says what lifts it: {run:?}");
    let own = stage.home().join(".config/lancet");
    std::fs::create_dir_all(&own).expect("a folder");
    let settings = format!("[permissions]\n{rule}\n");
    std::fs::write(own.join("lancet.toml"), settings).expect("settings");
    assert_eq!(stage.run(&edit).code, 0);
    assert_eq!(stage.text(".env"), "A=2\n");
}

#[test]
fn display_text_is_refused_unless_insisted_on() {
    let stage = Stage::new();
    stage.file("a.txt", "one\ntwo\n");
    let edit = [
        "edit",
        "a.txt",
        "--old",
        "one\ntwo",
        "--new",
        "1→one\n2→zwei",
        "--yes",
    ];
    let run = stage.run(&edit);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("leaked"), "{run:?}");
    assert_eq!(stage.run(&[&edit[..], &["--insist"]].concat()).code, 0);
    assert_eq!(stage.text("a.txt"), "1→one\n2→zwei\n");
}

#[test]
fn an_empty_old_text_creates_a_file() {
    let stage = Stage::new();
    let run = stage.run(&["edit", "new/a.txt", "--old", "", "--new", "text\n", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("new/a.txt"), "text\n");
}

#[test]
fn another_revision_is_stale() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let edit = [
        "edit",
        "a.txt",
        "--old",
        "one",
        "--new",
        "two",
        "--yes",
        "--revision",
    ];
    let run = stage.run(&[&edit[..], &["0123456789abcdef"]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("stale"), "{run:?}");
    let (_, data) = stage.json(&["read", "a.txt", "--json"]);
    let revision = data["revision"].as_str().expect("a revision");
    assert_eq!(stage.run(&[&edit[..], &[revision]].concat()).code, 0);
    assert_eq!(stage.text("a.txt"), "two\n");
}

#[test]
fn a_named_session_changes_only_what_it_has_read() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let edit = [
        "edit",
        "a.txt",
        "--old",
        "one",
        "--new",
        "two",
        "--yes",
        "--session",
        "talk",
    ];
    let run = stage.run(&edit);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("not_read"), "{run:?}");
    assert_eq!(stage.run(&["read", "a.txt", "--session", "talk"]).code, 0);
    let run = stage.run(&edit);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.txt"), "two\n");
}

#[test]
fn a_change_in_a_named_session_is_answered_as_any_other() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "one\n");
    let session = ["--yes", "--session", "talk"];
    assert_eq!(stage.run(&["read", "a.txt", "--session", "talk"]).code, 0);
    let edit = |file| ["edit", file, "--old", "one", "--new", "two"];
    let in_session = stage.run(&[&edit("a.txt")[..], &session].concat());
    let alone = stage.run(&[&edit("b.txt")[..], &["--yes"]].concat());
    assert_eq!((in_session.code, alone.code), (0, 0), "{in_session:?}");
    assert_eq!(in_session.out, alone.out.replace("b.txt", "a.txt"));
}

#[test]
fn a_regular_expression_in_a_named_session_changes_what_the_session_has_read() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let edit = [
        "edit",
        "a.txt",
        "--regex",
        "o(n)e",
        "--new",
        "$1",
        "--yes",
        "--session",
        "talk",
    ];
    let run = stage.run(&edit);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("not_read"), "{run:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
    assert_eq!(stage.run(&["read", "a.txt", "--session", "talk"]).code, 0);
    let run = stage.run(&edit);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.txt"), "n\n");
    let run = stage.run(&["log", "--session", "talk"]);
    assert!(run.out.contains("a.txt"), "{run:?}");
}

#[test]
fn an_escape_in_a_plain_new_text_is_pointed_out() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let run = stage.run(&["edit", "a.txt", "--old", "one", "--new", "a\\nb", "--yes"]);
    assert_eq!((run.code, &*stage.text("a.txt")), (0, "a\\nb\n"), "{run:?}");
    assert!(
        run.err.contains(r"--new: \n is written as it is"),
        "{run:?}"
    );
    // Code means it so.
    stage.file("b.py", "print('one')\n");
    let run = stage.run(&["edit", "b.py", "--old", "one", "--new", "a\\nb'", "--yes"]);
    assert!(!run.err.contains("as it is"), "{run:?}");
}

#[test]
fn plan_mode_writes_nothing() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let run = stage.run(&[
        "edit", "a.txt", "--old", "one", "--new", "two", "--yes", "--mode", "plan",
    ]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("plan mode"), "{run:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
}

#[test]
fn an_unfinished_command_line_is_a_usage_error_in_either_form() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let run = stage.run(&["edit", "a.txt", "--old", "one"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("--new"), "{run:?}");
    let run = stage.run(&["edit", "a.txt", "--old", "one", "--json"]);
    assert_eq!(run.code, 2, "{run:?}");
    let data: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(data["error"]["name"], "usage");
    assert_eq!(run.err, "");
}

#[test]
fn a_system_that_refuses_is_told_apart_from_a_refusal() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    // The state folder cannot be made below a file.
    let state = stage.file("in-the-way", "").join("state");
    let run = stage.run(&[
        "edit",
        "a.txt",
        "--old",
        "one",
        "--new",
        "two",
        "--yes",
        "--state-dir",
        path_argument(&state),
    ]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.err.contains("(io)"), "{run:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
}
