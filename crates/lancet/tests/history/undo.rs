//! Undo, redo and restore, one by one.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use lancet::history::{LogQuery, OperationKind};
use lancet::undo::{Direction, OperationSide, Overlap, Restore, Selection};
use lancet::{Caller, RawCall, SessionName};
use lancet_testing::TestFolder;
use serde_json::json;

use crate::project::{Changes as _, operation, project, project_in_memory, project_with, refused};

#[test]
fn an_edit_is_on_record_and_comes_back() {
    let project = project();
    project.put("a.txt", "one\r\ntwo\n");
    fs::set_permissions(project.path("a.txt"), Permissions::from_mode(0o750)).expect("set");
    let id = operation(&project.edit_file("a.txt", "two", "2"));
    let log = project.log();
    assert_eq!(log.len(), 1);
    assert_eq!(
        (log[0].id.as_str(), log[0].tool.as_str()),
        (id.as_str(), "Edit")
    );
    assert_eq!(
        (log[0].session.as_str(), log[0].rungs.as_slice()),
        ("talk", &["exact".to_owned()][..])
    );
    assert_eq!(log[0].approved.as_deref(), Some("mode accept-edits"));
    assert_eq!((log[0].files[0].added, log[0].files[0].removed), (1, 1));
    let undone = project.undo(Selection::Newest);
    let undo = operation(&undone);
    assert!(undone.text().contains(&id), "{}", undone.text());
    assert_eq!(undone.data()["files"][0]["type"], "update");
    assert_eq!(project.bytes("a.txt"), b"one\r\ntwo\n");
    assert_eq!(
        fs::metadata(project.path("a.txt"))
            .expect("there")
            .permissions()
            .mode()
            & 0o7777,
        0o750
    );
    let log = project.log();
    assert_eq!(log[0].kind, OperationKind::Undo);
    assert_eq!(log[0].takes_back, std::slice::from_ref(&id));
    assert_eq!(log[1].files[0].undone_by, Some(undo));
    assert_eq!(refused(&project.undo(Selection::Newest)), "not_found");
    assert_eq!(
        refused(&project.undo(Selection::Operation(id))),
        "not_found"
    );
    operation(&project.redo());
    assert_eq!(project.bytes("a.txt"), b"one\r\n2\n");
    assert_eq!(refused(&project.redo()), "not_found");
    operation(&project.undo(Selection::Newest));
    assert_eq!(project.bytes("a.txt"), b"one\r\ntwo\n");
}

#[test]
fn undo_again_takes_back_the_one_before_and_survives_a_restart() {
    let project = project();
    project.put("a.txt", "0\n");
    for (old, new) in [("0", "1"), ("1", "2"), ("2", "3")] {
        operation(&project.edit_file("a.txt", old, new));
    }
    for left in ["2\n", "1\n", "0\n"] {
        let asked = lancet::undo::UndoRequest::undo(Selection::Newest);
        let reply = project
            .reopened()
            .new_session()
            .undo_or_redo(asked, Caller::default());
        operation(&reply);
        assert_eq!(project.bytes("a.txt"), left.as_bytes());
    }
    for left in ["1\n", "2\n", "3\n"] {
        operation(&project.redo());
        assert_eq!(project.bytes("a.txt"), left.as_bytes());
    }
}

#[test]
fn a_created_file_goes_with_its_folders_and_comes_back_with_its_mode() {
    let project = project();
    operation(&project.write_file("new/deep/a.sh", "echo\n"));
    fs::set_permissions(project.path("new/deep/a.sh"), Permissions::from_mode(0o700)).expect("set");
    let reply = project.undo(Selection::Newest);
    operation(&reply);
    assert_eq!(reply.data()["files"][0]["type"], "delete");
    assert!(!project.path("new").exists());
    let reply = project.redo();
    operation(&reply);
    assert_eq!(reply.data()["files"][0]["type"], "create");
    assert_eq!(project.bytes("new/deep/a.sh"), b"echo\n");
    let mode = fs::metadata(project.path("new/deep/a.sh"))
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o7777, 0o700, "as it was when it went");
}

#[test]
fn a_created_file_that_changed_and_a_folder_that_filled_stay() {
    let project = project();
    operation(&project.write_file("new/a.txt", "mine\n"));
    project.put("new/a.txt", "theirs\n");
    assert_eq!(refused(&project.undo(Selection::Newest)), "conflict");
    assert_eq!(project.bytes("new/a.txt"), b"theirs\n");
    project.put("new/a.txt", "mine\n");
    project.put("new/other.txt", "theirs\n");
    operation(&project.undo(Selection::Newest));
    assert!(!project.path("new/a.txt").exists());
    assert_eq!(project.bytes("new/other.txt"), b"theirs\n");
}

