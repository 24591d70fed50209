//! Tests with actual writes on the page, and of the review's forms.

use std::fs;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use http_body_util::BodyExt as _;
use lancet::{Caller, Lancet, Mode, RawCall, Reply, Session};
use lancet_testing::TestFolder;
use serde_json::{Value, json};

use super::{act, list};
use crate::page::WebPage;
use crate::page::diff::{DiffLayout, LayoutChoice};
use crate::page::fields::{Fields, SentForm};
use crate::page::visitor::Visitor;

/// A project with a page on it, and an agent that accepts edits.
struct Desk {
    folder: TestFolder,
    session: Session,
    page: Arc<WebPage>,
    visitor: Visitor,
    runtime: tokio::runtime::Runtime,
}

impl Desk {
    fn new() -> Self {
        let folder = TestFolder::new();
        fs::create_dir(folder.path().join("root")).expect("made");
        let state = folder.path().join("state");
        let lancet = Lancet::builder()
            .root(folder.path().join("root"))
            .state_dir(&state)
            .mode(Mode::AcceptEdits)
            .open()
            .expect("opens");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        Self {
            session: lancet.session(&"talk".parse().expect("a name")),
            page: Arc::new(WebPage::new(lancet, &state, None)),
            visitor: Visitor::new("cookie", false),
            folder,
            runtime,
        }
    }

    fn path(&self, name: &str) -> String {
        let path = self.folder.path().join("root").join(name);
        path.to_str().expect("text").to_owned()
    }

    fn call(&self, tool: &str, arguments: Value) -> Reply {
        let call = RawCall::new(tool, arguments).with_caller(Caller::client("agent <b>", "1"));
        let reply = self.session.call(call);
        assert!(!reply.is_error(), "{}", reply.text());
        reply
    }

    fn write(&self, name: &str, content: &str) {
        if fs::exists(self.path(name)).expect("known") {
            self.call("Read", json!({ "file_path": self.path(name) }));
        }
        let arguments = json!({ "file_path": self.path(name), "content": content });
        self.call("Write", arguments);
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("read")
    }

    fn get(&self, response: impl Future<Output = Response>) -> (StatusCode, String) {
        let answer = async {
            let response = response.await;
            let status = response.status();
            let body = response.into_body().collect().await.expect("a body");
            (status, body.to_bytes())
        };
        let (status, bytes) = self.runtime.block_on(answer);
        (status, String::from_utf8(bytes.to_vec()).expect("text"))
    }

    fn list(&self) -> String {
        let (status, text) = self.get(list::list(
            State(Arc::clone(&self.page)),
            self.visitor.clone(),
            LayoutChoice::at("/review", DiffLayout::Unified),
        ));
        assert_eq!(status, StatusCode::OK, "{text}");
        text
    }

    /// Sends a form of the page.
    fn send<F: Future<Output = Response>>(
        &self,
        form: &str,
        to: impl FnOnce(State<Arc<WebPage>>, Visitor, SentForm) -> F,
    ) {
        let form = SentForm(Fields::new(form.as_bytes()));
        let page = State(Arc::clone(&self.page));
        let (status, _) = self.get(to(page, self.visitor.clone(), form));
        assert_eq!(status, StatusCode::SEE_OTHER);
    }
}

/// Returns the values of all fields of a name, in the order of the page.
fn values(page: &str, name: &str) -> Vec<String> {
    let before = format!("name=\"{name}\" value=\"");
    let parts = page.split(&before).skip(1);
    parts
        .filter_map(|part| Some(part.split_once('"')?.0.to_owned()))
        .collect()
}

fn lines() -> String {
    (1..=40).map(|line| format!("line {line}.\n")).collect()
}

#[test]
fn nothing_to_review_explains_itself() {
    let desk = Desk::new();
    assert!(desk.list().contains("You have seen everything"));
}

