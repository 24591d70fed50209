//! Moves and removals, undone together with other changes, and where the files have changed since.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use lancet::Caller;
use lancet::undo::{Conflicts, Overlap, Selection, TakeBack};
use serde_json::json;

use crate::ground::{Ground, ok, refused};

fn write(ground: &Ground, name: &str, content: &str) {
    let arguments = json!({ "file_path": ground.path(name), "content": content });
    ok(&ground.call("Write", arguments));
}

fn edit(ground: &Ground, name: &str, old: &str, new: &str) {
    let arguments = json!({ "file_path": ground.path(name), "old_string": old, "new_string": new });
    ok(&ground.call("Edit", arguments));
}

#[test]
fn a_move_is_taken_back_as_a_move() {
    let ground = Ground::new();
    // Larger than the contents that the history stores in its records.
    let path = ground.put("large.txt", "line\n".repeat(100_000));
    let before = fs::metadata(&path).expect("there");
    ok(&ground.rename("large.txt", "sub/large.txt"));
    ok(&ground.call("Undo", json!({})));
    let after = fs::metadata(&path).expect("there");
    assert_eq!(
        (before.ino(), before.mtime(), before.mtime_nsec()),
        (after.ino(), after.mtime(), after.mtime_nsec())
    );
    assert!(!ground.path("sub").exists());
}

#[test]
fn edits_and_moves_of_one_file_go_back_together_and_come_again() {
    let ground = Ground::new();
    ground.put("a.txt", "one\ntwo\n");
    ground.chmod("a.txt", 0o640);
    let before = ground.tree();
    ground.read("a.txt");
    edit(&ground, "a.txt", "one", "1");
    ok(&ground.rename("a.txt", "x/b.txt"));
    edit(&ground, "x/b.txt", "two", "2");
    ok(&ground.rename("x/b.txt", "y/c.txt"));
    let after = ground.tree();
    ok(&ground.session.undo_all());
    assert_eq!(ground.tree(), before);
    ok(&ground.redo());
    assert_eq!(
        ground.tree().get(std::path::Path::new("y/c.txt")),
        after.get(std::path::Path::new("y/c.txt"))
    );
    assert!(!ground.path("a.txt").exists());
}

#[test]
fn a_name_that_was_left_and_made_anew_goes_back_too() {
    let ground = Ground::new();
    ground.put("a.txt", "old\n");
    ground.chmod("a.txt", 0o600);
    let before = ground.tree();
    ok(&ground.rename("a.txt", "b.txt"));
    write(&ground, "a.txt", "new\n");
    let after = ground.tree();
    ok(&ground.session.undo_all());
    assert_eq!(ground.tree(), before);
    ok(&ground.redo());
    let (now, then) = (ground.tree(), after);
    assert_eq!(
        now.keys().collect::<Vec<_>>(),
        then.keys().collect::<Vec<_>>()
    );
    assert_eq!(
        fs::read_to_string(ground.path("a.txt")).expect("there"),
        "new\n"
    );
    assert_eq!(
        fs::read_to_string(ground.path("b.txt")).expect("there"),
        "old\n"
    );
}

#[test]
fn two_files_that_changed_names_change_them_back() {
    let ground = Ground::new();
    ground.put("a.txt", "a\n");
    ground.put("b.txt", "b\n");
    let before = ground.tree();
    ok(&ground.rename("a.txt", "c.txt"));
    ok(&ground.rename("b.txt", "a.txt"));
    ok(&ground.rename("c.txt", "b.txt"));
    let after = ground.tree();
    ok(&ground.session.undo_all());
    assert_eq!(ground.tree(), before);
    ok(&ground.redo());
    assert_eq!(ground.tree(), after);
}

#[test]
fn a_moved_file_that_somebody_changed_or_removed_is_a_conflict() {
    let ground = Ground::new();
    for (name, now) in [("changed.txt", Some("mine\n")), ("removed.txt", None)] {
        ground.put(name, "text\n");
        ok(&ground.rename(name, &format!("sub/{name}")));
        let path = ground.path(&format!("sub/{name}"));
        match now {
            Some(text) => fs::write(path, text).expect("written"),
            None => fs::remove_file(path).expect("removed"),
        }
        let before = ground.tree();
        refused(&ground.call("Undo", json!({})), "conflict");
        assert_eq!(ground.tree(), before);
        // The file that would block the next iteration is left over from this one.
        let _ = fs::remove_dir_all(ground.path("sub"));
    }
}

