//! Changes that were already undone outside of lancet, changes of one file as one chain, and files that are left out.

use std::fs;

use lancet::undo::{Conflicts, Direction, Overlap, Selection, UndoRequest};
use lancet::{Caller, Reply, SessionName};
use lancet_testing::TestProject;

use crate::project::{Changes as _, operation, patiently, project, refused};

fn keep_going(project: &TestProject, selection: Selection) -> Reply {
    let asked = UndoRequest::undo(selection).conflicts(Conflicts::LeaveOut);
    let session = project.lancet.new_session();
    patiently(|| session.undo_or_redo(asked.clone(), Caller::default()))
}

fn session() -> Selection {
    Selection::Session("talk".into())
}

#[test]
fn a_file_that_was_removed_by_hand_counts_as_taken_back_and_the_others_go_on() {
    let project = project();
    project.put("f.txt", "old\n");
    operation(&project.edit_file("f.txt", "old", "new"));
    let made = operation(&project.write_file("scratch.py", "print()\n"));
    fs::remove_file(project.path("scratch.py")).expect("removed");
    let reply = project.undo(session());
    let undo = operation(&reply);
    assert_eq!(project.bytes("f.txt"), b"old\n");
    assert!(reply.text().contains("scratch.py"), "{}", reply.text());
    let log = project.log();
    assert_eq!(log.len(), 3);
    assert!(log[1].id == made && log[1].is_undone() && log[2].is_undone());
    assert_eq!(log[0].files.len(), 1, "only what was written");
    assert_eq!(log[1].files[0].undone_by.as_deref(), Some(undo.as_str()));
    // The redo leaves out what the undo did not write.
    operation(&project.redo());
    assert_eq!(project.bytes("f.txt"), b"new\n");
    assert!(!project.path("scratch.py").exists());
}

#[test]
fn undo_of_a_change_that_is_back_already_says_so_marks_it_and_stops() {
    let project = project();
    project.put("a.txt", "1\n");
    project.put("b.txt", "1\n");
    operation(&project.edit_file("a.txt", "1", "2"));
    for overlap in [Overlap::Refuse, Overlap::Merge] {
        let id = operation(&project.edit_file("b.txt", "1", "2"));
        project.put("b.txt", "1\n");
        let reply = project.take_back(Selection::Newest, Direction::Undo, overlap);
        assert!(!reply.is_error(), "{}", reply.text());
        assert!(
            reply.text().starts_with("Already undone"),
            "{}",
            reply.text()
        );
        assert!(reply.text().contains(&id), "{}", reply.text());
        assert_eq!(reply.data()["foundBack"].as_array().expect("some").len(), 1);
        assert_eq!(project.bytes("a.txt"), b"2\n", "it stops there");
        let log = project.log();
        assert!(
            log[0].id == id && log[0].is_undone(),
            "no operation of its own"
        );
    }
    // By its id it is reported as what it is, and there is no undo to be redone.
    let id = project.log()[0].id.clone();
    for direction in [Direction::Undo, Direction::Redo] {
        let selection = Selection::Operation(id.clone());
        let reply = project.take_back(selection, direction, Overlap::Refuse);
        assert_eq!(refused(&reply), "not_found");
        assert!(
            reply.text().contains("found as they were before"),
            "{}",
            reply.text()
        );
    }
    // The next undo goes on with the change before.
    operation(&project.undo(Selection::Newest));
    assert_eq!(project.bytes("a.txt"), b"1\n");
}

#[test]
fn a_dry_run_marks_nothing() {
    let project = project();
    project.put("a.txt", "1\n");
    operation(&project.edit_file("a.txt", "1", "2"));
    project.put("a.txt", "1\n");
    let asked = UndoRequest::undo(Selection::Newest).dry_run();
    let reply = project
        .lancet
        .new_session()
        .undo_or_redo(asked, Caller::default());
    assert!(reply.text().contains("Already undone"), "{}", reply.text());
    assert_eq!(reply.data()["dryRun"], true);
    assert!(!project.log()[0].is_undone());
}

#[test]
fn a_chain_is_taken_back_from_the_latest_point_that_equals_the_file() {
    let (project, other) = (project(), project());
    project.put("a.txt", "0\n");
    for (old, new) in [("0", "1"), ("1", "2"), ("2", "3")] {
        operation(&project.edit_file("a.txt", old, new));
    }
    // Another program went back two changes.
    project.put("a.txt", "1\n");
    operation(&project.undo(session()));
    assert_eq!(project.bytes("a.txt"), b"0\n");
    assert!(
        project
            .log()
            .iter()
            .skip(1)
            .all(lancet::history::Operation::is_undone)
    );
    // A chain that ends where it began has nothing to write.
    other.put("a.txt", "0\n");
    operation(&other.edit_file("a.txt", "0", "1"));
    operation(&other.edit_file("a.txt", "1", "0"));
    let reply = other.undo(session());
    assert!(
        reply.text().starts_with("Already undone"),
        "{}",
        reply.text()
    );
    assert_eq!(refused(&other.undo(session())), "not_found");
}

