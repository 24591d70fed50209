//! One hunk is undone: exactly its lines, as a separate operation, or not at all.

use std::fs;

use lancet::history::{LogQuery, OperationKind};
use lancet::undo::{HunkLines, HunkUndoRequest, Selection, UndoRequest};
use lancet::{Caller, Lancet, Mode, RefusalKind, Reply};
use lancet_testing::project::SharedProject;
use serde_json::json;

use crate::project::{
    call, edit, engine, hunk, hunks, lines, named, only, project, read, reviews, write,
};

/// Makes a file in which an agent changed three places.
fn three_hunks(project: &SharedProject) -> std::path::PathBuf {
    let path = project.put("a.txt", lines());
    let session = named(&engine(project), "agent");
    for line in [5, 20, 35] {
        let (old, new) = (format!("line {line}.\n"), format!("LINE {line}.\n"));
        edit(&session, &path, &old, &new);
    }
    path
}

fn take_back(lancet: &Lancet, asked: UndoRequest) -> Reply {
    let reply = lancet
        .new_session()
        .undo_or_redo(asked, Caller::client("lancet", "1"));
    assert!(!reply.is_error(), "{}", reply.text());
    reply
}

#[test]
fn one_hunk_is_taken_back_and_the_rest_stays() {
    let project = project();
    three_hunks(&project);
    let shown = only(&project);
    let reply = reviews(&project).undo_hunk(hunk(&shown, 1));
    assert!(!reply.is_error(), "{}", reply.text());
    let expected = lines()
        .replace("line 5.", "LINE 5.")
        .replace("line 35.", "LINE 35.");
    assert_eq!(project.text("a.txt"), expected);
    assert_eq!(hunks(&only(&project)), 2);
    let history = engine(&project).history().expect("kept");
    let log = history.log(&LogQuery::default()).expect("read");
    assert_eq!(
        (log[0].kind, log[0].tool.as_str(), log.len()),
        (OperationKind::Undo, "Undo", 4)
    );
    // The operation that it is a part of is not undone.
    assert_eq!(log[0].takes_back, [log[2].id.as_str()]);
    assert!(!log[2].is_undone());
}

#[test]
fn an_undo_of_the_whole_takes_back_what_is_left_and_can_be_redone() {
    let project = project();
    three_hunks(&project);
    reviews(&project).undo_hunk(hunk(&only(&project), 1));
    let after_hunk = project.text("a.txt");
    let lancet = engine(&project);
    let session = || Selection::Session("agent".into());
    take_back(&lancet, UndoRequest::undo(session()));
    assert_eq!(project.text("a.txt"), lines());
    assert!(reviews(&project).list(10).expect("read").files.is_empty());
    take_back(&lancet, UndoRequest::redo(Selection::Newest));
    assert_eq!(project.text("a.txt"), after_hunk);
    assert_eq!(hunks(&only(&project)), 2);
    take_back(&lancet, UndoRequest::undo(session()));
    assert_eq!(project.text("a.txt"), lines());
}

#[test]
fn an_undo_of_one_operation_takes_back_what_is_left_of_it() {
    let project = project();
    let path = project.put("a.txt", lines());
    let session = named(&engine(&project), "agent");
    let new = lines()
        .replace("line 5.", "LINE 5.")
        .replace("line 20.", "LINE 20.");
    read(&session, &path);
    write(&session, &path, &new);
    reviews(&project).undo_hunk(hunk(&only(&project), 0));
    assert_eq!(
        project.text("a.txt"),
        lines().replace("line 20.", "LINE 20.")
    );
    take_back(&engine(&project), UndoRequest::undo(Selection::Newest));
    assert_eq!(project.text("a.txt"), lines());
}

#[test]
fn what_another_operation_wrote_stays_where_one_is_undone_after_a_hunk() {
    let project = project();
    three_hunks(&project);
    let log = |project: &SharedProject| {
        let history = engine(project).history().expect("kept");
        history.log(&LogQuery::default()).expect("read")
    };
    let newest = log(&project)[0].id.clone();
    // The hunk is of the first operation, and the last one is undone.
    reviews(&project).undo_hunk(hunk(&only(&project), 0));
    take_back(
        &engine(&project),
        UndoRequest::undo(Selection::Operation(newest)),
    );
    assert_eq!(
        project.text("a.txt"),
        lines().replace("line 20.", "LINE 20.")
    );
}

#[test]
fn a_hunk_that_was_taken_back_can_be_put_back() {
    let project = project();
    three_hunks(&project);
    let written = project.text("a.txt");
    reviews(&project).undo_hunk(hunk(&only(&project), 2));
    let history = engine(&project).history().expect("kept");
    let taken = history.log(&LogQuery::default()).expect("read")[0].clone();
    take_back(
        &engine(&project),
        UndoRequest::undo(Selection::Operation(taken.id)),
    );
    assert_eq!(project.text("a.txt"), written);
    assert_eq!(hunks(&only(&project)), 3);
}

