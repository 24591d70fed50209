//! Moves.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::project::{
    Node, chmod, ok, path_text, project, project_with, read_file, redo_newest, refused,
    rename_file, snapshot,
};

#[test]
fn a_move_keeps_the_file_itself_and_needs_no_read() {
    let project = project();
    let path = project.put("run.sh", "one\r\ntwo\r\n");
    chmod(&project, "run.sh", 0o755);
    let before = fs::metadata(&path).expect("there");
    let reply = rename_file(&project, "run.sh", "bin/deep/go.sh");
    let file = &ok(&reply).data()["files"][0];
    assert_eq!(file["type"], "move");
    assert_eq!(file["file_path"], path_text(&project, "bin/deep/go.sh"));
    assert_eq!(file["from_path"], path_text(&project, "run.sh"));
    let after = fs::metadata(project.path("bin/deep/go.sh")).expect("there");
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
    let project = project();
    project.put("a.txt", "one\ntwo\n");
    read_file(&project, "a.txt");
    ok(&rename_file(&project, "a.txt", "b.txt"));
    let edit = |name: &str| {
        let arguments =
            json!({ "file_path": project.path(name), "old_string": "two", "new_string": "2" });
        project.call("Edit", arguments)
    };
    refused(&edit("a.txt"), "missing");
    ok(&edit("b.txt"));
    // A file that takes the old name has not been read yet.
    project.put("a.txt", "one\ntwo\n");
    refused(&edit("a.txt"), "not_read");
}

#[test]
fn nothing_that_is_there_is_ever_replaced() {
    let project = project();
    project.put("a.txt", "a\n");
    project.put("b.txt", "b\n");
    project.put("folder/c.txt", "c\n");
    symlink("nowhere", project.path("dangling")).expect("made");
    let before = snapshot(&project);
    refused(&rename_file(&project, "a.txt", "b.txt"), "exists");
    refused(&rename_file(&project, "a.txt", "dangling"), "exists");
    refused(&rename_file(&project, "a.txt", "folder"), "special");
    refused(&rename_file(&project, "folder", "other"), "special");
    refused(&rename_file(&project, "gone.txt", "new.txt"), "missing");
    refused(&rename_file(&project, "a.txt", "../a.txt"), "outside");
    refused(&rename_file(&project, "a.txt", "b.txt/c"), "special");
    refused(&rename_file(&project, "a.txt", "a.txt"), "no_change");
    assert_eq!(snapshot(&project), before);
}

#[test]
fn undo_and_redo_of_a_move_take_the_folders_along() {
    let project = project();
    project.put("a.bin", b"\0\xff");
    chmod(&project, "a.bin", 0o604);
    let before = snapshot(&project);
    ok(&rename_file(&project, "a.bin", "x/y/b.bin"));
    let after = snapshot(&project);
    ok(&project.call("Undo", json!({})));
    assert_eq!(snapshot(&project), before);
    ok(&redo_newest(&project));
    assert_eq!(snapshot(&project), after);
}

#[test]
fn a_link_is_moved_as_a_link() {
    let project = project();
    project.put("real.txt", "text\n");
    symlink("real.txt", project.path("link")).expect("made");
    let before = snapshot(&project);
    let reply = rename_file(&project, "link", "sub/link");
    assert!(ok(&reply).text().contains("relative"), "{}", reply.text());
    let tree = snapshot(&project);
    assert_eq!(
        tree[std::path::Path::new("sub/link")],
        Node::Link("real.txt".into())
    );
    assert!(!tree.contains_key(std::path::Path::new("link")));
    ok(&project.call("Undo", json!({})));
    assert_eq!(snapshot(&project), before);
    ok(&redo_newest(&project));
    assert_eq!(snapshot(&project), tree);
}

#[test]
fn both_names_are_judged() {
    let project = project_with(|builder| builder.deny("Edit(/locked/**)"));
    project.put("a.txt", "a\n");
    project.put("locked/b.txt", "b\n");
    project.put(".env", "KEY=1\n");
    let before = snapshot(&project);
    refused(&rename_file(&project, "a.txt", "locked/a.txt"), "denied");
    refused(&rename_file(&project, "locked/b.txt", "b.txt"), "denied");
    refused(&rename_file(&project, ".env", "env.txt"), "denied");
    refused(
        &rename_file(&project, "a.txt", ".git/hooks/pre-commit"),
        "declined",
    );
    assert_eq!(snapshot(&project), before);
}
