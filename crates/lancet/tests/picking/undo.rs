//! Undo of several files is one question, too. A file that is left out stays as it is, and its change stays in effect.

use lancet::approval::{Answer, Pick};
use lancet::dialects::ResponseOptions;
use lancet::undo::{Selection, UndoRequest};
use lancet::{Caller, Mode, RefusalKind};
use lancet_testing::TestProject;
use lancet_testing::project::call;
use serde_json::json;

use crate::answers::{Answers, project, read};

/// Two files that were changed in one call.
fn changed() -> (TestProject, Answers, lancet::Session) {
    let (project, answers) = project(Mode::Ask, |_| Answer::Yes);
    project.put("a.txt", "one\n");
    project.put("b.txt", "one\n");
    let session = project.lancet.new_session();
    read(&project, &session, "a.txt");
    read(&project, &session, "b.txt");
    let edit = |name: &str| json!({ "file_path": project.path(name), "old_string": "one", "new_string": "two" });
    let edits = json!({ "edits": [edit("a.txt"), edit("b.txt")] });
    let reply = call(&session, "MultiEdit", edits);
    assert!(!reply.is_error(), "{}", reply.text());
    (project, answers, session)
}

fn texts(project: &TestProject) -> [String; 2] {
    ["a.txt", "b.txt"].map(|name| project.text(name))
}

#[test]
fn an_undo_of_two_files_is_one_question() {
    let (project, answers, session) = changed();
    answers.set(|question| {
        assert_eq!((question.tool.as_str(), question.files.len()), ("Undo", 2));
        assert_eq!(question.line_counts(), (2, 2));
        assert!(question.files.iter().all(|file| file.pieces.len() == 1));
        Answer::Yes
    });
    let reply = session.undo();
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(answers.question_count(), 2);
    assert_eq!(texts(&project), ["one\n", "one\n"]);
}

#[test]
fn a_file_left_out_of_an_undo_can_be_taken_back_later() {
    let (project, answers, session) = changed();
    answers.set(|_| Answer::Picked {
        files: vec![Pick::Nothing, Pick::Whole],
        words: None,
    });
    let reply = session.undo();
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(texts(&project), ["two\n", "one\n"]);
    assert!(
        reply.text().contains("a.txt (all of it)"),
        "{}",
        reply.text()
    );
    answers.set(|question| {
        assert_eq!(question.files.len(), 1);
        Answer::Yes
    });
    let reply = session.undo();
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(texts(&project), ["one\n", "one\n"]);
}

#[test]
fn moved_files_that_changed_names_come_back_together_or_not_at_all() {
    let (project, answers) = project(Mode::Ask, |_| Answer::Yes);
    project.put("a.txt", "a\n");
    project.put("c.txt", "c\n");
    let session = project.lancet.new_session();
    for (from, to) in [("a.txt", "b.txt"), ("c.txt", "a.txt")] {
        let diff = format!(
            "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
        );
        let reply = session.apply_response(&diff, ResponseOptions::default());
        assert!(!reply.is_error(), "{}", reply.text());
    }
    let there = || ["a.txt", "b.txt"].map(|name| project.text(name));
    let undo = || session.undo_or_redo(UndoRequest::undo(Selection::Last(2)), Caller::default());
    let files = 3;
    for alone in 0..files {
        answers.set(move |question| {
            assert_eq!(question.files.len(), files);
            let goes_with = question.files.iter().map(|file| file.goes_with);
            assert_eq!(goes_with.collect::<Vec<_>>(), [None, Some(0), Some(0)]);
            let mut picks = vec![Pick::Nothing; files];
            picks[alone] = Pick::Whole;
            Answer::Picked {
                files: picks,
                words: None,
            }
        });
        let reply = undo();
        assert_eq!(reply.refusal(), Some(RefusalKind::Declined));
        let text = reply.text();
        assert!(text.contains("together or not at all"), "{text}");
        assert_eq!(there(), ["c\n", "a\n"]);
    }
    answers.set(|_| Answer::Yes);
    let reply = undo();
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(
        [project.text("a.txt"), project.text("c.txt")],
        ["a\n", "c\n"]
    );
    assert!(!project.path("b.txt").exists());
}