#[test]
fn lines_that_do_not_stand_there_any_more_are_a_conflict() {
    let project = project();
    three_hunks(&project);
    let shown = only(&project);
    let written = project.text("a.txt");
    for changed in [
        written.replace("LINE 20.", "LINE twenty."),
        written.replace("line 21.", "line twenty-one."),
        written.replace("LINE 20.\n", "") + "LINE 20.\n",
    ] {
        project.put("a.txt", &changed);
        let reply = reviews(&project).undo_hunk(hunk(&shown, 1));
        assert_eq!(
            reply.refusal(),
            Some(RefusalKind::Conflict),
            "{}",
            reply.text()
        );
        assert_eq!(project.text("a.txt"), changed);
    }
    // A change elsewhere is no conflict, whoever made it: the lines are found by counting.
    project.put("a.txt", format!("LINE 20.\nmore\n{written}"));
    let reply = reviews(&project).undo_hunk(hunk(&shown, 1));
    assert!(!reply.is_error(), "{}", reply.text());
    let expected = written.replace("LINE 20.", "line 20.");
    assert_eq!(project.text("a.txt"), format!("LINE 20.\nmore\n{expected}"));
}

#[test]
fn a_hunk_that_is_not_shown_any_more_is_refused() {
    let project = project();
    let path = three_hunks(&project);
    let shown = only(&project);
    let before = project.text("a.txt");
    let mut other = hunk(&shown, 0);
    other.hunk = HunkLines {
        old: (1, 2),
        new: (3, 4),
    };
    let unknown = HunkUndoRequest::new(&path, "zzzz", shown.before, other.hunk);
    for asked in [other, unknown] {
        let reply = reviews(&project).undo_hunk(asked);
        assert_eq!(reply.refusal(), Some(RefusalKind::Conflict));
    }
    reviews(&project)
        .mark_seen(&path, &shown.operation)
        .expect("kept");
    let reply = reviews(&project).undo_hunk(hunk(&shown, 0));
    assert_eq!(reply.refusal(), Some(RefusalKind::Conflict));
    assert_eq!(project.text("a.txt"), before);
}

#[test]
fn a_new_file_goes_and_a_deleted_one_comes_back() {
    let project = project();
    let session = named(&engine(&project), "agent");
    write(&session, &project.path("sub/new.txt"), "new\n");
    let reply = reviews(&project).undo_hunk(hunk(&only(&project), 0));
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(!project.path("sub").exists());
    assert!(reviews(&project).list(10).expect("read").files.is_empty());

    let gone = project.put("gone.sh", "#!/bin/sh\r\nexit");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&gone, mode).expect("set");
    let lancet = Lancet::builder()
        .root(&project.root)
        .state_dir(&project.state)
        .mode(Mode::AcceptEdits)
        .tools(["all"])
        .open()
        .expect("opened");
    let all = named(&lancet, "agent");
    read(&all, &gone);
    call(&all, "DeleteFile", json!({ "file_path": gone }));
    let reply = reviews(&project).undo_hunk(hunk(&only(&project), 0));
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(project.bytes("gone.sh"), b"#!/bin/sh\r\nexit");
    let mode = fs::metadata(&gone).expect("there").permissions();
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777,
        0o755
    );
}

#[test]
fn the_click_is_the_yes_but_for_protected_names_and_rules_that_deny() {
    let project = project();
    fs::create_dir(project.path(".vscode")).expect("made");
    let protected = project.path(".vscode/settings.json");
    for path in [project.path("a.txt"), protected.clone()] {
        fs::write(&path, "one\n").expect("written");
        let lancet = Lancet::builder()
            .root(&project.root)
            .state_dir(&project.state)
            .approver(|_: &lancet::approval::Question| lancet::approval::Answer::Yes)
            .open()
            .expect("opened");
        edit(&named(&lancet, "agent"), &path, "one\n", "two\n");
    }
    let asking = project.engine(Mode::Ask).review().expect("kept");
    let list = asking.list(10).expect("read");
    for file in &list.files {
        let reply = asking.undo_hunk(hunk(file, 0));
        let refused = file.path == protected;
        assert_eq!(reply.is_error(), refused, "{}", reply.text());
        if refused {
            assert_eq!(reply.refusal(), Some(RefusalKind::Declined));
        }
    }
    assert_eq!(project.text("a.txt"), "one\n");
    assert_eq!(project.text(".vscode/settings.json"), "two\n");
    let plan = project.engine(Mode::Plan).review().expect("kept");
    let reply = plan.undo_hunk(hunk(&list.files[0], 0));
    assert_eq!(reply.refusal(), Some(RefusalKind::Declined));
}
