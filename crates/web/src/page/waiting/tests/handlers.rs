//! Actual questions on the page, and their outcomes.

use std::fs;
use std::sync::Arc;

use axum::extract::{Path, State};
use http::StatusCode;
use lancet::approval::{Answer, Pick};
use lancet::call::{AskMode, Deciders};
use lancet::questions::{QuestionState, RecordedQuestion};
use lancet::{Caller, Mode, RawCall, Reply};
use serde_json::{Value, json};

use crate::page::diff::{DiffLayout, LayoutChoice};
use crate::page::fields::{Fields, SentForm};
use crate::page::tests::desk::{Desk, Seen};
use crate::page::waiting::{decide, edit, list, question};

fn call(desk: &Desk, session: &str, tool: &str, arguments: Value) -> Reply {
    let call = RawCall::new(tool, arguments)
        .with_caller(Caller::client("agent <b>", "1"))
        .with_ask_mode(AskMode::Recorded {
            deciders: Deciders::Present,
            waited_on: None,
        });
    desk.call(session, call)
}

/// Proposes to write a new file; returns the question's id.
fn propose_file(desk: &Desk, name: &str, content: &str) -> String {
    let reply = write(desk, name, content);
    reply.waiting_call().expect("asked").question().to_owned()
}

fn write(desk: &Desk, name: &str, content: &str) -> Reply {
    let arguments = json!({ "file_path": desk.path(name), "content": content });
    call(desk, "talk", "Write", arguments)
}

fn recorded(desk: &Desk, id: &str) -> RecordedQuestion {
    let questions = desk.agent.questions().expect("questions");
    questions.get(id).expect("read").expect("a question")
}

fn listed(desk: &Desk) -> Seen {
    desk.seen(list::list_questions(
        State(Arc::clone(&desk.page)),
        desk.visitor.clone(),
        LayoutChoice::for_path("/", DiffLayout::Unified),
        Fields::default(),
    ))
}

fn show(desk: &Desk, id: &str, query: &str) -> Seen {
    desk.seen(question::show_question(
        State(Arc::clone(&desk.page)),
        Path(id.to_owned()),
        desk.visitor.clone(),
        LayoutChoice::for_path("/", DiffLayout::Unified),
        Fields::new(query.as_bytes()),
    ))
}

fn decide(desk: &Desk, id: &str, form: &str) -> Seen {
    desk.seen(decide::submit_form(
        State(Arc::clone(&desk.page)),
        Path(id.to_owned()),
        desk.visitor.clone(),
        DiffLayout::Unified,
        SentForm(Fields::new(form.as_bytes())),
    ))
}

fn preview(desk: &Desk, id: &str, form: &str) -> Seen {
    desk.seen(edit::preview_edit(
        State(Arc::clone(&desk.page)),
        Path(id.to_owned()),
        desk.visitor.clone(),
        DiffLayout::Unified,
        SentForm(Fields::new(form.as_bytes())),
    ))
}

fn approve_edited(desk: &Desk, id: &str, form: &str) -> Seen {
    desk.seen(edit::approve_edit(
        State(Arc::clone(&desk.page)),
        Path(id.to_owned()),
        desk.visitor.clone(),
        DiffLayout::Unified,
        SentForm(Fields::new(form.as_bytes())),
    ))
}
#[test]
fn lists_shows_and_approves_a_question() {
    let desk = Desk::new(Mode::Ask);
    assert!(listed(&desk).text.contains("Nothing waits for you"));
    let id = propose_file(&desk, "a.txt", "one\ntwo\n");
    let list = listed(&desk).text;
    assert!(list.contains(&format!("id=\"question-{id}\"")), "{list}");
    assert!(
        list.contains("a.txt") && list.contains(">two</td>"),
        "{list}"
    );
    assert!(
        show(&desk, &id, "")
            .text
            .contains("The agent&#39;s call waits for your answer.")
            || show(&desk, &id, "").text.contains("waits for your answer")
    );
    assert_eq!(decide(&desk, &id, "do=yes").status, StatusCode::SEE_OTHER);
    let approved = recorded(&desk, &id);
    assert_eq!(approved.state, QuestionState::Approved);
    let (by, _) = approved.decided.expect("decided");
    assert_eq!(by, "a person on the page");
    assert!(listed(&desk).text.contains("Decided here lately"));
    let written = write(&desk, "a.txt", "one\ntwo\n");
    assert!(!written.is_error(), "{}", written.text());
    assert_eq!(fs::read(desk.path("a.txt")).expect("read"), b"one\ntwo\n");
    let shown = show(&desk, &id, "").text;
    assert!(shown.contains("written</span> as operation"), "{shown}");
    assert!(
        !shown.contains("value=\"yes\""),
        "there is nothing to answer: {shown}"
    );
}

#[test]
fn refuses_second_decision() {
    let desk = Desk::new(Mode::Ask);
    let id = propose_file(&desk, "a.txt", "one\n");
    decide(&desk, &id, "do=no&words=Not+now.");
    let _ = listed(&desk);
    decide(&desk, &id, "do=yes");
    let shown = show(&desk, &id, "").text;
    assert!(shown.contains("Too late: question"), "{shown}");
    let question = recorded(&desk, &id);
    assert_eq!(
        question.answer,
        Some(Answer::No(Some("Not now.".to_owned())))
    );
    assert_eq!(question.state, QuestionState::Rejected);
}

