//! Hooks that the settings name, through the real program and its launcher. Before a change they restrict it. After a
//! change their output and their changes are reported, bounded and undone.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::stage::Stage;

/// Returns an entry of the settings whose program is a shell script.
fn hook(on: &str, rule: &str, script: &str) -> String {
    format!(
        "[[hooks]]\non = {on:?}\nmatch = {rule:?}\nrun = [\"sh\", \"-c\", {script:?}]\ntimeout = 1\n"
    )
}

/// Makes a stage with a file and these user's settings.
fn stage(settings: &str) -> (Stage, PathBuf) {
    let stage = Stage::new();
    stage.user_settings(settings);
    let file = stage.file("src/a.txt", "one\ntwo\n");
    (stage, file)
}

fn edit(agent: &mut Agent, file: &Path, old: &str, new: &str) -> (String, String) {
    let arguments = json!({ "file_path": file, "old_string": old, "new_string": new });
    agent.call("Edit", arguments)
}

/// Reads and edits the file with an agent whose user answers every question with yes.
fn change(stage: &Stage, file: &Path) -> (Agent, String, String) {
    let mut agent = Agent::new(stage, &["--tools", "default,Undo"]);
    agent.read(file);
    let (refused, text) = edit(&mut agent, file, "two", "three");
    (agent, refused, text)
}

fn undo(agent: &mut Agent) {
    let (refused, text) = agent.call("Undo", json!({}));
    assert_eq!(refused, "", "{text}");
}

#[test]
fn a_hook_before_a_change_refuses_it_or_lets_it_through() {
    let deny = "echo '{\"decision\":\"deny\",\"reason\":\"not on a Friday\"}'";
    let (stage, file) = stage(&hook("before", "Edit(src/**)", deny));
    let (mut agent, refused, text) = change(&stage, &file);
    assert_eq!(refused, "declined", "{text}");
    assert!(
        text.contains("refused this change: not on a Friday. Nothing was written"),
        "{text}"
    );
    assert_eq!(stage.text("src/a.txt"), "one\ntwo\n");
    // The rule does not cover other files.
    let other = stage.file("b.txt", "two\n");
    agent.read(&other);
    assert_eq!(edit(&mut agent, &other, "two", "three").0, "");
    for allow in ["true", "cat > /dev/null; echo '{\"decision\":\"allow\"}'"] {
        let (stage, file) = self::stage(&hook("before", "Edit(src/**)", allow));
        let (_, refused, text) = change(&stage, &file);
        assert_eq!(refused, "", "{text}");
        assert_eq!(stage.text("src/a.txt"), "one\nthree\n");
    }
}

