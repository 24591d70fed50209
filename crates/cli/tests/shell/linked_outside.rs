//! Hard links that lead out of the project, or into lancet's own state folder: a write prompts in every mode, and the
//! state folder stays closed under every name.

use std::fs;

use serde_json::json;

use crate::agent::Agent;
use crate::stage::{Stage, path_argument};

#[test]
fn a_file_with_a_name_outside_the_roots_is_written_only_after_a_yes() {
    let stage = Stage::new();
    stage.user_settings("[ask]\npatience = 0\n");
    let backup = stage.home().join("backup.txt");
    fs::write(&backup, "one\n").expect("written");
    let file = stage.project().join("sub/a.txt");
    fs::create_dir(stage.project().join("sub")).expect("a folder");
    fs::hard_link(&backup, &file).expect("a hard link");
    for mode in ["accept-edits", "bypass"] {
        let mut agent = Agent::new(&stage, &["--ask", "page", "--mode", mode]);
        assert_eq!(agent.read(&file), "");
        let edit = json!({ "file_path": file, "old_string": "one", "new_string": "two" });
        let (refused, text) = agent.call("Edit", edit);
        assert!(
            ["waiting", "declined"].contains(&refused.as_str()),
            "{refused} {text}"
        );
        let (refused, _) = agent.write(&file);
        assert!(["waiting", "declined"].contains(&refused.as_str()));
        assert_eq!(fs::read_to_string(&backup).expect("there"), "one\n");
    }
    let listed = stage.run(&["pending"]);
    assert!(
        listed
            .out
            .contains("a name outside the roots (a hard link)"),
        "{listed:?}"
    );
    let explained = stage.run(&["explain", path_argument(&file), "--tool", "Edit"]);
    assert!(
        explained.out.contains("a name outside the roots"),
        "{explained:?}"
    );
}

#[test]
fn after_a_yes_the_answer_says_that_the_change_reached_a_name_outside() {
    let stage = Stage::new().with_token();
    stage.user_settings("[ask]\npatience = 0\n");
    let backup = stage.home().join("backup.txt");
    fs::write(&backup, "one\n").expect("written");
    let file = stage.project().join("a.txt");
    fs::hard_link(&backup, &file).expect("a hard link");
    let mut agent = Agent::new(&stage, &["--ask", "page"]);
    agent.read(&file);
    let edit = json!({ "file_path": file, "old_string": "one", "new_string": "two" });
    assert_eq!(agent.call("Edit", edit.clone()).0, "waiting");
    approve_first(&stage);
    let (refused, text) = agent.call("Edit", edit);
    assert_eq!(refused, "", "{text}");
    assert!(text.contains("a name outside the roots"), "{text}");
    assert_eq!(fs::read_to_string(&backup).expect("there"), "two\n");
}

/// Approves the question that waits.
fn approve_first(stage: &Stage) {
    let listed = stage.run(&["pending", "--json"]);
    let first = listed.out.lines().next().unwrap_or_default();
    let waiting: serde_json::Value = serde_json::from_str(first).expect("JSON");
    let id = waiting["question"].as_str().expect("an id");
    let approved = stage.run(&["pending", "approve", id]);
    assert_eq!(approved.code, 0, "{approved:?}");
}

#[test]
fn a_file_whose_names_are_all_in_the_project_is_written_unasked() {
    let stage = Stage::new();
    stage.user_settings("[ask]\npatience = 0\n");
    let file = stage.file("a/one.txt", "one\n");
    for other in ["two.txt", "b/c/three.txt"] {
        let other = stage.project().join(other);
        fs::create_dir_all(other.parent().expect("a folder")).expect("made");
        fs::hard_link(&file, other).expect("a hard link");
    }
    // A store that installers link from is not written through.
    let store = stage.home().join("store.js");
    fs::write(&store, "one\n").expect("written");
    let package = stage.project().join("node_modules/x/index.js");
    fs::create_dir_all(package.parent().expect("a folder")).expect("made");
    fs::hard_link(&store, &package).expect("a hard link");
    let mut agent = Agent::new(&stage, &["--ask", "page"]);
    for path in [&file, &package] {
        agent.read(path);
        let edit = json!({ "file_path": path, "old_string": "one", "new_string": "two" });
        let (refused, text) = agent.call("Edit", edit);
        assert_eq!(refused, "", "{text}");
    }
    assert_eq!(stage.text("b/c/three.txt"), "two\n");
    assert_eq!(fs::read_to_string(store).expect("there"), "one\n");
}

#[test]
fn a_name_outside_that_appears_after_the_question_was_asked_is_asked_about() {
    let stage = Stage::new().with_token();
    stage.user_settings("mode = \"ask\"\n[ask]\npatience = 0\n");
    let file = stage.file("a.txt", "one\n");
    let mut agent = Agent::new(&stage, &["--ask", "page", "--mode", "ask"]);
    agent.read(&file);
    let edit = json!({ "file_path": file, "old_string": "one", "new_string": "two" });
    assert_eq!(agent.call("Edit", edit.clone()).0, "waiting");
    approve_first(&stage);
    let outside = stage.home().join("outside.txt");
    fs::hard_link(&file, &outside).expect("a hard link");
    let (refused, text) = agent.call("Edit", edit);
    assert_eq!(refused, "waiting", "{text}");
    assert_eq!(fs::read_to_string(outside).expect("there"), "one\n");
}

#[test]
fn files_of_the_state_folder_are_closed_under_any_name() {
    let stage = Stage::new().with_token();
    let token = stage.home().join(".local/state/lancet/person-token");
    let before = fs::read_to_string(&token).expect("there");
    assert!(before.contains("for-tests"), "{before}");
    let copy = stage.project().join("tok.txt");
    fs::hard_link(&token, &copy).expect("a hard link");
    stage.file("other.txt", "a-token-of-no-use\n");
    let mut agent = Agent::new(&stage, &["--mode", "bypass"]);
    let (refused, text) = agent.call("Read", json!({ "file_path": copy }));
    assert_eq!(refused, "denied", "{text}");
    for mode in ["content", "files_with_matches", "count"] {
        let grep = json!({ "pattern": "a-token", "output_mode": mode });
        let (_, text) = agent.call("Grep", grep);
        assert!(
            text.contains("other.txt") && !text.contains("tok.txt"),
            "{text}"
        );
        assert!(!text.contains("for-tests"), "{text}");
    }
    let (_, text) = agent.call("Glob", json!({ "pattern": "*.txt" }));
    assert!(!text.contains("tok.txt"), "{text}");
    let (refused, _) = agent.write(&copy);
    assert_eq!(refused, "denied");
    let run = stage.run(&["grep", "a-token"]);
    assert!(!run.out.contains("tok.txt"), "{run:?}");
    assert_eq!(fs::read_to_string(token).expect("there"), before);
}