#[test]
fn unknown_and_foreign_ids_are_not_found() {
    let desk = Desk::new(Mode::Ask);
    let other = Desk::new(Mode::Ask);
    let id = propose_file(&other, "a.txt", "one\n");
    for id in [id.as_str(), "nothing", "", "../../etc/passwd", "'; --"] {
        assert_eq!(show(&desk, id, "").status, StatusCode::NOT_FOUND, "{id}");
        assert_eq!(
            decide(&desk, id, "do=yes").status,
            StatusCode::NOT_FOUND,
            "{id}"
        );
        assert_eq!(
            preview(&desk, id, "text=x").status,
            StatusCode::NOT_FOUND,
            "{id}"
        );
        assert_eq!(
            approve_edited(&desk, id, "text=x").status,
            StatusCode::NOT_FOUND,
            "{id}"
        );
    }
    assert_eq!(recorded(&other, &id).state, QuestionState::Open);
}

#[test]
fn form_without_answer_decides_nothing() {
    let desk = Desk::new(Mode::Ask);
    let id = propose_file(&desk, "a.txt", "one\n");
    for form in [
        "",
        "do=nothing&pick=0",
        "do=picked",
        "do=picked&pick=9",
        "do=always&words=x",
        "do=no&comment-file=9&comment-line=1&comment=x",
    ] {
        assert_eq!(
            decide(&desk, &id, form).status,
            StatusCode::BAD_REQUEST,
            "{form}"
        );
    }
    let form = "do=picked&words=Mind+the+%3Cgap%3E&comment-file=0&comment-line=1&comment=Why%3F";
    let again = decide(&desk, &id, form).text;
    for kept in [
        "No box is ticked",
        "Mind the &#60;gap&#62;",
        "Why?</textarea>",
    ] {
        assert!(again.contains(kept), "{kept}: {again}");
    }
    assert_eq!(recorded(&desk, &id).state, QuestionState::Open);
}

#[test]
fn list_has_no_button_for_changes_it_does_not_show() {
    let desk = Desk::new(Mode::Ask);
    propose_file(&desk, "empty.txt", "");
    let list = listed(&desk).text;
    let named = "empty.txt</span> <span class=\"tag\">new file";
    assert!(list.contains(named), "{list}");
    assert!(!list.contains("value=\"yes\""), "{list}");
}

#[test]
fn edited_text_is_previewed_and_round_trips() {
    let desk = Desk::new(Mode::Ask);
    let id = propose_file(&desk, "a.txt", "\none\n");
    let form = "file=0&text=%0D%0Aone%0D%0Aand+two";
    let shown = preview(&desk, &id, form).text;
    assert!(shown.contains(">and two</td>"), "{shown}");
    assert!(
        shown.contains("The new text has no newline at its end"),
        "{shown}"
    );
    // The first newline of a field is not part of its text, so there is one more.
    assert!(
        shown.contains("data-key=\"e\">\n\none\nand two</textarea>"),
        "{shown}"
    );
    assert_eq!(recorded(&desk, &id).state, QuestionState::Open);
    assert_eq!(
        approve_edited(&desk, &id, "file=3&text=x").status,
        StatusCode::BAD_REQUEST
    );
    assert_eq!(
        approve_edited(&desk, &id, "file=0").status,
        StatusCode::BAD_REQUEST
    );
    approve_edited(&desk, &id, form);
    let edited = vec![Pick::Edited("\none\nand two".to_owned())];
    assert_eq!(
        recorded(&desk, &id).answer,
        Some(Answer::Picked {
            files: edited,
            words: None
        })
    );
    let written = write(&desk, "a.txt", "\none\n");
    assert!(!written.is_error(), "{}", written.text());
    assert_eq!(
        fs::read(desk.path("a.txt")).expect("read"),
        b"\none\nand two"
    );
}

#[test]
fn escapes_names_and_texts_that_look_like_html() {
    let desk = Desk::new(Mode::Ask);
    let name = "<img src=x onerror=alert(1)>\".txt";
    let hostile = "</textarea></td><script>alert(1)</script>\n\u{202e}'\"><svg onload=x>\n";
    let id = propose_file(&desk, name, hostile);
    let pages = [
        listed(&desk).text,
        show(&desk, &id, "").text,
        show(&desk, &id, "file=0&from=0").text,
        preview(&desk, &id, "file=0&text=%3C%2Ftextarea%3E%3Cscript%3E").text,
    ];
    for page in pages {
        let body = page.split("<main").nth(1).expect("a main part");
        for bad in [
            "<script",
            "<img src=x",
            "<svg",
            "\u{202e}",
            "</textarea></td>",
            "agent <b>",
        ] {
            assert!(!body.contains(bad), "{bad}: {body}");
        }
    }
}

#[test]
fn page_with_many_questions_has_bounded_size() {
    let desk = Desk::new(Mode::Ask);
    let line = "let x = compute(1, 2, 3);\n";
    for at in 0..300 {
        let name = format!("folder/of/some/depth/file-{at}.rs");
        let arguments = json!({ "file_path": desk.path(&name), "content": line.repeat(20) });
        let reply = call(&desk, &format!("session-{}", at % 3), "Write", arguments);
        assert!(reply.waiting_call().is_some(), "{}", reply.text());
    }
    let list = listed(&desk).text;
    assert!(list.len() < 100_000, "{}", list.len());
    assert!(list.contains("300 wait"), "{list}");
}
