//! When a file is moved, the imports in other files follow if the server knows them.

use std::time::{Duration, Instant};

use lancet::Reply;
use lancet_testing::TestProject;
use lancet_testing::replies::{done, is_refused};
use serde_json::json;

use crate::project::{A, B, assert_untouched, open, open_with, patiently, read_all};

fn moved(project: &TestProject) -> Reply {
    let asked = json!({
        "from_path": project.path("a.txt"), "to_path": project.path("deep/d.txt"),
    });
    project.call("MoveFile", asked)
}

/// Waits until the server runs and knows the file.
fn warm(project: &TestProject) {
    read_all(project, &["a.txt"]);
    let asked = json!({
        "file_path": project.path("a.txt"), "line": 1, "symbol": "one", "new_name": "uno", "dry_run": true,
    });
    let _ = patiently(project, "Rename", &asked);
}

#[test]
fn imports_follow_in_the_same_operation_and_are_undone_with_it() {
    for way in ["well", "moves-itself"] {
        let project = open(way);
        warm(&project);
        let reply = moved(&project);
        done(&reply);
        let text = reply.text();
        assert!(
            text.contains("planner planned the changes of imports: 1 other file"),
            "{text}"
        );
        assert!(
            text.contains("b.txt: 1 replacement") && text.contains("changed: line 2"),
            "{text}"
        );
        assert_eq!(project.text("deep/d.txt"), A);
        assert_eq!(project.text("b.txt"), B.replace("use a", "use d"));
        // What was read of the moved file still counts.
        let path = project.path("deep/d.txt");
        done(&project.edit(&path, "one", "uno"));
        done(&project.call("Undo", json!({})));
        done(&project.call("Undo", json!({})));
        assert_untouched(&project);
    }
}

#[test]
fn the_server_is_told_of_the_move() {
    let project = open("well");
    warm(&project);
    done(&moved(&project));
    let until = Instant::now() + Duration::from_secs(30);
    let log = project.path("told.log");
    while std::fs::read_to_string(&log).map_or(true, |told| !told.contains("d.txt")) {
        assert!(Instant::now() < until, "the server was not told");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn edits_of_the_moved_file_itself_go_with_it() {
    let project = open("well");
    std::fs::write(project.path("a.txt"), "one\nuse a\n").expect("a write");
    warm(&project);
    let reply = moved(&project);
    done(&reply);
    assert_eq!(project.text("deep/d.txt"), "one\nuse d\n");
    assert!(reply.text().contains("2→use d"), "{}", reply.text());
    done(&project.call("Undo", json!({})));
    assert_eq!(project.text("a.txt"), "one\nuse a\n");
    assert_eq!(project.text("b.txt"), B);
}

#[test]
fn without_a_server_that_runs_the_move_is_as_ever() {
    let project = open("well");
    let reply = moved(&project);
    done(&reply);
    assert!(!reply.text().contains("planned"), "{}", reply.text());
    assert_eq!(project.text("b.txt"), B);
}

#[test]
fn a_server_that_does_not_answer_does_not_hinder_the_move() {
    for (way, words) in [
        ("refuses", "planner says: that name is taken"),
        ("slow", "did not answer in time"),
    ] {
        let project = open(way);
        warm(&project);
        let reply = moved(&project);
        done(&reply);
        assert!(reply.text().contains(words), "{}", reply.text());
        assert_eq!(
            (project.text("deep/d.txt"), project.text("b.txt")),
            (A.to_owned(), B.to_owned())
        );
    }
}

#[test]
fn a_plan_that_may_not_be_carried_out_refuses_the_move() {
    let rule = "[permissions]\ndeny = [\"Edit(b.txt)\"]\n";
    let project = open_with("well", rule, |builder, _| builder);
    warm(&project);
    let reply = moved(&project);
    is_refused(&reply, "denied");
    assert!(!reply.text().contains("b.txt"), "{}", reply.text());
    assert_untouched(&project);
    let project = open("overlap");
    warm(&project);
    is_refused(&moved(&project), "conflict");
    assert_untouched(&project);
}