#[test]
fn a_file_that_moved_on_is_a_conflict_with_the_diff_and_merges_where_lines_do_not_meet() {
    let project = project();
    project.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n");
    operation(&project.edit_file("a.txt", "2", "two"));
    project.put("a.txt", "1\ntwo\n3\n4\n5\n6\n7\neight\n");
    let reply = project.undo(Selection::Newest);
    assert_eq!(refused(&reply), "conflict");
    assert!(reply.text().contains("-8\n+eight"), "{}", reply.text());
    assert_eq!(project.bytes("a.txt"), b"1\ntwo\n3\n4\n5\n6\n7\neight\n");
    let merge = || project.take_back(Selection::Newest, Direction::Undo, Overlap::Merge);
    operation(&merge());
    assert_eq!(project.bytes("a.txt"), b"1\n2\n3\n4\n5\n6\n7\neight\n");
    operation(&project.edit_file("a.txt", "2", "zwei"));
    project.put("a.txt", "1\nzwei!\n3\n4\n5\n6\n7\neight\n");
    assert_eq!(refused(&merge()), "conflict");
    // As in a merge by git, changes of adjacent lines are not independent and are reported as a conflict.
    project.put("a.txt", "1\nzwei\n3!\n4\n5\n6\n7\neight\n");
    let reply = merge();
    assert_eq!(refused(&reply), "conflict");
    assert!(
        reply.text().contains("neighbouring lines"),
        "{}",
        reply.text()
    );
    project.put("a.txt", "1\nzwei!\n3\n4\n5\n6\n7\neight\n");
    assert_eq!(refused(&merge()), "conflict");
    assert_eq!(project.bytes("a.txt"), b"1\nzwei!\n3\n4\n5\n6\n7\neight\n");
}

#[test]
fn a_conflict_names_a_way_that_works_also_where_the_file_is_gone() {
    let project = project();
    project.put("a.txt", "1\n");
    project.put("b.txt", "1\n");
    let earlier = operation(&project.edit_file("b.txt", "1", "2"));
    let id = operation(&project.edit_file("a.txt", "1", "2"));
    fs::remove_file(project.path("a.txt")).expect("removed");
    let way = format!("lancet restore {}@{id}^", project.path("a.txt").display());
    for overlap in [Overlap::Refuse, Overlap::Merge] {
        let reply = project.take_back(Selection::Newest, Direction::Undo, overlap);
        assert_eq!(refused(&reply), "conflict");
        let text = reply.text();
        assert!(text.contains(&way) && !text.contains("--merge"), "{text}");
        assert!(text.contains("undoes another change"), "{text}");
    }
    // As the answer suggests: the earlier one by its id, and the file as it was.
    operation(&project.undo(Selection::Operation(earlier)));
    assert_eq!(project.bytes("b.txt"), b"1\n");
    let asked = Restore::new(project.path("a.txt"), id, OperationSide::Before);
    operation(&project.session.restore(asked, Caller::default()));
    assert_eq!(project.bytes("a.txt"), b"1\n");
}

#[test]
fn several_files_come_back_together_or_not_at_all_and_one_of_them_alone() {
    let project = project();
    project.put("a.txt", "a\n");
    project.put("b.txt", "b\n");
    let path = |name: &str| project.path(name);
    for name in ["a.txt", "b.txt"] {
        project
            .session
            .call(RawCall::new("Read", json!({ "file_path": path(name) })));
    }
    let edits = json!({ "edits": [
        { "file_path": path("a.txt"), "old_string": "a", "new_string": "A" },
        { "file_path": path("b.txt"), "old_string": "b", "new_string": "B" },
        { "file_path": path("c.txt"), "old_string": "", "new_string": "C\n" },
    ] });
    let id = operation(&project.session.call(RawCall::new("MultiEdit", edits)));
    assert_eq!(project.log()[0].files.len(), 3);
    project.put("b.txt", "theirs\n");
    assert_eq!(
        refused(&project.undo(Selection::Operation(id.clone()))),
        "conflict"
    );
    assert_eq!(project.bytes("a.txt"), b"A\n");
    operation(&project.undo(Selection::File(path("a.txt"))));
    assert_eq!(project.bytes("a.txt"), b"a\n");
    assert_eq!(project.bytes("c.txt"), b"C\n");
    project.put("b.txt", "B\n");
    operation(&project.undo(Selection::Operation(id)));
    assert_eq!(project.bytes("b.txt"), b"b\n");
    assert!(!path("c.txt").exists());
    assert_eq!(project.bytes("a.txt"), b"a\n");
    operation(&project.redo());
    assert_eq!(
        (project.bytes("a.txt"), project.bytes("b.txt")),
        (b"a\n".to_vec(), b"B\n".to_vec())
    );
    assert_eq!(project.bytes("c.txt"), b"C\n");
}

