//! Moves.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::ground::{Ground, Node, ok, refused};

#[test]
fn a_move_keeps_the_file_itself_and_needs_no_read() {
    let ground = Ground::new();
    let path = ground.put("run.sh", "one\r\ntwo\r\n");
    ground.chmod("run.sh", 0o755);
    let before = fs::metadata(&path).expect("there");
    let reply = ground.rename("run.sh", "bin/deep/go.sh");
    let file = &ok(&reply).data()["files"][0];
    assert_eq!(file["type"], "move");
    assert_eq!(file["file_path"], ground.text("bin/deep/go.sh"));
    assert_eq!(file["from_path"], ground.text("run.sh"));
    let after = fs::metadata(ground.path("bin/deep/go.sh")).expect("there");
    assert_eq!(
        (
            before.ino(),
            before.mode(),
            before.mtime(),
            before.mtime_nsec()
        ),
        (after.ino(), after.mode(), after.mtime(), after.mtime_nsec())
    );
    assert!(!path.exists());
}

#[test]
fn what_was_read_counts_under_the_new_name_alone() {
    let ground = Ground::new();
    ground.put("a.txt", "one\ntwo\n");
    ground.read("a.txt");
    ok(&ground.rename("a.txt", "b.txt"));
    let edit = |name: &str| {
        let arguments =
            json!({ "file_path": ground.path(name), "old_string": "two", "new_string": "2" });
        ground.call("Edit", arguments)
    };
    refused(&edit("a.txt"), "missing");
    ok(&edit("b.txt"));
    // A file that takes the old name has not been read yet.
    ground.put("a.txt", "one\ntwo\n");
    refused(&edit("a.txt"), "not_read");
}

#[test]
fn nothing_that_is_there_is_ever_replaced() {
    let ground = Ground::new();
    ground.put("a.txt", "a\n");
    ground.put("b.txt", "b\n");
    ground.put("folder/c.txt", "c\n");
    symlink("nowhere", ground.path("dangling")).expect("made");
    let before = ground.tree();
    refused(&ground.rename("a.txt", "b.txt"), "exists");
    refused(&ground.rename("a.txt", "dangling"), "exists");
    refused(&ground.rename("a.txt", "folder"), "special");
    refused(&ground.rename("folder", "other"), "special");
    refused(&ground.rename("gone.txt", "new.txt"), "missing");
    refused(&ground.rename("a.txt", "../a.txt"), "outside");
    refused(&ground.rename("a.txt", "b.txt/c"), "special");
    refused(&ground.rename("a.txt", "a.txt"), "no_change");
    assert_eq!(ground.tree(), before);
}

#[test]
fn undo_and_redo_of_a_move_take_the_folders_along() {
    let ground = Ground::new();
    ground.put("a.bin", b"\0\xff");
    ground.chmod("a.bin", 0o604);
    let before = ground.tree();
    ok(&ground.rename("a.bin", "x/y/b.bin"));
    let after = ground.tree();
    ok(&ground.call("Undo", json!({})));
    assert_eq!(ground.tree(), before);
    ok(&ground.redo());
    assert_eq!(ground.tree(), after);
}

#[test]
fn a_link_is_moved_as_a_link() {
    let ground = Ground::new();
    ground.put("real.txt", "text\n");
    symlink("real.txt", ground.path("link")).expect("made");
    let before = ground.tree();
    let reply = ground.rename("link", "sub/link");
    assert!(ok(&reply).text().contains("relative"), "{}", reply.text());
    let tree = ground.tree();
    assert_eq!(
        tree[std::path::Path::new("sub/link")],
        Node::Link("real.txt".into())
    );
    assert!(!tree.contains_key(std::path::Path::new("link")));
    ok(&ground.call("Undo", json!({})));
    assert_eq!(ground.tree(), before);
    ok(&ground.redo());
    assert_eq!(ground.tree(), tree);
}

#[test]
fn both_names_are_judged() {
    let ground = Ground::with(|builder| builder.deny("Edit(/locked/**)"));
    ground.put("a.txt", "a\n");
    ground.put("locked/b.txt", "b\n");
    ground.put(".env", "KEY=1\n");
    let before = ground.tree();
    refused(&ground.rename("a.txt", "locked/a.txt"), "denied");
    refused(&ground.rename("locked/b.txt", "b.txt"), "denied");
    refused(&ground.rename(".env", "env.txt"), "denied");
    refused(&ground.rename("a.txt", ".git/hooks/pre-commit"), "declined");
    assert_eq!(ground.tree(), before);
}
