//! When a file is moved, the imports in other files follow if the server knows them.

use std::time::{Duration, Instant};

use lancet::Reply;
use lancet_testing::replies::{done, is_refused};
use serde_json::json;

use crate::place::{A, B, Place};

fn moved(place: &Place) -> Reply {
    let asked = json!({
        "from_path": place.project.path("a.txt"), "to_path": place.project.path("deep/d.txt"),
    });
    place.call("MoveFile", asked)
}

/// Waits until the server runs and knows the file.
fn warm(place: &Place) {
    place.read(&["a.txt"]);
    let asked = json!({
        "file_path": place.project.path("a.txt"), "line": 1, "symbol": "one", "new_name": "uno", "dry_run": true,
    });
    let _ = place.patiently("Rename", &asked);
}

#[test]
fn imports_follow_in_the_same_operation_and_are_undone_with_it() {
    for way in ["well", "moves-itself"] {
        let place = Place::new(way);
        warm(&place);
        let reply = moved(&place);
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
        assert_eq!(place.text("deep/d.txt"), A);
        assert_eq!(place.text("b.txt"), B.replace("use a", "use d"));
        // What was read of the moved file still counts.
        let path = place.project.path("deep/d.txt");
        done(&place.project.edit(&path, "one", "uno"));
        done(&place.call("Undo", json!({})));
        done(&place.call("Undo", json!({})));
        place.assert_untouched();
    }
}

#[test]
fn the_server_is_told_of_the_move() {
    let place = Place::new("well");
    warm(&place);
    done(&moved(&place));
    let until = Instant::now() + Duration::from_secs(30);
    let log = place.project.path("told.log");
    while std::fs::read_to_string(&log).map_or(true, |told| !told.contains("d.txt")) {
        assert!(Instant::now() < until, "the server was not told");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn edits_of_the_moved_file_itself_go_with_it() {
    let place = Place::new("well");
    std::fs::write(place.project.path("a.txt"), "one\nuse a\n").expect("a write");
    warm(&place);
    let reply = moved(&place);
    done(&reply);
    assert_eq!(place.text("deep/d.txt"), "one\nuse d\n");
    assert!(reply.text().contains("2→use d"), "{}", reply.text());
    done(&place.call("Undo", json!({})));
    assert_eq!(place.text("a.txt"), "one\nuse a\n");
    assert_eq!(place.text("b.txt"), B);
}

#[test]
fn without_a_server_that_runs_the_move_is_as_ever() {
    let place = Place::new("well");
    let reply = moved(&place);
    done(&reply);
    assert!(!reply.text().contains("planned"), "{}", reply.text());
    assert_eq!(place.text("b.txt"), B);
}

#[test]
fn a_server_that_does_not_answer_does_not_hinder_the_move() {
    for (way, words) in [
        ("refuses", "planner says: that name is taken"),
        ("slow", "did not answer in time"),
    ] {
        let place = Place::new(way);
        warm(&place);
        let reply = moved(&place);
        done(&reply);
        assert!(reply.text().contains(words), "{}", reply.text());
        assert_eq!(
            (place.text("deep/d.txt"), place.text("b.txt")),
            (A.to_owned(), B.to_owned())
        );
    }
}

#[test]
fn a_plan_that_may_not_be_carried_out_refuses_the_move() {
    let rule = "[permissions]\ndeny = [\"Edit(b.txt)\"]\n";
    let place = Place::with("well", rule, |builder, _| builder);
    warm(&place);
    let reply = moved(&place);
    is_refused(&reply, "denied");
    assert!(!reply.text().contains("b.txt"), "{}", reply.text());
    place.assert_untouched();
    let place = Place::new("overlap");
    warm(&place);
    is_refused(&moved(&place), "conflict");
    place.assert_untouched();
}