#[test]
fn a_file_that_another_change_brought_back_is_not_taken_for_back() {
    let project = project();
    project.put("a.txt", "0\n");
    let first = operation(&project.edit_file("a.txt", "0", "1"));
    let other = project
        .lancet
        .session(&SessionName::new("other").expect("a name"));
    let write = serde_json::json!({ "file_path": project.path("a.txt"), "content": "0\n" });
    other.call(lancet::RawCall::new(
        "Read",
        serde_json::json!({ "file_path": project.path("a.txt") }),
    ));
    operation(&patiently(|| {
        other.call(lancet::RawCall::new("Write", write.clone()))
    }));
    assert_eq!(refused(&project.undo(session())), "conflict");
    // When the other change is undone too, both are.
    let reply = project.undo(Selection::Since(0));
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(project.bytes("a.txt"), b"0\n");
    let log = project.log();
    assert!(
        log.iter()
            .any(|found| found.id == first && found.is_undone())
    );
}

#[test]
fn files_in_conflict_are_left_out_and_named_where_that_is_asked_for() {
    let project = project();
    for name in ["a.txt", "b.txt", "c.txt"] {
        project.put(name, "1\n");
        operation(&project.edit_file(name, "1", "2"));
    }
    project.put("b.txt", "theirs\n");
    project.put("c.txt", "1\n");
    assert_eq!(refused(&project.undo(session())), "conflict");
    assert_eq!(project.bytes("a.txt"), b"2\n");
    let reply = keep_going(&project, session());
    operation(&reply);
    assert_eq!(project.bytes("a.txt"), b"1\n");
    assert_eq!(project.bytes("b.txt"), b"theirs\n");
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
    let standing: Vec<_> = project
        .log()
        .into_iter()
        .filter(|found| !found.is_undone() && found.tool == "Edit")
        .collect();
    assert_eq!(standing.len(), 1);
    assert!(standing[0].files[0].path.ends_with("b.txt"));
    // If no file is left the undo is refused as before.
    assert_eq!(refused(&keep_going(&project, session())), "conflict");
}

#[test]
fn hard_links_of_one_file_are_one_file() {
    let project = project();
    project.put("a", "0\n");
    fs::hard_link(project.path("a"), project.path("b")).expect("linked");
    operation(&project.edit_file("a", "0", "1"));
    operation(&project.edit_file("b", "1", "2"));
    operation(&project.edit_file("a", "2", "3"));
    operation(&project.undo(session()));
    assert_eq!(project.bytes("a"), b"0\n");
    assert_eq!(project.bytes("b"), b"0\n");
    operation(&project.redo());
    assert_eq!(project.bytes("b"), b"3\n");
    // The newest change of the file, whatever name it was made under.
    operation(&project.undo(Selection::File(project.path("b"))));
    assert_eq!(project.bytes("b"), b"2\n");
    operation(&project.undo(Selection::File(project.path("a"))));
    assert_eq!(project.bytes("a"), b"1\n");
}

#[test]
fn files_that_were_linked_after_their_changes_are_not_one_chain() {
    let project = project();
    project.put("a", "a0\n");
    project.put("b", "b0\n");
    operation(&project.edit_file("a", "a0", "a1"));
    operation(&project.edit_file("b", "b0", "b1"));
    fs::remove_file(project.path("b")).expect("removed");
    fs::hard_link(project.path("a"), project.path("b")).expect("linked");
    assert_eq!(refused(&project.undo(session())), "conflict");
    assert_eq!(project.bytes("a"), b"a1\n");
}

#[test]
fn so_many_of_the_newest_are_one_operation() {
    let project = project();
    project.put("a.txt", "0\n");
    for (old, new) in [("0", "1"), ("1", "2"), ("2", "3")] {
        operation(&project.edit_file("a.txt", old, new));
    }
    operation(&project.undo(Selection::Last(2)));
    assert_eq!(project.bytes("a.txt"), b"1\n");
    assert_eq!(project.log()[0].takes_back.len(), 2);
    operation(&project.undo(Selection::Last(2)));
    assert_eq!(project.bytes("a.txt"), b"0\n");
}
