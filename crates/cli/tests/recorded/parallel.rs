//! Calls that run at the same time: what can be distinguished is, and the rest is shared and never undone unasked.

use std::fs;

use serde_json::json;

use crate::hooks::{Claude, tools};
use crate::log;
use crate::stage::Stage;

fn two(stage: &Stage) -> (Claude<'_>, Claude<'_>) {
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "one\n");
    let of = |session| Claude { stage, session };
    let (one, other) = (of("s1"), of("s2"));
    one.prompt("Go.");
    other.prompt("Go, too.");
    (one, other)
}

#[test]
fn what_two_shells_may_both_have_changed_is_left_out_of_an_undo_of_one() {
    let stage = Stage::new();
    let (one, other) = two(&stage);
    let input = json!({ "command": "./build" });
    one.before("toolu_1", "Bash", &input);
    one.shell("echo alone > alone.txt");
    other.before("toolu_2", "Bash", &input);
    one.shell("echo two > a.txt");
    one.after("toolu_1", "Bash", &input);
    other.shell("echo two > b.txt");
    other.after("toolu_2", "Bash", &input);
    let log = log(&stage);
    assert_eq!(tools(&log), ["Bash", "Bash"]);
    let shared: Vec<bool> = log[1]["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|file| file.get("shared").is_some())
        .collect();
    // a.txt changed while both ran, alone.txt before.
    assert_eq!(shared, [true, false], "{log:#?}");
    assert_eq!(log[1]["sharedWith"], json!(["claude-code.s2"]));
    assert_eq!(
        log[0]["files"].as_array().map(Vec::len),
        Some(1),
        "{log:#?}"
    );
    assert!(log[0].get("sharedWith").is_none(), "{log:#?}");

    let id = log[1]["operation"].as_str().expect("an id");
    let undo = stage.run(&["undo", id, "--yes"]);
    assert_eq!(undo.code, 1, "{undo:?}");
    assert!(undo.err.contains("left out, a conflict: a.txt"), "{undo:?}");
    assert_eq!(stage.text("a.txt"), "two\n");
    assert!(!stage.project().join("alone.txt").exists());
    let prompt = [
        "undo",
        "--to-prompt",
        "--session",
        "claude-code.s1",
        "--yes",
    ];
    let undo = stage.run(&prompt);
    assert_eq!(undo.code, 1, "{undo:?}");
    assert_eq!(stage.text("a.txt"), "two\n");
}

#[test]
fn a_call_that_names_its_file_shares_nothing() {
    let stage = Stage::new();
    let (one, other) = two(&stage);
    let shell = json!({ "command": "./build" });
    let edit = json!({ "file_path": stage.project().join("b.txt"), "old_string": "one", "new_string": "two" });
    one.before("toolu_1", "Bash", &shell);
    other.before("toolu_2", "Edit", &edit);
    one.shell("echo two > a.txt");
    fs::write(stage.project().join("b.txt"), "two\n").expect("written");
    one.after("toolu_1", "Bash", &shell);
    other.after("toolu_2", "Edit", &edit);
    let log = log(&stage);
    assert_eq!(tools(&log), ["Edit", "Bash"], "{log:#?}");
    for (line, name) in log.iter().zip(["b.txt", "a.txt"]) {
        let files = line["files"].as_array().expect("files");
        assert_eq!(files.len(), 1, "{log:#?}");
        let path = files[0]["file_path"].as_str().expect("a path");
        assert!(path.ends_with(name), "{log:#?}");
        assert!(line.get("sharedWith").is_none(), "{log:#?}");
    }
    let undo = stage.run(&["undo", "--session", "claude-code.s2", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(
        (stage.text("a.txt"), stage.text("b.txt")),
        ("two\n".to_owned(), "one\n".to_owned())
    );
}

#[test]
fn parallel_calls_of_one_conversation_go_back_with_its_prompt() {
    let stage = Stage::new();
    let (one, _) = two(&stage);
    let input = |number: u8| json!({ "command": format!("./build {number}") });
    one.before("toolu_1", "Bash", &input(1));
    one.before("toolu_2", "Bash", &input(2));
    one.shell("echo two > a.txt; echo two > b.txt");
    one.after("toolu_2", "Bash", &input(2));
    one.shell("echo three > a.txt");
    one.after("toolu_1", "Bash", &input(1));
    let log = log(&stage);
    assert_eq!(log.len(), 2, "{log:#?}");
    assert_eq!(log[1]["command"], "./build 2");
    assert_eq!(
        log[0]["files"].as_array().map(Vec::len),
        Some(1),
        "{log:#?}"
    );
    let undo = [
        "undo",
        "--to-prompt",
        "--session",
        "claude-code.s1",
        "--yes",
    ];
    let undo = stage.run(&undo);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(
        (stage.text("a.txt"), stage.text("b.txt")),
        ("one\n".to_owned(), "one\n".to_owned())
    );
}
