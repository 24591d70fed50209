//! What is shown of a secret file that a recorded command changed: its name, the kind of change and its size. Its text,
//! the numbers of its lines and its hashes are in no answer.

use std::fs;

use serde_json::{Value, json};

use crate::hooks::Claude;
use crate::log;
use crate::stage::Stage;

/// The lines of the file before and after the command; no other number of an answer has these digits.
const LINES_BEFORE: usize = 17_171;
const LINES_AFTER: usize = 43_210;
const TEXT_BEFORE: &str = "OLD=hidden-old\n";
const TEXT_AFTER: &str = "NEW=hidden-new\n";

/// Records a command that replaces the text of a file. Returns the operation.
fn replace_text(stage: &Stage, name: &str) -> Value {
    stage.file(name, &TEXT_BEFORE.repeat(LINES_BEFORE));
    let script = format!(
        "yes \"$LINE\" | head -n {} > {name}; echo two > a.txt",
        LINES_AFTER
    );
    let file = stage.home().join("script");
    fs::write(&file, format!("LINE={}{script}\n", TEXT_AFTER)).expect("written");
    let run = stage.run(&["run", "sh", file.to_str().expect("UTF-8")]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(stage.text(name), TEXT_AFTER.repeat(LINES_AFTER));
    log(stage).remove(0)
}

/// Returns all answers that show the newest change, each with its command.
fn answers(stage: &Stage, operation: &Value, name: &str) -> Vec<(String, String)> {
    let id = operation["operation"].as_str().expect("an id");
    let restored = format!("{name}@{id}^");
    let by_id: [&[&str]; 5] = [
        &["show", id],
        &["show", id, "--json"],
        &["restore", &restored, "--dry-run"],
        &["restore", &restored, "--dry-run", "--json"],
        &["events", "--since", "0"],
    ];
    let plain: [&[&str]; 21] = [
        &["log"],
        &["log", "--oneline"],
        &["log", "--stat"],
        &["log", "--patch"],
        &["log", "--json"],
        &["log", "--all", "--stat"],
        &["log", "--all", "--json"],
        &["log", "--format", "patch"],
        &["log", "--format", "attribution"],
        &["log", "--checkpoints", "--json"],
        &["diff"],
        &["diff", "--stat"],
        &["diff", "--json"],
        &["stats"],
        &["stats", "--json"],
        &["undo", "--dry-run"],
        &["undo", "--dry-run", "--json"],
        &["sessions", "--all", "--json"],
        &["projects", "--json"],
        &["restore", name],
        &["blame", name],
    ];
    let mut found = Vec::new();
    let mut ask = |arguments: &[&str]| {
        let run = stage.run(arguments);
        found.push((arguments.join(" "), run.out + &run.err));
    };
    for arguments in by_id.into_iter().chain(plain) {
        ask(arguments);
    }
    for arguments in [
        &["undo", "--yes-protected"][..],
        &["redo", "--yes-protected", "--json"],
    ] {
        ask(arguments);
        ask(&["log", "--json"]);
    }
    found
}

/// Returns what no answer about a secret file may have: its text, the numbers of its lines, and the given hashes.
fn hidden(hashes: &[String]) -> Vec<String> {
    let numbers = [LINES_BEFORE, LINES_AFTER].map(|number| number.to_string());
    let texts = ["hidden-old", "hidden-new"].map(str::to_owned);
    [&numbers[..], &texts, hashes].concat()
}

#[test]
fn only_name_kind_and_size_of_a_secret_file_are_shown() {
    // The same change of a file that is no secret has all of it, so that the search would find it.
    let control = Stage::new().with_token();
    control.file("a.txt", "one\n");
    let operation = replace_text(&control, "plain.txt");
    let state = &operation["files"][1];
    let hash = |side: &str| state[side]["revision"].as_str().expect("a hash").to_owned();
    let hashes = [hash("before"), hash("after")];
    let shown: String = answers(&control, &operation, "plain.txt")
        .into_iter()
        .map(|(_, answer)| answer)
        .collect();
    for part in hidden(&hashes) {
        assert!(shown.contains(&part), "{part}");
    }

    let stage = Stage::new().with_token();
    stage.file("a.txt", "one\n");
    let operation = replace_text(&stage, ".env");
    let file = &operation["files"][0];
    let path = stage.project().join(".env").display().to_string();
    assert_eq!(
        (&file["file_path"], &file["type"]),
        (&json!(path), &json!("update"))
    );
    assert_eq!(file["after"]["size"], TEXT_AFTER.len() * LINES_AFTER);
    for (command, answer) in answers(&stage, &operation, ".env") {
        for part in hidden(&hashes) {
            assert!(
                !answer.contains(&part),
                "lancet {command}: {part}: {answer}"
            );
        }
    }
    assert_eq!(stage.text(".env"), TEXT_AFTER.repeat(LINES_AFTER));
}

#[test]
fn an_agent_is_shown_nothing_of_a_secret_file_that_its_shell_changed() {
    let stage = Stage::new();
    stage.file(".env", &TEXT_BEFORE.repeat(LINES_BEFORE));
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Go.");
    let script = format!("yes {} | head -n {} > .env", TEXT_AFTER.trim(), LINES_AFTER);
    // The command itself is what the agent wrote; the hooks answer nothing.
    claude.bash("toolu_1", &script);
    let undo = stage.run(&["undo", "--to-prompt", "--dry-run"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    let answer = undo.out + &undo.err;
    assert!(answer.contains("the text of .env is not shown"), "{answer}");
    assert!(!answer.contains("hidden-old"), "{answer}");
    assert!(!answer.contains(&LINES_BEFORE.to_string()), "{answer}");
}
