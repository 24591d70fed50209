//! Moves and removals, undone together with other changes, and where the files have changed since.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use lancet::Caller;
use lancet::undo::{Conflicts, Overlap, Selection, UndoRequest};
use lancet_testing::TestProject;
use serde_json::json;

use crate::project::{
    chmod, delete_file, ok, project, read_file, redo_newest, refused, rename_file, snapshot,
};

fn write(project: &TestProject, name: &str, content: &str) {
    let arguments = json!({ "file_path": project.path(name), "content": content });
    ok(&project.call("Write", arguments));
}

fn edit(project: &TestProject, name: &str, old: &str, new: &str) {
    let arguments =
        json!({ "file_path": project.path(name), "old_string": old, "new_string": new });
    ok(&project.call("Edit", arguments));
}

#[test]
fn a_move_is_taken_back_as_a_move() {
    let project = project();
    // Larger than the contents that the history stores in its records.
    let path = project.put("large.txt", "line\n".repeat(100_000));
    let before = fs::metadata(&path).expect("there");
    ok(&rename_file(&project, "large.txt", "sub/large.txt"));
    ok(&project.call("Undo", json!({})));
    let after = fs::metadata(&path).expect("there");
    assert_eq!(
        (before.ino(), before.mtime(), before.mtime_nsec()),
        (after.ino(), after.mtime(), after.mtime_nsec())
    );
    assert!(!project.path("sub").exists());
}

#[test]
fn edits_and_moves_of_one_file_go_back_together_and_come_again() {
    let project = project();
    project.put("a.txt", "one\ntwo\n");
    chmod(&project, "a.txt", 0o640);
    let before = snapshot(&project);
    read_file(&project, "a.txt");
    edit(&project, "a.txt", "one", "1");
    ok(&rename_file(&project, "a.txt", "x/b.txt"));
    edit(&project, "x/b.txt", "two", "2");
    ok(&rename_file(&project, "x/b.txt", "y/c.txt"));
    let after = snapshot(&project);
    ok(&project.session.undo_all());
    assert_eq!(snapshot(&project), before);
    ok(&redo_newest(&project));
    assert_eq!(
        snapshot(&project).get(std::path::Path::new("y/c.txt")),
        after.get(std::path::Path::new("y/c.txt"))
    );
    assert!(!project.path("a.txt").exists());
}

#[test]
fn a_name_that_was_left_and_made_anew_goes_back_too() {
    let project = project();
    project.put("a.txt", "old\n");
    chmod(&project, "a.txt", 0o600);
    let before = snapshot(&project);
    ok(&rename_file(&project, "a.txt", "b.txt"));
    write(&project, "a.txt", "new\n");
    let after = snapshot(&project);
    ok(&project.session.undo_all());
    assert_eq!(snapshot(&project), before);
    ok(&redo_newest(&project));
    let (now, then) = (snapshot(&project), after);
    assert_eq!(
        now.keys().collect::<Vec<_>>(),
        then.keys().collect::<Vec<_>>()
    );
    assert_eq!(
        fs::read_to_string(project.path("a.txt")).expect("there"),
        "new\n"
    );
    assert_eq!(
        fs::read_to_string(project.path("b.txt")).expect("there"),
        "old\n"
    );
}

#[test]
fn two_files_that_changed_names_change_them_back() {
    let project = project();
    project.put("a.txt", "a\n");
    project.put("b.txt", "b\n");
    let before = snapshot(&project);
    ok(&rename_file(&project, "a.txt", "c.txt"));
    ok(&rename_file(&project, "b.txt", "a.txt"));
    ok(&rename_file(&project, "c.txt", "b.txt"));
    let after = snapshot(&project);
    ok(&project.session.undo_all());
    assert_eq!(snapshot(&project), before);
    ok(&redo_newest(&project));
    assert_eq!(snapshot(&project), after);
}

#[test]
fn a_moved_file_that_somebody_changed_or_removed_is_a_conflict() {
    let project = project();
    for (name, now) in [("changed.txt", Some("mine\n")), ("removed.txt", None)] {
        project.put(name, "text\n");
        ok(&rename_file(&project, name, &format!("sub/{name}")));
        let path = project.path(format!("sub/{name}"));
        match now {
            Some(text) => fs::write(path, text).expect("written"),
            None => fs::remove_file(path).expect("removed"),
        }
        let before = snapshot(&project);
        refused(&project.call("Undo", json!({})), "conflict");
        assert_eq!(snapshot(&project), before);
        // The file that would block the next iteration is left over from this one.
        let _ = fs::remove_dir_all(project.path("sub"));
    }
}