#[test]
fn a_hook_that_asks_or_is_not_understood_has_a_person_asked() {
    let cases = [
        (
            "echo '{\"decision\":\"ask\",\"reason\":\"look twice\"}'",
            "asks: look twice",
        ),
        ("echo nonsense", "what it wrote is not understood"),
        (
            "echo '{\"decision\":\"deny\",\"decision\":\"allow\"}'",
            "what it wrote is not understood",
        ),
        ("echo '{\"decision\":\"allow\"}'; exit 1", "exit code 1"),
        ("echo bad >&2; exit 1", "it ended with exit code 1: bad"),
        (
            "trap '' TERM; sleep 600 & sleep 600",
            "it took longer than 1 seconds",
        ),
        ("yes", "it wrote more than 64 KiB"),
    ];
    for (script, words) in cases {
        let entry = hook("before", "Edit(src/**)", script);
        let (stage, file) = stage(&format!("[ask]\npatience = 0\n{entry}"));
        // If there is no one to prompt, nothing is written, and the answer says why.
        let mut agent = Agent::new(&stage, &["--ask", "page"]);
        agent.read(&file);
        let (refused, text) = edit(&mut agent, &file, "two", "three");
        assert!(
            ["waiting", "declined"].contains(&refused.as_str()),
            "{refused} {text}"
        );
        assert_eq!(stage.text("src/a.txt"), "one\ntwo\n", "{script}");
        let listed = stage.run(&["pending"]);
        let told = format!("{}{}{text}", listed.out, listed.err);
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn a_hook_that_asked_does_not_run_again_for_the_call_that_is_sent_again() {
    let (stage, file) = stage("");
    let stage = stage.with_token();
    let runs = stage.home().join("runs");
    let script = format!(
        "echo run >> {}; echo '{{\"decision\":\"ask\",\"reason\":\"look twice\"}}'",
        runs.display()
    );
    let entry = hook("before", "Edit(src/**)", &script);
    stage.user_settings(&format!("[ask]\npatience = 0\n{entry}"));
    let mut agent = Agent::new(&stage, &["--ask", "page"]);
    agent.read(&file);
    assert_eq!(edit(&mut agent, &file, "two", "three").0, "waiting");
    let listed = stage.run(&["pending", "--json"]);
    let first = listed.out.lines().next().unwrap_or_default();
    let waiting: Value = serde_json::from_str(first).expect("JSON");
    let id = waiting["question"].as_str().expect("an id");
    let approved = stage.run(&["pending", "approve", id]);
    assert_eq!(approved.code, 0, "{approved:?}");
    let (refused, text) = edit(&mut agent, &file, "two", "three");
    assert_eq!(refused, "", "{text}");
    assert_eq!(stage.text("src/a.txt"), "one\nthree\n");
    let runs = fs::read_to_string(&runs).expect("it ran");
    assert_eq!(runs.lines().count(), 1, "{runs}");
}

#[test]
fn a_hook_is_told_of_the_whole_call_and_does_not_run_for_a_dry_run() {
    let (stage, file) = stage("");
    let told = stage.home().join("told");
    let script = format!("cat >> {}", told.display());
    let entries = hook("before", "Edit(src/**)", &script) + &hook("after", "Write", &script);
    stage.user_settings(&entries);
    let mut agent = Agent::new(&stage, &[]);
    agent.read(&file);
    let dry = json!({ "file_path": file, "old_string": "two", "new_string": "x", "dry_run": true });
    assert_eq!(agent.call("Edit", dry).0, "");
    assert!(!told.exists());
    assert_eq!(edit(&mut agent, &file, "two", "three").0, "");
    let lines = fs::read_to_string(&told).expect("told");
    let objects: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(objects.len(), 2, "{lines}");
    let [before, after] = [&objects[0], &objects[1]];
    assert_eq!(
        (&before["hook"], &before["tool"]),
        (&json!("before"), &json!("Edit"))
    );
    assert_eq!(before["arguments"]["new_string"], "three");
    assert_eq!(before["client"], "test");
    let changed = &before["files"][0];
    assert_eq!(changed["path"], json!(file));
    assert_eq!(changed["kind"], "update");
    assert!(changed["patch"].as_str().expect("text").contains("+three"));
    assert_eq!(changed["after"], after["files"][0]["after"]);
    assert_eq!(before.get("operation"), None);
    assert_eq!(after["hook"], "after");
    assert!(after["operation"].is_string());
}

#[test]
fn what_a_hook_rewrites_is_told_known_and_taken_back_with_one_undo() {
    let (stage, file) = stage("");
    let script = format!("sed -i s/one/ONE/ {}; echo checked", file.display());
    stage.user_settings(&hook("after", "Edit(src/**)", &script));
    let (mut agent, refused, text) = change(&stage, &file);
    assert_eq!(refused, "", "{text}");
    assert!(text.contains("says: checked]"), "{text}");
    assert!(text.contains("1→ONE\n2→three\n"), "{text}");
    assert!(
        text.contains("changed this file; that is operation "),
        "{text}"
    );
    assert_eq!(stage.text("src/a.txt"), "ONE\nthree\n");
    // The ledger contains the text of the hook.
    let (refused, text) = edit(&mut agent, &file, "ONE\nthree", "one\nfour");
    assert_eq!(refused, "", "{text}");
    assert_eq!(stage.text("src/a.txt"), "ONE\nfour\n");
    undo(&mut agent);
    assert_eq!(stage.text("src/a.txt"), "ONE\nthree\n");
    undo(&mut agent);
    assert_eq!(stage.text("src/a.txt"), "one\ntwo\n");
    let events = stage.run(&["events", "--since", "0"]).out;
    let parents = events
        .lines()
        .filter(|line| line.contains("\"parent\":\""))
        .count();
    assert_eq!(parents, 2, "{events}");
}

#[test]
fn a_file_that_a_hook_empties_or_removes_is_told_and_comes_back() {
    for (script, words) in [(": > ", "emptied this file"), ("rm ", "removed this file")] {
        let (stage, file) = stage("");
        let script = format!("{script}{}", file.display());
        stage.user_settings(&hook("after", "Edit(src/**)", &script));
        let (mut agent, refused, text) = change(&stage, &file);
        assert_eq!(refused, "", "{text}");
        assert!(text.contains(words), "{text}");
        undo(&mut agent);
        assert_eq!(stage.text("src/a.txt"), "one\ntwo\n");
    }
}

#[test]
fn a_hook_after_a_change_that_hangs_floods_or_fails_is_bounded_and_told() {
    let cases = [
        (
            "trap '' TERM; sleep 600 & sleep 600",
            "it took longer than 1 seconds",
        ),
        ("yes", "it wrote more than 64 KiB"),
        (
            "yes >&2 & sleep 0.2; exit 3",
            "failed: it ended with exit code 3: y",
        ),
        (
            "exec no-such-program-of-mine",
            "failed: it ended with exit code 127",
        ),
    ];
    for (script, words) in cases {
        let (stage, file) = stage(&hook("after", "Edit(src/**)", script));
        let (mut agent, refused, text) = change(&stage, &file);
        assert_eq!(refused, "", "{text}");
        assert!(text.contains(words), "{text}");
        assert!(text.len() < 6_000, "{}", text.len());
        assert_eq!(stage.text("src/a.txt"), "one\nthree\n");
        undo(&mut agent);
        assert_eq!(stage.text("src/a.txt"), "one\ntwo\n");
    }
}

#[test]
fn hooks_of_a_project_need_trust_and_the_doctor_lists_those_in_force() {
    let stage = Stage::new().with_token();
    let entry = hook("before", "Edit(src/**)", "echo '{\"decision\":\"deny\"}'");
    stage.file("lancet.toml", &entry);
    let file = stage.file("src/a.txt", "one\ntwo\n");
    let (_, refused, text) = change(&stage, &file);
    assert_eq!(refused, "", "{text}");
    fs::write(&file, "one\ntwo\n").expect("written");
    assert_eq!(stage.run(&["trust", "--yes"]).code, 0);
    let (_, refused, text) = change(&stage, &file);
    assert_eq!(refused, "declined", "{text}");
    let report = stage.run(&["doctor"]).out;
    assert!(
        report.contains("hooks before Edit(src/**): sh -c"),
        "{report}"
    );
}
