//! Moves, removals and permission bits together with edits and whole files in one request.

use std::path::Path;

use lancet::request::{
    DeleteRequest, EditRequest, Executable, FileRequest, MoveRequest, WriteMode, WriteRequest,
};
use serde_json::json;

use crate::ground::{Ground, Node, ok, refused};

#[test]
fn all_kinds_of_change_are_one_operation_and_one_undo() {
    let ground = Ground::new();
    for name in ["edit.txt", "gone.txt", "old.txt", "run.sh"] {
        ground.put(name, format!("{name}\nend\n"));
        ground.read(name);
    }
    let before = ground.tree();
    let edits = vec![EditRequest::new("end", "END")];
    let reply = ground.request(vec![
        FileRequest::edit(ground.text("edit.txt"), edits.clone()),
        FileRequest::delete(ground.text("gone.txt"), DeleteRequest::new()),
        FileRequest::rename(
            ground.text("old.txt"),
            MoveRequest::with_edits(ground.text("sub/new.txt"), edits),
        ),
        FileRequest::set_executable(ground.text("run.sh"), Executable::Yes),
        FileRequest::write(ground.text("made.sh"), WriteRequest::new("made\n")),
        FileRequest::set_executable(ground.text("made.sh"), Executable::Yes),
    ]);
    let kinds: Vec<_> = ok(&reply).data()["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|file| file["type"].as_str().expect("a type").to_owned())
        .collect();
    assert_eq!(kinds, ["update", "delete", "move", "update", "create"]);
    let after = ground.tree();
    let file = |name: &str| match &after[Path::new(name)] {
        Node::File { bytes, mode } => (String::from_utf8_lossy(bytes).into_owned(), *mode),
        other => panic!("{other:?}"),
    };
    assert_eq!(file("edit.txt").0, "edit.txt\nEND\n");
    assert_eq!(file("sub/new.txt").0, "old.txt\nEND\n");
    assert_eq!(file("run.sh").1 & 0o111, 0o111);
    assert_eq!(file("made.sh").1 & 0o100, 0o100);
    assert_eq!(after.len(), 5);
    ok(&ground.call("Undo", json!({})));
    assert_eq!(ground.tree(), before);
    ok(&ground.redo());
    assert_eq!(ground.tree(), after);
}

#[test]
fn edits_under_either_name_go_with_the_move() {
    let ground = Ground::new();
    ground.put("a.txt", "one\ntwo\nthree\n");
    ground.read("a.txt");
    let edit = |name: &str, old: &str, new: &str| {
        FileRequest::edit(ground.text(name), vec![EditRequest::new(old, new)])
    };
    ok(&ground.request(vec![
        edit("a.txt", "one", "1"),
        FileRequest::rename(ground.text("a.txt"), MoveRequest::new(ground.text("b.txt"))),
        edit("b.txt", "two", "2"),
    ]));
    assert_eq!(
        std::fs::read_to_string(ground.path("b.txt")).expect("there"),
        "1\n2\nthree\n"
    );
    assert_eq!(ground.tree().len(), 1);
}

#[test]
fn a_removal_and_a_new_file_of_the_name_replace_it() {
    let ground = Ground::new();
    ground.put("a.txt", "old\n");
    ground.chmod("a.txt", 0o600);
    let changes = || {
        let mut create = WriteRequest::new("new\n");
        create.mode = WriteMode::Create;
        vec![
            FileRequest::delete(ground.text("a.txt"), DeleteRequest::new()),
            FileRequest::write(ground.text("a.txt"), create),
        ]
    };
    refused(&ground.request(changes()), "not_read");
    ground.read("a.txt");
    ok(&ground.request(changes()));
    assert_eq!(
        std::fs::read_to_string(ground.path("a.txt")).expect("there"),
        "new\n"
    );
}

#[test]
fn changes_that_exclude_each_other_are_a_conflict() {
    let ground = Ground::new();
    for name in ["a.txt", "b.txt"] {
        ground.put(name, "text\n");
        ground.read(name);
    }
    let before = ground.tree();
    let delete = |name: &str| FileRequest::delete(ground.text(name), DeleteRequest::new());
    let rename = |from: &str, to: &str| {
        FileRequest::rename(ground.text(from), MoveRequest::new(ground.text(to)))
    };
    let edit =
        |name: &str| FileRequest::edit(ground.text(name), vec![EditRequest::new("text", "other")]);
    let write = |name: &str| FileRequest::write(ground.text(name), WriteRequest::new("new\n"));
    for changes in [
        vec![delete("a.txt"), edit("a.txt")],
        vec![edit("a.txt"), delete("a.txt")],
        vec![delete("a.txt"), delete("a.txt")],
        vec![rename("a.txt", "c.txt"), rename("b.txt", "c.txt")],
        vec![rename("a.txt", "c.txt"), rename("c.txt", "d.txt")],
        vec![rename("a.txt", "c.txt"), write("a.txt")],
        vec![rename("a.txt", "c.txt"), write("c.txt")],
        vec![rename("a.txt", "c.txt"), delete("a.txt")],
        vec![delete("b.txt"), rename("a.txt", "b.txt")],
    ] {
        let said = format!("{changes:?}");
        let text = refused(&ground.request(changes), "conflict");
        assert!(text.contains("no file was changed"), "{said}: {text}");
        assert_eq!(ground.tree(), before, "{said}");
    }
    let swap = vec![rename("a.txt", "b.txt"), rename("b.txt", "a.txt")];
    refused(&ground.request(swap), "exists");
    assert_eq!(ground.tree(), before);
}

#[test]
fn a_removal_that_states_its_lines_needs_just_those() {
    let ground = Ground::new();
    ground.put("a.txt", "one\r\ntwo");
    ground.read("a.txt");
    let delete = |lines: &[&str]| {
        let mut delete = DeleteRequest::new();
        delete.lines = Some(lines.iter().map(|line| (*line).to_owned()).collect());
        ground.request(vec![FileRequest::delete(ground.text("a.txt"), delete)])
    };
    for lines in [&["one"][..], &["one", "two", "three"], &["one", "2"], &[]] {
        refused(&delete(lines), "not_found");
    }
    ok(&delete(&["one", "two"]));
    assert!(ground.tree().is_empty());
}

#[test]
fn one_refused_change_leaves_every_name_as_it_was() {
    let ground = Ground::new();
    ground.put("a.txt", "a\n");
    ground.put("b.txt", "b\n");
    ground.read("b.txt");
    let before = ground.tree();
    let reply = ground.request(vec![
        FileRequest::rename(
            ground.text("a.txt"),
            MoveRequest::new(ground.text("x/a.txt")),
        ),
        FileRequest::delete(ground.text("b.txt"), DeleteRequest::new()),
        FileRequest::edit(ground.text("c.txt"), vec![EditRequest::new("c", "d")]),
    ]);
    refused(&reply, "missing");
    assert_eq!(reply.data()["error"]["edit"], 3);
    assert_eq!(ground.tree(), before);
}

#[test]
fn permission_bits_that_are_so_already_are_no_change() {
    let ground = Ground::new();
    ground.put("a.sh", "a\n");
    ground.chmod("a.sh", 0o750);
    let set = |executable| {
        ground.request(vec![FileRequest::set_executable(
            ground.text("a.sh"),
            executable,
        )])
    };
    refused(&set(Executable::Yes), "no_change");
    let before = ground.tree();
    ok(&set(Executable::No));
    assert_ne!(ground.tree(), before);
    ok(&ground.call("Undo", json!({})));
    assert_eq!(ground.tree(), before);
}
