//! Tests with actual writes on the page, and of the review's forms.

use std::fs;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use lancet::{Caller, Mode, RawCall, Reply};
use serde_json::{Value, json};

use super::{act, list};
use crate::page::WebPage;
use crate::page::diff::{DiffLayout, LayoutChoice};
use crate::page::fields::{Fields, SentForm};
use crate::page::tests::desk::Desk;
use crate::page::visitor::Visitor;

fn call(desk: &Desk, tool: &str, arguments: Value) -> Reply {
    let call = RawCall::new(tool, arguments).with_caller(Caller::client("agent <b>", "1"));
    let reply = desk.call("talk", call);
    assert!(!reply.is_error(), "{}", reply.text());
    reply
}

fn write(desk: &Desk, name: &str, content: &str) {
    let path = desk.path(name);
    if path.exists() {
        call(desk, "Read", json!({ "file_path": path }));
    }
    call(
        desk,
        "Write",
        json!({ "file_path": path, "content": content }),
    );
}

fn listed(desk: &Desk) -> String {
    let seen = desk.seen(list::list_files_to_review(
        State(Arc::clone(&desk.page)),
        desk.visitor.clone(),
        LayoutChoice::for_path("/review", DiffLayout::Unified),
    ));
    assert_eq!(seen.status, StatusCode::OK, "{}", seen.text);
    seen.text
}

/// Sends a form of the page.
fn send<F: Future<Output = Response>>(
    desk: &Desk,
    form: &str,
    to: impl FnOnce(State<Arc<WebPage>>, Visitor, SentForm) -> F,
) {
    let form = SentForm(Fields::new(form.as_bytes()));
    let page = State(Arc::clone(&desk.page));
    let seen = desk.seen(to(page, desk.visitor.clone(), form));
    assert_eq!(seen.status, StatusCode::SEE_OTHER);
}

/// Returns the values of all fields of a name, in the order of the page.
fn field_values(page: &str, name: &str) -> Vec<String> {
    let before = format!("name=\"{name}\" value=\"");
    let parts = page.split(&before).skip(1);
    parts
        .filter_map(|part| Some(part.split_once('"')?.0.to_owned()))
        .collect()
}

fn forty_lines() -> String {
    (1..=40).map(|line| format!("line {line}.\n")).collect()
}

#[test]
fn empty_review_explains_itself() {
    let desk = Desk::new(Mode::AcceptEdits);
    assert!(listed(&desk).contains("You have seen everything"));
}

#[test]
fn file_with_several_operations_is_shown_once() {
    let desk = Desk::new(Mode::AcceptEdits);
    fs::write(desk.path("a.txt"), forty_lines()).expect("written");
    write(&desk, "a.txt", &forty_lines().replace("line 5.", "LINE 5."));
    write(&desk, "a.txt", &forty_lines().replace("line 5.", "FIVE."));
    let page = listed(&desk);
    assert!(
        page.contains("FIVE.") && !page.contains("LINE 5."),
        "{page}"
    );
    assert!(page.contains("2 operations"));
    assert_eq!(desk.page.count_files_to_review(), 1);
    let file = &field_values(&page, "file")[0];
    send(&desk, &format!("file={file}"), act::mark_seen);
    let after = listed(&desk);
    assert!(after.contains("One file is marked as seen."));
    assert!(after.contains("You have seen everything"));
}

#[test]
fn undoes_one_hunk_and_refuses_second_click() {
    let desk = Desk::new(Mode::AcceptEdits);
    fs::write(desk.path("a.txt"), forty_lines()).expect("written");
    let both = forty_lines()
        .replace("line 5.", "LINE 5.")
        .replace("line 30.", "LINE 30.");
    write(&desk, "a.txt", &both);
    let page = listed(&desk);
    let hunks = field_values(&page, "hunk");
    assert_eq!(hunks.len(), 2);
    let (file, before) = (
        &field_values(&page, "file")[0],
        &field_values(&page, "before")[0],
    );
    let form = format!("file={file}&before={before}&hunk={}", hunks[0]);
    send(&desk, &form, act::undo_hunk);
    assert_eq!(
        desk.text("a.txt"),
        forty_lines().replace("line 30.", "LINE 30.")
    );
    assert!(listed(&desk).contains("The hunk was undone"));
    send(&desk, &form, act::undo_hunk);
    assert!(listed(&desk).contains("cannot be undone"));
    assert_eq!(
        desk.text("a.txt"),
        forty_lines().replace("line 30.", "LINE 30.")
    );
    send(&desk, "file=x&before=y&hunk=z", act::undo_hunk);
    assert!(listed(&desk).contains("no longer there"));
}

#[test]
fn comment_can_be_withdrawn_until_delivered() {
    let desk = Desk::new(Mode::AcceptEdits);
    write(&desk, "a.txt", &forty_lines());
    let page = listed(&desk);
    let file = &field_values(&page, "file")[0];
    let form = |words: &str| format!("file={file}&session=talk&first=3&last=4&words={words}");
    send(&desk, &form("why"), act::add_comment);
    let page = listed(&desk);
    assert!(page.contains("a.txt:3-4") && page.contains("waiting for the session"));
    send(
        &desk,
        &format!("comment={}", field_values(&page, "comment")[0]),
        act::withdraw_comment,
    );
    assert!(!listed(&desk).contains("a.txt:3-4"));
    send(&desk, &form("why+not"), act::add_comment);
    let answer = call(&desk, "Read", json!({ "file_path": desk.path("a.txt") }));
    let told = "\"on `line 3.`: why not\"";
    assert!(answer.text().contains(told), "{}", answer.text());
    assert!(listed(&desk).contains("delivered with an answer"));
    send(&desk, &form(""), act::add_comment);
    assert!(listed(&desk).contains("a comment needs words"));
    // A browser counts a line end as one character and sends two.
    send(&desk, &form(&"x%0D%0A".repeat(899)), act::add_comment);
    assert!(listed(&desk).contains("The comment waits for the session"));
    send(&desk, &form(&"x".repeat(1_801)), act::add_comment);
    assert!(listed(&desk).contains("1801 characters"));
    let strange = form("who").replace("=talk", "=nobody");
    send(&desk, &strange, act::add_comment);
    assert!(listed(&desk).contains("no longer there"));
}

#[test]
fn escapes_file_names_and_comments() {
    let desk = Desk::new(Mode::AcceptEdits);
    write(&desk, "<i>&\".txt", "<script>alert(1)</script>\n");
    let page = listed(&desk);
    let file = &field_values(&page, "file")[0];
    let form = format!("file={file}&session=talk&first=1&last=1&words=%3Cimg+src%3Dx%3E");
    send(&desk, &form, act::add_comment);
    let page = listed(&desk);
    for forbidden in ["<script>alert", "<i>", "<img src=x", "agent <b>"] {
        assert!(!page.contains(forbidden), "{forbidden}: {page}");
    }
}
