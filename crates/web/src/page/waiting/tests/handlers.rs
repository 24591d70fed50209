//! Actual questions on the page, and their outcomes.

use std::fs;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use http_body_util::BodyExt as _;
use lancet::approval::{Answer, Pick};
use lancet::call::{Asks, Deciders};
use lancet::questions::{QuestionState, RecordedQuestion};
use lancet::{Caller, Lancet, Mode, RawCall, Reply};
use lancet_testing::TestFolder;
use serde_json::{Value, json};

use crate::page::WebPage;
use crate::page::diff::{DiffLayout, LayoutChoice};
use crate::page::fields::{Fields, SentForm};
use crate::page::visitor::Visitor;
use crate::page::waiting::{decide, edit, list, question};

/// A project with a page on it.
struct Desk {
    folder: TestFolder,
    lancet: Lancet,
    page: Arc<WebPage>,
    visitor: Visitor,
    runtime: tokio::runtime::Runtime,
}

/// An answer of the page.
struct Seen {
    status: StatusCode,
    text: String,
}

impl Desk {
    fn new() -> Self {
        let folder = TestFolder::new();
        fs::create_dir(folder.path().join("root")).expect("made");
        let lancet = Lancet::builder()
            .root(folder.path().join("root"))
            .state_dir(folder.path().join("state"))
            .mode(Mode::Ask)
            .open()
            .expect("opens");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        Self {
            page: Arc::new(WebPage::new(
                lancet.clone(),
                &folder.path().join("state"),
                None,
            )),
            visitor: Visitor::new("cookie", false),
            lancet,
            folder,
            runtime,
        }
    }

    fn path(&self, name: &str) -> String {
        let path = self.folder.path().join("root").join(name);
        path.to_str().expect("text").to_owned()
    }

    fn call(&self, session: &str, tool: &str, arguments: Value) -> Reply {
        let call = RawCall::new(tool, arguments)
            .with_caller(Caller::client("agent <b>", "1"))
            .asking(Asks::Recorded {
                deciders: Deciders::Present,
                waited_on: None,
            });
        let name = session.parse().expect("a name");
        self.lancet.session(&name).call(call)
    }

    /// Proposes to write a new file; returns the question's id.
    fn ask(&self, name: &str, content: &str) -> String {
        let reply = self.write(name, content);
        reply.waiting().expect("asked").question().to_owned()
    }

    fn write(&self, name: &str, content: &str) -> Reply {
        let arguments = json!({ "file_path": self.path(name), "content": content });
        self.call("talk", "Write", arguments)
    }

    fn question(&self, id: &str) -> RecordedQuestion {
        let questions = self.lancet.questions().expect("questions");
        questions.get(id).expect("read").expect("a question")
    }

    fn seen(&self, response: Response) -> Seen {
        let (parts, body) = response.into_parts();
        let body = self.runtime.block_on(body.collect()).expect("a body");
        Seen {
            status: parts.status,
            text: String::from_utf8(body.to_bytes().to_vec()).expect("text"),
        }
    }

    fn list(&self) -> Seen {
        let made = list::list(
            State(self.page.clone()),
            self.visitor.clone(),
            LayoutChoice::at("/", DiffLayout::Unified),
            Fields::default(),
        );
        let response = self.runtime.block_on(made);
        self.seen(response)
    }

    fn show(&self, id: &str, query: &str) -> Seen {
        let made = question::show(
            State(self.page.clone()),
            Path(id.to_owned()),
            self.visitor.clone(),
            LayoutChoice::at("/", DiffLayout::Unified),
            Fields::new(query.as_bytes()),
        );
        let response = self.runtime.block_on(made);
        self.seen(response)
    }

    fn decide(&self, id: &str, form: &str) -> Seen {
        let made = decide::send(
            State(self.page.clone()),
            Path(id.to_owned()),
            self.visitor.clone(),
            DiffLayout::Unified,
            SentForm(Fields::new(form.as_bytes())),
        );
        let response = self.runtime.block_on(made);
        self.seen(response)
    }

    fn preview(&self, id: &str, form: &str) -> Seen {
        let made = edit::preview(
            State(self.page.clone()),
            Path(id.to_owned()),
            self.visitor.clone(),
            DiffLayout::Unified,
            SentForm(Fields::new(form.as_bytes())),
        );
        let response = self.runtime.block_on(made);
        self.seen(response)
    }

    fn approve_edited(&self, id: &str, form: &str) -> Seen {
        let made = edit::approve(
            State(self.page.clone()),
            Path(id.to_owned()),
            self.visitor.clone(),
            DiffLayout::Unified,
            SentForm(Fields::new(form.as_bytes())),
        );
        let response = self.runtime.block_on(made);
        self.seen(response)
    }
}

#[test]
fn a_question_is_listed_shown_approved_and_written() {
    let desk = Desk::new();
    assert!(desk.list().text.contains("Nothing waits for you"));
    let id = desk.ask("a.txt", "one\ntwo\n");
    let list = desk.list().text;
    assert!(list.contains(&format!("id=\"question-{id}\"")), "{list}");
    assert!(
        list.contains("a.txt") && list.contains(">two</td>"),
        "{list}"
    );
    assert!(
        desk.show(&id, "")
            .text
            .contains("The agent&#39;s call waits for your answer.")
            || desk.show(&id, "").text.contains("waits for your answer")
    );
    assert_eq!(desk.decide(&id, "do=yes").status, StatusCode::SEE_OTHER);
    let approved = desk.question(&id);
    assert_eq!(approved.state, QuestionState::Approved);
    let (by, _) = approved.decided.expect("decided");
    assert_eq!(by, "a person on the page");
    assert!(desk.list().text.contains("Decided here lately"));
    let written = desk.write("a.txt", "one\ntwo\n");
    assert!(!written.is_error(), "{}", written.text());
    assert_eq!(fs::read(desk.path("a.txt")).expect("read"), b"one\ntwo\n");
    let shown = desk.show(&id, "").text;
    assert!(shown.contains("written</span> as operation"), "{shown}");
    assert!(
        !shown.contains("value=\"yes\""),
        "there is nothing to answer: {shown}"
    );
}