#[test]
fn a_move_is_taken_out_of_what_the_file_became_where_that_is_asked_for() {
    let project = project();
    project.put("a.txt", "text\n");
    ok(&rename_file(&project, "a.txt", "b.txt"));
    project.put("b.txt", "mine\n");
    let asked = UndoRequest::undo(Selection::Newest).overlap(Overlap::Merge);
    ok(&project.session.undo_or_redo(asked, Caller::default()));
    assert_eq!(
        fs::read_to_string(project.path("a.txt")).expect("there"),
        "mine\n"
    );
    assert!(!project.path("b.txt").exists());
}

#[test]
fn an_old_name_that_is_taken_is_a_conflict_and_may_be_left_out() {
    let project = project();
    project.put("a.txt", "a\n");
    ok(&rename_file(&project, "a.txt", "b.txt"));
    write(&project, "other.txt", "other\n");
    project.put("a.txt", "mine\n");
    let before = snapshot(&project);
    refused(&project.session.undo_all(), "conflict");
    assert_eq!(snapshot(&project), before);
    let session = Selection::Last(2);
    let asked = UndoRequest::undo(session).conflicts(Conflicts::LeaveOut);
    ok(&project.session.undo_or_redo(asked, Caller::default()));
    assert!(!project.path("other.txt").exists());
    assert_eq!(
        fs::read_to_string(project.path("a.txt")).expect("there"),
        "mine\n"
    );
    assert_eq!(
        fs::read_to_string(project.path("b.txt")).expect("there"),
        "a\n"
    );
}

#[test]
fn a_file_that_was_moved_back_by_hand_counts_as_taken_back() {
    let project = project();
    project.put("a.txt", "a\n");
    ok(&rename_file(&project, "a.txt", "b.txt"));
    fs::rename(project.path("b.txt"), project.path("a.txt")).expect("moved");
    let before = snapshot(&project);
    let reply = project.call("Undo", json!({}));
    assert!(ok(&reply).text().contains("already"), "{}", reply.text());
    assert_eq!(snapshot(&project), before);
    refused(&project.call("Undo", json!({})), "not_found");
}

#[test]
fn the_newest_change_of_a_file_is_found_under_either_name() {
    for name in ["a.txt", "b.txt"] {
        let project = project();
        project.put("a.txt", "a\n");
        ok(&rename_file(&project, "a.txt", "b.txt"));
        write(&project, "later.txt", "later\n");
        let asked = UndoRequest::undo(Selection::File(project.path(name)));
        ok(&project.session.undo_or_redo(asked, Caller::default()));
        assert!(project.path("a.txt").exists());
        assert!(project.path("later.txt").exists());
    }
}

#[test]
fn after_an_undo_that_found_everything_back_a_redo_means_the_undo_before() {
    let project = project();
    project.put("a", "a\nend\n");
    read_file(&project, "a");
    edit(&project, "a", "end", "0\nend");
    ok(&project.call("Undo", json!({})));
    write(&project, "b", "b\n");
    ok(&delete_file(&project, "b"));
    let before = snapshot(&project);
    let all = project.session.undo_all();
    assert!(
        ok(&all).text().contains("Nothing was written"),
        "{}",
        all.text()
    );
    assert_eq!(snapshot(&project), before);
    ok(&redo_newest(&project));
    assert_eq!(fs::read(project.path("a")).expect("there"), b"a\n0\nend\n");
    assert!(!project.path("b").exists());
}

/// Undoes everything that was done to files, and redoes it.
fn there_and_back(deeds: impl FnOnce(&TestProject)) {
    let project = project();
    project.put("a", "a\n");
    project.put("c", "c\r\n");
    chmod(&project, "c", 0o750);
    let before = snapshot(&project);
    read_file(&project, "a");
    read_file(&project, "c");
    deeds(&project);
    let after = snapshot(&project);
    ok(&project.session.undo_all());
    assert_eq!(snapshot(&project), before);
    ok(&redo_newest(&project));
    assert_eq!(snapshot(&project), after);
}

#[test]
fn a_file_that_came_to_the_name_of_a_removed_one_goes_back_and_that_one_comes() {
    there_and_back(|project| {
        ok(&delete_file(project, "c"));
        write(project, "d", "new\n");
        ok(&rename_file(project, "d", "c"));
    });
    there_and_back(|project| {
        ok(&delete_file(project, "c"));
        ok(&rename_file(project, "a", "c"));
    });
    // The name has the bytes that it had, in another file.
    there_and_back(|project| {
        ok(&delete_file(project, "c"));
        write(project, "d", "c\r\n");
        ok(&rename_file(project, "d", "c"));
    });
    // The removed file had the name only for a while.
    there_and_back(|project| {
        ok(&rename_file(project, "c", "b"));
        ok(&delete_file(project, "b"));
        ok(&rename_file(project, "a", "b"));
    });
    // So had one that was made and removed.
    there_and_back(|project| {
        write(project, "d", "new\n");
        ok(&delete_file(project, "d"));
        ok(&rename_file(project, "c", "d"));
    });
}
