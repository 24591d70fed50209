//! The log searched for text and paged, and the life of a file through its names.

use std::path::Path;

use lancet::approval::{Answer, Question};
use lancet::history::{History, LogQuery, Operation};
use lancet::tools::{EditArguments, WriteArguments};
use lancet::undo::{OperationSide, Restore, Selection, UndoRequest};
use lancet::{Caller, Lancet, Mode, RawCall, Session, SessionName};
use lancet_testing::project::SharedProject;
use serde_json::json;

fn open(project: &SharedProject) -> Lancet {
    project.engine_with(|builder| builder.tools(["default", "MoveFile"]))
}

fn write(session: &Session, path: &Path, text: &str) {
    let reply = session.write(WriteArguments::new(path, text));
    assert!(!reply.is_error(), "{}", reply.text());
}

fn named(operations: &[Operation]) -> Vec<String> {
    let name = |operation: &Operation| {
        let path = operation.files[0].path.file_name().expect("a name");
        path.to_string_lossy().into_owned()
    };
    operations.iter().map(name).collect()
}

fn found(history: &History, words: &str) -> Vec<String> {
    let query = LogQuery {
        words: Some(words.to_owned()),
        ..LogQuery::default()
    };
    named(&history.log(&query).expect("read"))
}

#[test]
fn words_are_found_in_paths_sessions_ids_and_prompts() {
    let project = SharedProject::new(&[]);
    let lancet = open(&project);
    let history = lancet.history().expect("a state folder");
    let talk = lancet.session(&SessionName::new("Morning").expect("a name"));
    history
        .record_prompt("Morning", "mend the Parser")
        .expect("kept");
    write(&talk, &project.path("one.txt"), "1\n");
    write(&talk, &project.path("two.txt"), "2\n");
    history
        .record_prompt("Morning", "and the docs")
        .expect("kept");
    write(&talk, &project.path("three.txt"), "3\n");
    write(&lancet.new_session(), &project.path("Parser.rs"), "4\n");
    assert_eq!(
        found(&history, "parser"),
        ["Parser.rs", "two.txt", "one.txt"]
    );
    assert_eq!(found(&history, "THE DOCS"), ["three.txt"]);
    assert_eq!(found(&history, "morn"), ["three.txt", "two.txt", "one.txt"]);
    assert_eq!(found(&history, "two.t"), ["two.txt"]);
    assert!(found(&history, "100%_").is_empty() && found(&history, "'").is_empty());
    let all = history.log(&LogQuery::default()).expect("read");
    let end = &all[2].id[6..];
    assert_eq!(found(&history, end), ["two.txt"]);
}

#[test]
fn pages_stay_where_they_are_while_changes_come_in() {
    let project = SharedProject::new(&[]);
    let lancet = open(&project);
    let history = lancet.history().expect("a state folder");
    let session = lancet.new_session();
    for number in 0..5 {
        write(&session, &project.path(format!("{number}.txt")), "x\n");
    }
    let page = |before: Option<i64>| {
        let query = LogQuery {
            before_sequence: before,
            limit: Some(2),
            ..LogQuery::default()
        };
        history.log(&query).expect("read")
    };
    let first = page(None);
    assert_eq!(named(&first), ["4.txt", "3.txt"]);
    write(&session, &project.path("new.txt"), "x\n");
    let second = page(Some(first[1].sequence));
    assert_eq!(named(&second), ["2.txt", "1.txt"]);
    assert_eq!(named(&page(Some(second[1].sequence))), ["0.txt"]);
    let until = LogQuery {
        until: Some(first[0].time - 1_000_000),
        ..LogQuery::default()
    };
    assert!(history.log(&until).expect("read").is_empty());
}

#[test]
fn the_life_of_a_file_goes_on_under_its_earlier_names() {
    let project = SharedProject::new(&[]);
    let lancet = open(&project);
    let history = lancet.history().expect("a state folder");
    let session = lancet.new_session();
    let (old, new) = (project.path("old.txt"), project.path("new.txt"));
    write(&session, &old, "one\n");
    write(&session, &project.path("other.txt"), "beside\n");
    let moved = session.call(RawCall::new(
        "MoveFile",
        json!({ "from_path": old, "to_path": new }),
    ));
    assert!(!moved.is_error(), "{}", moved.text());
    // Another file gets the old name; that is not this file's life.
    write(&session, &old, "another\n");
    let edited = session.edit(EditArguments::new(&new, "one", "two"));
    assert!(!edited.is_error(), "{}", edited.text());

    let told = |path: &Path, most: usize| {
        let mut told = Vec::new();
        let mut from = None;
        loop {
            let part = history.life(path, from.as_ref(), most).expect("read");
            assert!(part.events.len() <= most);
            let words = part.events.iter().map(|event| {
                let file = &event.operation.files[event.file];
                let name = file.path.file_name().expect("a name").to_string_lossy();
                format!("{} {name}", event.operation.tool)
            });
            told.extend(words);
            from = part.older;
            if from.is_none() {
                return told;
            }
        }
    };
    let life = ["Edit new.txt", "MoveFile new.txt", "Write old.txt"];
    for most in [1, 2, 3, 10] {
        assert_eq!(told(&new, most), life, "{most} at a time");
    }
    assert_eq!(
        told(&old, 10),
        ["Write old.txt", "MoveFile new.txt", "Write old.txt"],
        "what had the name before"
    );
    assert!(told(&project.path("none.txt"), 10).is_empty());
}

#[test]
fn a_host_whose_person_has_decided_takes_back_where_the_engine_asks_nobody() {
    let project = SharedProject::new(&[]);
    let path = project.path("a.txt");
    write(&open(&project).new_session(), &path, "one\n");
    let careful = project.engine(Mode::Ask);
    let session = careful.new_session();
    let asked = || UndoRequest::undo(Selection::Newest);
    assert!(session.undo_or_redo(asked(), Caller::default()).is_error());
    assert!(path.exists());
    let no = |_: &Question| Answer::No(None);
    assert!(
        session
            .with_approver(no)
            .undo_or_redo(asked(), Caller::default())
            .is_error()
    );
    let yes = |_: &Question| Answer::Yes;
    let undone = session
        .with_approver(yes)
        .undo_or_redo(asked(), Caller::default());
    assert!(!undone.is_error() && !path.exists(), "{}", undone.text());
    let history = careful.history().expect("a state folder");
    let first = history.log(&LogQuery::default()).expect("read").remove(1);
    let back = vec![Restore::new(&path, first.id, OperationSide::After)];
    let restored = session
        .with_approver(yes)
        .restore_all(back, Caller::default());
    assert!(!restored.is_error() && path.exists(), "{}", restored.text());
}