#[test]
fn the_first_decision_counts_and_the_second_is_told_so() {
    let desk = Desk::new();
    let id = desk.ask("a.txt", "one\n");
    desk.decide(&id, "do=no&words=Not+now.");
    let _ = desk.list();
    desk.decide(&id, "do=yes");
    let shown = desk.show(&id, "").text;
    assert!(shown.contains("Too late: question"), "{shown}");
    let question = desk.question(&id);
    assert_eq!(
        question.answer,
        Some(Answer::No(Some("Not now.".to_owned())))
    );
    assert_eq!(question.state, QuestionState::Rejected);
}

#[test]
fn an_unknown_id_and_one_of_another_project_are_missing() {
    let desk = Desk::new();
    let other = Desk::new();
    let id = other.ask("a.txt", "one\n");
    for id in [id.as_str(), "nothing", "", "../../etc/passwd", "'; --"] {
        assert_eq!(desk.show(id, "").status, StatusCode::NOT_FOUND, "{id}");
        assert_eq!(
            desk.decide(id, "do=yes").status,
            StatusCode::NOT_FOUND,
            "{id}"
        );
        assert_eq!(
            desk.preview(id, "text=x").status,
            StatusCode::NOT_FOUND,
            "{id}"
        );
        assert_eq!(
            desk.approve_edited(id, "text=x").status,
            StatusCode::NOT_FOUND,
            "{id}"
        );
    }
    assert_eq!(other.question(&id).state, QuestionState::Open);
}

#[test]
fn a_form_without_an_answer_decides_nothing() {
    let desk = Desk::new();
    let id = desk.ask("a.txt", "one\n");
    for form in [
        "",
        "do=nothing&pick=0",
        "do=picked",
        "do=picked&pick=9",
        "do=always&words=x",
        "do=no&comment-file=9&comment-line=1&comment=x",
    ] {
        assert_eq!(
            desk.decide(&id, form).status,
            StatusCode::BAD_REQUEST,
            "{form}"
        );
    }
    let form = "do=picked&words=Mind+the+%3Cgap%3E&comment-file=0&comment-line=1&comment=Why%3F";
    let again = desk.decide(&id, form).text;
    for kept in [
        "No box is ticked",
        "Mind the &#60;gap&#62;",
        "Why?</textarea>",
    ] {
        assert!(again.contains(kept), "{kept}: {again}");
    }
    assert_eq!(desk.question(&id).state, QuestionState::Open);
}

#[test]
fn the_list_has_no_button_for_what_it_does_not_show() {
    let desk = Desk::new();
    desk.ask("empty.txt", "");
    let list = desk.list().text;
    let named = "empty.txt</span> <span class=\"tag\">new file";
    assert!(list.contains(named), "{list}");
    assert!(!list.contains("value=\"yes\""), "{list}");
}

#[test]
fn an_edited_text_is_shown_first_and_comes_back_as_it_was_typed() {
    let desk = Desk::new();
    let id = desk.ask("a.txt", "\none\n");
    let form = "file=0&text=%0D%0Aone%0D%0Aand+two";
    let shown = desk.preview(&id, form).text;
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
    assert_eq!(desk.question(&id).state, QuestionState::Open);
    assert_eq!(
        desk.approve_edited(&id, "file=3&text=x").status,
        StatusCode::BAD_REQUEST
    );
    assert_eq!(
        desk.approve_edited(&id, "file=0").status,
        StatusCode::BAD_REQUEST
    );
    desk.approve_edited(&id, form);
    let edited = vec![Pick::Edited("\none\nand two".to_owned())];
    assert_eq!(
        desk.question(&id).answer,
        Some(Answer::Picked {
            files: edited,
            words: None
        })
    );
    let written = desk.write("a.txt", "\none\n");
    assert!(!written.is_error(), "{}", written.text());
    assert_eq!(
        fs::read(desk.path("a.txt")).expect("read"),
        b"\none\nand two"
    );
}

#[test]
fn names_and_texts_that_look_like_html_are_text() {
    let desk = Desk::new();
    let name = "<img src=x onerror=alert(1)>\".txt";
    let hostile = "</textarea></td><script>alert(1)</script>\n\u{202e}'\"><svg onload=x>\n";
    let id = desk.ask(name, hostile);
    let pages = [
        desk.list().text,
        desk.show(&id, "").text,
        desk.show(&id, "file=0&from=0").text,
        desk.preview(&id, "file=0&text=%3C%2Ftextarea%3E%3Cscript%3E")
            .text,
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
fn three_hundred_questions_make_a_page_of_bounded_size() {
    let desk = Desk::new();
    let line = "let x = compute(1, 2, 3);\n";
    for at in 0..300 {
        let name = format!("folder/of/some/depth/file-{at}.rs");
        let arguments = json!({ "file_path": desk.path(&name), "content": line.repeat(20) });
        let reply = desk.call(&format!("session-{}", at % 3), "Write", arguments);
        assert!(reply.waiting().is_some(), "{}", reply.text());
    }
    let list = desk.list().text;
    assert!(list.len() < 100_000, "{}", list.len());
    assert!(list.contains("300 wait"), "{list}");
}
