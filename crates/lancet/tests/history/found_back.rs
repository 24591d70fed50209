//! Changes that were already undone outside of lancet, changes of one file as one chain, and files that are left out.

use std::fs;

use lancet::undo::{Conflicts, Direction, Overlap, Selection, TakeBack};
use lancet::{Caller, Reply, SessionName};

use crate::ground::{Ground, operation, patiently, refused};

fn keep_going(ground: &Ground, selection: Selection) -> Reply {
    let asked = TakeBack::undo(selection).conflicts(Conflicts::LeaveOut);
    let session = ground.lancet.new_session();
    patiently(|| session.take_back(asked.clone(), Caller::default()))
}

fn session() -> Selection {
    Selection::Session("talk".into())
}

#[test]
fn a_file_that_was_removed_by_hand_counts_as_taken_back_and_the_others_go_on() {
    let ground = Ground::new();
    ground.put("f.txt", "old\n");
    operation(&ground.edit("f.txt", "old", "new"));
    let made = operation(&ground.write("scratch.py", "print()\n"));
    fs::remove_file(ground.path("scratch.py")).expect("removed");
    let reply = ground.undo(session());
    let undo = operation(&reply);
    assert_eq!(ground.bytes("f.txt"), b"old\n");
    assert!(reply.text().contains("scratch.py"), "{}", reply.text());
    let log = ground.log();
    assert_eq!(log.len(), 3);
    assert!(log[1].id == made && log[1].is_undone() && log[2].is_undone());
    assert_eq!(log[0].files.len(), 1, "only what was written");
    assert_eq!(log[1].files[0].undone_by.as_deref(), Some(undo.as_str()));
    // The redo leaves out what the undo did not write.
    operation(&ground.redo());
    assert_eq!(ground.bytes("f.txt"), b"new\n");
    assert!(!ground.path("scratch.py").exists());
}

#[test]
fn undo_of_a_change_that_is_back_already_says_so_marks_it_and_stops() {
    let ground = Ground::new();
    ground.put("a.txt", "1\n");
    ground.put("b.txt", "1\n");
    operation(&ground.edit("a.txt", "1", "2"));
    for overlap in [Overlap::Refuse, Overlap::Merge] {
        let id = operation(&ground.edit("b.txt", "1", "2"));
        ground.put("b.txt", "1\n");
        let reply = ground.take_back(Selection::Newest, Direction::Undo, overlap);
        assert!(!reply.is_error(), "{}", reply.text());
        assert!(
            reply.text().starts_with("Already undone"),
            "{}",
            reply.text()
        );
        assert!(reply.text().contains(&id), "{}", reply.text());
        assert_eq!(reply.data()["foundBack"].as_array().expect("some").len(), 1);
        assert_eq!(ground.bytes("a.txt"), b"2\n", "it stops there");
        let log = ground.log();
        assert!(
            log[0].id == id && log[0].is_undone(),
            "no operation of its own"
        );
    }
    // By its id it is reported as what it is, and there is no undo to be redone.
    let id = ground.log()[0].id.clone();
    for direction in [Direction::Undo, Direction::Redo] {
        let selection = Selection::Operation(id.clone());
        let reply = ground.take_back(selection, direction, Overlap::Refuse);
        assert_eq!(refused(&reply), "not_found");
        assert!(
            reply.text().contains("found as they were before"),
            "{}",
            reply.text()
        );
    }
    // The next undo goes on with the change before.
    operation(&ground.undo(Selection::Newest));
    assert_eq!(ground.bytes("a.txt"), b"1\n");
}

#[test]
fn a_dry_run_marks_nothing() {
    let ground = Ground::new();
    ground.put("a.txt", "1\n");
    operation(&ground.edit("a.txt", "1", "2"));
    ground.put("a.txt", "1\n");
    let asked = TakeBack::undo(Selection::Newest).dry_run();
    let reply = ground
        .lancet
        .new_session()
        .take_back(asked, Caller::default());
    assert!(reply.text().contains("Already undone"), "{}", reply.text());
    assert_eq!(reply.data()["dryRun"], true);
    assert!(!ground.log()[0].is_undone());
}

#[test]
fn a_chain_is_taken_back_from_the_latest_point_that_equals_the_file() {
    let ground = Ground::new();
    ground.put("a.txt", "0\n");
    for (old, new) in [("0", "1"), ("1", "2"), ("2", "3")] {
        operation(&ground.edit("a.txt", old, new));
    }
    // Another program went back two changes.
    ground.put("a.txt", "1\n");
    operation(&ground.undo(session()));
    assert_eq!(ground.bytes("a.txt"), b"0\n");
    assert!(
        ground
            .log()
            .iter()
            .skip(1)
            .all(lancet::history::Operation::is_undone)
    );
    // A chain that ends where it began has nothing to write.
    let ground = Ground::new();
    ground.put("a.txt", "0\n");
    operation(&ground.edit("a.txt", "0", "1"));
    operation(&ground.edit("a.txt", "1", "0"));
    let reply = ground.undo(session());
    assert!(
        reply.text().starts_with("Already undone"),
        "{}",
        reply.text()
    );
    assert_eq!(refused(&ground.undo(session())), "not_found");
}