#[test]
fn a_file_is_shown_once_and_marked_as_seen() {
    let desk = Desk::new();
    fs::write(desk.path("a.txt"), lines()).expect("written");
    desk.write("a.txt", &lines().replace("line 5.", "LINE 5."));
    desk.write("a.txt", &lines().replace("line 5.", "FIVE."));
    let page = desk.list();
    assert!(
        page.contains("FIVE.") && !page.contains("LINE 5."),
        "{page}"
    );
    assert!(page.contains("2 operations"));
    assert_eq!(desk.page.to_review(), 1);
    let file = &values(&page, "file")[0];
    desk.send(&format!("file={file}"), act::seen);
    let after = desk.list();
    assert!(after.contains("One file is marked as seen."));
    assert!(after.contains("You have seen everything"));
}

#[test]
fn one_hunk_is_taken_back_and_a_second_click_says_why_not() {
    let desk = Desk::new();
    fs::write(desk.path("a.txt"), lines()).expect("written");
    let both = lines()
        .replace("line 5.", "LINE 5.")
        .replace("line 30.", "LINE 30.");
    desk.write("a.txt", &both);
    let page = desk.list();
    let hunks = values(&page, "hunk");
    assert_eq!(hunks.len(), 2);
    let (file, before) = (&values(&page, "file")[0], &values(&page, "before")[0]);
    let form = format!("file={file}&before={before}&hunk={}", hunks[0]);
    desk.send(&form, act::take_back);
    assert_eq!(desk.text("a.txt"), lines().replace("line 30.", "LINE 30."));
    assert!(desk.list().contains("The hunk was undone"));
    desk.send(&form, act::take_back);
    assert!(desk.list().contains("cannot be undone"));
    assert_eq!(desk.text("a.txt"), lines().replace("line 30.", "LINE 30."));
    desk.send("file=x&before=y&hunk=z", act::take_back);
    assert!(desk.list().contains("no longer there"));
}

#[test]
fn a_comment_waits_is_delivered_and_can_be_withdrawn_before() {
    let desk = Desk::new();
    desk.write("a.txt", &lines());
    let page = desk.list();
    let file = &values(&page, "file")[0];
    let form = |words: &str| format!("file={file}&session=talk&first=3&last=4&words={words}");
    desk.send(&form("why"), act::comment);
    let page = desk.list();
    assert!(page.contains("a.txt:3-4") && page.contains("waiting for the session"));
    desk.send(
        &format!("comment={}", values(&page, "comment")[0]),
        act::withdraw,
    );
    assert!(!desk.list().contains("a.txt:3-4"));
    desk.send(&form("why+not"), act::comment);
    let answer = desk.call("Read", json!({ "file_path": desk.path("a.txt") }));
    let told = "\"on `line 3.`: why not\"";
    assert!(answer.text().contains(told), "{}", answer.text());
    assert!(desk.list().contains("delivered with an answer"));
    desk.send(&form(""), act::comment);
    assert!(desk.list().contains("a comment needs words"));
    // A browser counts a line end as one character and sends two.
    desk.send(&form(&"x%0D%0A".repeat(899)), act::comment);
    assert!(desk.list().contains("The comment waits for the session"));
    desk.send(&form(&"x".repeat(1_801)), act::comment);
    assert!(desk.list().contains("1801 characters"));
    let strange = form("who").replace("=talk", "=nobody");
    desk.send(&strange, act::comment);
    assert!(desk.list().contains("no longer there"));
}

#[test]
fn text_of_files_and_people_is_no_markup() {
    let desk = Desk::new();
    desk.write("<i>&\".txt", "<script>alert(1)</script>\n");
    let page = desk.list();
    let file = &values(&page, "file")[0];
    let form = format!("file={file}&session=talk&first=1&last=1&words=%3Cimg+src%3Dx%3E");
    desk.send(&form, act::comment);
    let page = desk.list();
    for forbidden in ["<script>alert", "<i>", "<img src=x", "agent <b>"] {
        assert!(!page.contains(forbidden), "{forbidden}: {page}");
    }
}