#[test]
fn a_move_is_taken_out_of_what_the_file_became_where_that_is_asked_for() {
    let ground = Ground::new();
    ground.put("a.txt", "text\n");
    ok(&ground.rename("a.txt", "b.txt"));
    ground.put("b.txt", "mine\n");
    let asked = TakeBack::undo(Selection::Newest).overlap(Overlap::Merge);
    ok(&ground.session.take_back(asked, Caller::default()));
    assert_eq!(
        fs::read_to_string(ground.path("a.txt")).expect("there"),
        "mine\n"
    );
    assert!(!ground.path("b.txt").exists());
}

#[test]
fn an_old_name_that_is_taken_is_a_conflict_and_may_be_left_out() {
    let ground = Ground::new();
    ground.put("a.txt", "a\n");
    ok(&ground.rename("a.txt", "b.txt"));
    write(&ground, "other.txt", "other\n");
    ground.put("a.txt", "mine\n");
    let before = ground.tree();
    refused(&ground.session.undo_all(), "conflict");
    assert_eq!(ground.tree(), before);
    let session = Selection::Last(2);
    let asked = TakeBack::undo(session).conflicts(Conflicts::LeaveOut);
    ok(&ground.session.take_back(asked, Caller::default()));
    assert!(!ground.path("other.txt").exists());
    assert_eq!(
        fs::read_to_string(ground.path("a.txt")).expect("there"),
        "mine\n"
    );
    assert_eq!(
        fs::read_to_string(ground.path("b.txt")).expect("there"),
        "a\n"
    );
}

#[test]
fn a_file_that_was_moved_back_by_hand_counts_as_taken_back() {
    let ground = Ground::new();
    ground.put("a.txt", "a\n");
    ok(&ground.rename("a.txt", "b.txt"));
    fs::rename(ground.path("b.txt"), ground.path("a.txt")).expect("moved");
    let before = ground.tree();
    let reply = ground.call("Undo", json!({}));
    assert!(ok(&reply).text().contains("already"), "{}", reply.text());
    assert_eq!(ground.tree(), before);
    refused(&ground.call("Undo", json!({})), "not_found");
}

#[test]
fn the_newest_change_of_a_file_is_found_under_either_name() {
    for name in ["a.txt", "b.txt"] {
        let ground = Ground::new();
        ground.put("a.txt", "a\n");
        ok(&ground.rename("a.txt", "b.txt"));
        write(&ground, "later.txt", "later\n");
        let asked = TakeBack::undo(Selection::File(ground.path(name)));
        ok(&ground.session.take_back(asked, Caller::default()));
        assert!(ground.path("a.txt").exists());
        assert!(ground.path("later.txt").exists());
    }
}

#[test]
fn after_an_undo_that_found_everything_back_a_redo_means_the_undo_before() {
    let ground = Ground::new();
    ground.put("a", "a\nend\n");
    ground.read("a");
    edit(&ground, "a", "end", "0\nend");
    ok(&ground.call("Undo", json!({})));
    write(&ground, "b", "b\n");
    ok(&ground.delete("b"));
    let before = ground.tree();
    let all = ground.session.undo_all();
    assert!(
        ok(&all).text().contains("Nothing was written"),
        "{}",
        all.text()
    );
    assert_eq!(ground.tree(), before);
    ok(&ground.redo());
    assert_eq!(fs::read(ground.path("a")).expect("there"), b"a\n0\nend\n");
    assert!(!ground.path("b").exists());
}

/// Undoes everything that was done to files, and redoes it.
fn there_and_back(deeds: impl FnOnce(&Ground)) {
    let ground = Ground::new();
    ground.put("a", "a\n");
    ground.put("c", "c\r\n");
    ground.chmod("c", 0o750);
    let before = ground.tree();
    ground.read("a");
    ground.read("c");
    deeds(&ground);
    let after = ground.tree();
    ok(&ground.session.undo_all());
    assert_eq!(ground.tree(), before);
    ok(&ground.redo());
    assert_eq!(ground.tree(), after);
}

#[test]
fn a_file_that_came_to_the_name_of_a_removed_one_goes_back_and_that_one_comes() {
    there_and_back(|ground| {
        ok(&ground.delete("c"));
        write(ground, "d", "new\n");
        ok(&ground.rename("d", "c"));
    });
    there_and_back(|ground| {
        ok(&ground.delete("c"));
        ok(&ground.rename("a", "c"));
    });
    // The name has the bytes that it had, in another file.
    there_and_back(|ground| {
        ok(&ground.delete("c"));
        write(ground, "d", "c\r\n");
        ok(&ground.rename("d", "c"));
    });
    // The removed file had the name only for a while.
    there_and_back(|ground| {
        ok(&ground.rename("c", "b"));
        ok(&ground.delete("b"));
        ok(&ground.rename("a", "b"));
    });
    // So had one that was made and removed.
    there_and_back(|ground| {
        write(ground, "d", "new\n");
        ok(&ground.delete("d"));
        ok(&ground.rename("c", "d"));
    });
}