#[test]
fn a_session_a_turn_and_a_time_are_each_one_operation() {
    let project = project();
    project.put("a.txt", "0\n");
    operation(&project.edit_file("a.txt", "0", "1"));
    let before = project.log()[0].time;
    let mut call = RawCall::new(
        "Edit",
        json!({ "file_path": project.path("a.txt"), "old_string": "1", "new_string": "2" }),
    );
    call.caller.turn = Some("t9".into());
    operation(&project.session.call(call));
    operation(&project.write_file("b.txt", "new\n"));
    operation(&project.undo(Selection::Turn("t9".into())));
    assert_eq!(project.bytes("a.txt"), b"1\n");
    operation(&project.redo());
    operation(&project.undo(Selection::Session("talk".into())));
    assert_eq!(project.bytes("a.txt"), b"0\n");
    assert!(!project.path("b.txt").exists());
    assert_eq!(project.log()[0].takes_back.len(), 3);
    operation(&project.redo());
    assert_eq!(project.bytes("a.txt"), b"2\n");
    operation(&project.undo(Selection::Since(before)));
    assert_eq!(project.bytes("a.txt"), b"0\n");
    assert_eq!(
        refused(&project.undo(Selection::Session("nobody".into()))),
        "not_found"
    );
}

#[test]
fn restore_brings_any_state_back() {
    let project = project();
    project.put("a.txt", "0\n");
    let first = operation(&project.edit_file("a.txt", "0", "1"));
    operation(&project.edit_file("a.txt", "1", "2"));
    let restore = |moment, name: &str| {
        let asked = Restore::new(project.path(name), first.clone(), moment);
        project
            .lancet
            .new_session()
            .restore(asked, Caller::default())
    };
    operation(&restore(OperationSide::Before, "a.txt"));
    assert_eq!(project.bytes("a.txt"), b"0\n");
    operation(&restore(OperationSide::After, "a.txt"));
    assert_eq!(project.bytes("a.txt"), b"1\n");
    assert_eq!(
        refused(&restore(OperationSide::After, "a.txt")),
        "no_change"
    );
    assert_eq!(
        refused(&restore(OperationSide::After, "b.txt")),
        "not_found"
    );
    // The restore is a change like any other.
    operation(&project.undo(Selection::Newest));
    assert_eq!(project.bytes("a.txt"), b"0\n");
}

#[test]
fn the_tool_is_off_unless_asked_for_and_takes_back_its_own_sessions_changes_only() {
    let project = project();
    let call = || RawCall::new("Undo", json!({}));
    assert_eq!(refused(&project.session.call(call())), "invalid");
    let project = project_with(|mut settings| {
        settings.tools = Some(vec!["default".into(), "Undo".into()]);
        settings
    });
    let tools = project.lancet.tools();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(
        names,
        [
            "Read",
            "Edit",
            "MultiEdit",
            "Write",
            "NotebookEdit",
            "Glob",
            "Grep",
            "Undo"
        ]
    );
    project.put("a.txt", "0\n");
    let id = operation(&project.edit_file("a.txt", "0", "1"));
    let other = project
        .lancet
        .session(&SessionName::new("other").expect("a name"));
    assert_eq!(refused(&other.call(call())), "not_found");
    let named = RawCall::new("Undo", json!({ "operation": id }));
    assert_eq!(refused(&other.call(named.clone())), "not_found");
    let dry = project
        .session
        .call(RawCall::new("Undo", json!({ "dry_run": "true" })));
    assert!(
        !dry.is_error() && dry.data()["dryRun"] == true,
        "{}",
        dry.text()
    );
    assert_eq!(project.bytes("a.txt"), b"1\n");
    operation(&project.session.call(named));
    assert_eq!(project.bytes("a.txt"), b"0\n");
    assert_eq!(refused(&project.session.call(call())), "not_found");
    // The lines that the answer showed count as seen.
    let edit = json!({ "file_path": project.path("a.txt"), "old_string": "0", "new_string": "5" });
    operation(&project.session.call(RawCall::new("Edit", edit)));
}

#[test]
fn what_lies_outside_the_roots_is_neither_listed_nor_taken_back() {
    let project = project();
    let elsewhere = TestFolder::new();
    let other = lancet::Lancet::builder()
        .root(elsewhere.path())
        .state_dir(project.state())
        .mode(lancet::Mode::AcceptEdits)
        .open()
        .expect("opens");
    let write = json!({ "file_path": elsewhere.path().join("x"), "content": "x" });
    let id = operation(&other.new_session().call(RawCall::new("Write", write)));
    assert!(project.log().is_empty());
    assert_eq!(refused(&project.undo(Selection::Newest)), "not_found");
    assert_eq!(refused(&project.undo(Selection::Operation(id))), "outside");
    assert_eq!(
        other
            .history()
            .expect("kept")
            .log(&LogQuery::default())
            .expect("read")
            .len(),
        1
    );
}

#[test]
fn all_folders_that_a_session_made_go_however_many_and_in_whatever_order() {
    let project = project_in_memory();
    let deep: String = "d/".repeat(300);
    operation(&project.write_file("n/a.txt", "a\n"));
    operation(&project.write_file("n/e/b.txt", "b\n"));
    operation(&project.write_file(&format!("{deep}f.txt"), "f\n"));
    let reply = project.undo(Selection::Session("talk".into()));
    operation(&reply);
    assert!(project.tree().is_empty(), "{:?}", project.tree().keys());
    operation(&project.redo());
    assert_eq!(project.bytes(format!("{deep}f.txt")), b"f\n");
    assert_eq!(project.bytes("n/e/b.txt"), b"b\n");
}
