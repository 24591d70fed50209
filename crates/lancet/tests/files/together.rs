//! Moves, removals and permission bits together with edits and whole files in one request.

use std::path::Path;

use lancet::request::{
    DeleteRequest, EditRequest, ExecutableChange, FileRequest, MoveRequest, WriteMode, WriteRequest,
};
use serde_json::json;

use crate::project::{
    Node, chmod, ok, path_text, proposing, read_file, redo_newest, refused, snapshot,
};

#[test]
fn all_kinds_of_change_are_one_operation_and_one_undo() {
    let (project, tool) = proposing();
    for name in ["edit.txt", "gone.txt", "old.txt", "run.sh"] {
        project.put(name, format!("{name}\nend\n"));
        read_file(&project, name);
    }
    let before = snapshot(&project);
    let edits = vec![EditRequest::new("end", "END")];
    let reply = tool.propose(
        &project.session,
        vec![
            FileRequest::edit(path_text(&project, "edit.txt"), edits.clone()),
            FileRequest::delete(path_text(&project, "gone.txt"), DeleteRequest::new()),
            FileRequest::rename(
                path_text(&project, "old.txt"),
                MoveRequest::with_edits(path_text(&project, "sub/new.txt"), edits),
            ),
            FileRequest::set_executable(path_text(&project, "run.sh"), ExecutableChange::Yes),
            FileRequest::write(path_text(&project, "made.sh"), WriteRequest::new("made\n")),
            FileRequest::set_executable(path_text(&project, "made.sh"), ExecutableChange::Yes),
        ],
    );
    let kinds: Vec<_> = ok(&reply).data()["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|file| file["type"].as_str().expect("a type").to_owned())
        .collect();
    assert_eq!(kinds, ["update", "delete", "move", "update", "create"]);
    let after = snapshot(&project);
    let file = |name: &str| match &after[Path::new(name)] {
        Node::File { bytes, mode } => (String::from_utf8_lossy(bytes).into_owned(), *mode),
        other => panic!("{other:?}"),
    };
    assert_eq!(file("edit.txt").0, "edit.txt\nEND\n");
    assert_eq!(file("sub/new.txt").0, "old.txt\nEND\n");
    assert_eq!(file("run.sh").1 & 0o111, 0o111);
    assert_eq!(file("made.sh").1 & 0o100, 0o100);
    assert_eq!(after.len(), 5);
    ok(&project.call("Undo", json!({})));
    assert_eq!(snapshot(&project), before);
    ok(&redo_newest(&project));
    assert_eq!(snapshot(&project), after);
}

#[test]
fn edits_under_either_name_go_with_the_move() {
    let (project, tool) = proposing();
    project.put("a.txt", "one\ntwo\nthree\n");
    read_file(&project, "a.txt");
    let edit = |name: &str, old: &str, new: &str| {
        FileRequest::edit(path_text(&project, name), vec![EditRequest::new(old, new)])
    };
    ok(&tool.propose(
        &project.session,
        vec![
            edit("a.txt", "one", "1"),
            FileRequest::rename(
                path_text(&project, "a.txt"),
                MoveRequest::new(path_text(&project, "b.txt")),
            ),
            edit("b.txt", "two", "2"),
        ],
    ));
    assert_eq!(
        std::fs::read_to_string(project.path("b.txt")).expect("there"),
        "1\n2\nthree\n"
    );
    assert_eq!(snapshot(&project).len(), 1);
}

#[test]
fn a_removal_and_a_new_file_of_the_name_replace_it() {
    let (project, tool) = proposing();
    project.put("a.txt", "old\n");
    chmod(&project, "a.txt", 0o600);
    let changes = || {
        let mut create = WriteRequest::new("new\n");
        create.mode = WriteMode::Create;
        vec![
            FileRequest::delete(path_text(&project, "a.txt"), DeleteRequest::new()),
            FileRequest::write(path_text(&project, "a.txt"), create),
        ]
    };
    refused(&tool.propose(&project.session, changes()), "not_read");
    read_file(&project, "a.txt");
    ok(&tool.propose(&project.session, changes()));
    assert_eq!(
        std::fs::read_to_string(project.path("a.txt")).expect("there"),
        "new\n"
    );
}

#[test]
fn changes_that_exclude_each_other_are_a_conflict() {
    let (project, tool) = proposing();
    for name in ["a.txt", "b.txt"] {
        project.put(name, "text\n");
        read_file(&project, name);
    }
    let before = snapshot(&project);
    let delete = |name: &str| FileRequest::delete(path_text(&project, name), DeleteRequest::new());
    let rename = |from: &str, to: &str| {
        FileRequest::rename(
            path_text(&project, from),
            MoveRequest::new(path_text(&project, to)),
        )
    };
    let edit = |name: &str| {
        FileRequest::edit(
            path_text(&project, name),
            vec![EditRequest::new("text", "other")],
        )
    };
    let write =
        |name: &str| FileRequest::write(path_text(&project, name), WriteRequest::new("new\n"));
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
        let text = refused(&tool.propose(&project.session, changes), "conflict");
        assert!(text.contains("no file was changed"), "{said}: {text}");
        assert_eq!(snapshot(&project), before, "{said}");
    }
    let swap = vec![rename("a.txt", "b.txt"), rename("b.txt", "a.txt")];
    refused(&tool.propose(&project.session, swap), "exists");
    assert_eq!(snapshot(&project), before);
}

#[test]
fn a_removal_that_states_its_lines_needs_just_those() {
    let (project, tool) = proposing();
    project.put("a.txt", "one\r\ntwo");
    read_file(&project, "a.txt");
    let delete = |lines: &[&str]| {
        let mut delete = DeleteRequest::new();
        delete.lines = Some(lines.iter().map(|line| (*line).to_owned()).collect());
        tool.propose(
            &project.session,
            vec![FileRequest::delete(path_text(&project, "a.txt"), delete)],
        )
    };
    for lines in [&["one"][..], &["one", "two", "three"], &["one", "2"], &[]] {
        refused(&delete(lines), "not_found");
    }
    ok(&delete(&["one", "two"]));
    assert!(snapshot(&project).is_empty());
}

#[test]
fn one_refused_change_leaves_every_name_as_it_was() {
    let (project, tool) = proposing();
    project.put("a.txt", "a\n");
    project.put("b.txt", "b\n");
    read_file(&project, "b.txt");
    let before = snapshot(&project);
    let reply = tool.propose(
        &project.session,
        vec![
            FileRequest::rename(
                path_text(&project, "a.txt"),
                MoveRequest::new(path_text(&project, "x/a.txt")),
            ),
            FileRequest::delete(path_text(&project, "b.txt"), DeleteRequest::new()),
            FileRequest::edit(
                path_text(&project, "c.txt"),
                vec![EditRequest::new("c", "d")],
            ),
        ],
    );
    refused(&reply, "missing");
    assert_eq!(reply.data()["error"]["edit"], 3);
    assert_eq!(snapshot(&project), before);
}

#[test]
fn permission_bits_that_are_so_already_are_no_change() {
    let (project, tool) = proposing();
    project.put("a.sh", "a\n");
    chmod(&project, "a.sh", 0o750);
    let set = |executable| {
        tool.propose(
            &project.session,
            vec![FileRequest::set_executable(
                path_text(&project, "a.sh"),
                executable,
            )],
        )
    };
    refused(&set(ExecutableChange::Yes), "no_change");
    let before = snapshot(&project);
    ok(&set(ExecutableChange::No));
    assert_ne!(snapshot(&project), before);
    ok(&project.call("Undo", json!({})));
    assert_eq!(snapshot(&project), before);
}