#[test]
fn a_file_that_another_change_brought_back_is_not_taken_for_back() {
    let ground = Ground::new();
    ground.put("a.txt", "0\n");
    let first = operation(&ground.edit("a.txt", "0", "1"));
    let other = ground
        .lancet
        .session(&SessionName::new("other").expect("a name"));
    let write = serde_json::json!({ "file_path": ground.path("a.txt"), "content": "0\n" });
    other.call(lancet::RawCall::new(
        "Read",
        serde_json::json!({ "file_path": ground.path("a.txt") }),
    ));
    operation(&patiently(|| {
        other.call(lancet::RawCall::new("Write", write.clone()))
    }));
    assert_eq!(refused(&ground.undo(session())), "conflict");
    // When the other change is undone too, both are.
    let reply = ground.undo(Selection::Since(0));
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(ground.bytes("a.txt"), b"0\n");
    let log = ground.log();
    assert!(
        log.iter()
            .any(|found| found.id == first && found.is_undone())
    );
}

#[test]
fn files_in_conflict_are_left_out_and_named_where_that_is_asked_for() {
    let ground = Ground::new();
    for name in ["a.txt", "b.txt", "c.txt"] {
        ground.put(name, "1\n");
        operation(&ground.edit(name, "1", "2"));
    }
    ground.put("b.txt", "theirs\n");
    ground.put("c.txt", "1\n");
    assert_eq!(refused(&ground.undo(session())), "conflict");
    assert_eq!(ground.bytes("a.txt"), b"2\n");
    let reply = keep_going(&ground, session());
    operation(&reply);
    assert_eq!(ground.bytes("a.txt"), b"1\n");
    assert_eq!(ground.bytes("b.txt"), b"theirs\n");
    let left = reply.data()["leftOut"].as_array().expect("some").clone();
    assert_eq!(left.len(), 1);
    assert!(
        left[0]["file_path"]
            .as_str()
            .expect("a path")
            .ends_with("b.txt"),
        "{left:?}"
    );
    assert!(reply.text().contains("left out"), "{}", reply.text());
    let standing: Vec<_> = ground
        .log()
        .into_iter()
        .filter(|found| !found.is_undone() && found.tool == "Edit")
        .collect();
    assert_eq!(standing.len(), 1);
    assert!(standing[0].files[0].path.ends_with("b.txt"));
    // If no file is left the undo is refused as before.
    assert_eq!(refused(&keep_going(&ground, session())), "conflict");
}

#[test]
fn hard_links_of_one_file_are_one_file() {
    let ground = Ground::new();
    ground.put("a", "0\n");
    fs::hard_link(ground.path("a"), ground.path("b")).expect("linked");
    operation(&ground.edit("a", "0", "1"));
    operation(&ground.edit("b", "1", "2"));
    operation(&ground.edit("a", "2", "3"));
    operation(&ground.undo(session()));
    assert_eq!(ground.bytes("a"), b"0\n");
    assert_eq!(ground.bytes("b"), b"0\n");
    operation(&ground.redo());
    assert_eq!(ground.bytes("b"), b"3\n");
    // The newest change of the file, whatever name it was made under.
    operation(&ground.undo(Selection::File(ground.path("b"))));
    assert_eq!(ground.bytes("b"), b"2\n");
    operation(&ground.undo(Selection::File(ground.path("a"))));
    assert_eq!(ground.bytes("a"), b"1\n");
}

#[test]
fn files_that_were_linked_after_their_changes_are_not_one_chain() {
    let ground = Ground::new();
    ground.put("a", "a0\n");
    ground.put("b", "b0\n");
    operation(&ground.edit("a", "a0", "a1"));
    operation(&ground.edit("b", "b0", "b1"));
    fs::remove_file(ground.path("b")).expect("removed");
    fs::hard_link(ground.path("a"), ground.path("b")).expect("linked");
    assert_eq!(refused(&ground.undo(session())), "conflict");
    assert_eq!(ground.bytes("a"), b"a1\n");
}

#[test]
fn so_many_of_the_newest_are_one_operation() {
    let ground = Ground::new();
    ground.put("a.txt", "0\n");
    for (old, new) in [("0", "1"), ("1", "2"), ("2", "3")] {
        operation(&ground.edit("a.txt", old, new));
    }
    operation(&ground.undo(Selection::Last(2)));
    assert_eq!(ground.bytes("a.txt"), b"1\n");
    assert_eq!(ground.log()[0].takes_back.len(), 2);
    operation(&ground.undo(Selection::Last(2)));
    assert_eq!(ground.bytes("a.txt"), b"0\n");
}
