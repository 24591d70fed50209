//! History, Sessions and Settings as a browser gets them: requests with a cookie go through the routes of the page.

pub(super) mod desk;
mod others;

use std::fs;

use axum::body::Body;
use http::{Request, StatusCode};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use lancet::history::LogQuery;
use lancet::{Caller, Mode, RawCall, Reply};
use lancet_serving::door::PageAccess;
use lancet_testing::project::SharedProject;
use serde_json::{Value, json};

use super::router;
use desk::{Desk, Seen};

/// Text that must never come out as markup.
const HOSTILE: &str = "<img src=x onerror=alert(1)>";

/// Opens the page for a browser that has access. It asks about changes, and the agents need not.
fn open() -> Desk {
    let project = SharedProject::new(&[]);
    let engine = |mode| {
        project.engine_with(|builder| {
            builder
                .tools(["default", "MoveFile"])
                .deny("Read(hidden/**)")
                .mode(mode)
        })
    };
    let (agent, served) = (engine(Mode::AcceptEdits), engine(Mode::Ask));
    fs::create_dir_all(&project.state).expect("made");
    let door = PageAccess::new(&project.state);
    let code = door.new_code().expect("a code");
    let entered = door.redeem_code(&code, "test").expect("written");
    Desk::serving(project, agent, served, entered.expect("a cookie"))
}

impl Desk {
    fn call_tool(&self, session: &str, tool: &str, arguments: Value) -> Reply {
        let call = RawCall::new(tool, arguments).with_caller(Caller::client(HOSTILE, "1"));
        self.call(session, call)
    }

    fn write(&self, name: &str, content: &str) -> Reply {
        let arguments = json!({ "file_path": self.path(name), "content": content });
        let reply = self.call_tool("talk", "Write", arguments);
        assert!(!reply.is_error(), "{}", reply.text());
        reply
    }

    fn edit(&self, name: &str, old: &str, new: &str) -> Reply {
        let arguments =
            json!({ "file_path": self.path(name), "old_string": old, "new_string": new });
        self.call_tool("talk", "Edit", arguments)
    }

    /// Returns the id of the newest operation.
    fn newest_operation_id(&self) -> String {
        let history = self.agent.history().expect("a state folder");
        history
            .log(&LogQuery::default())
            .expect("read")
            .remove(0)
            .id
    }

    fn send(&self, request: Request<Body>) -> Seen {
        let service = TowerToHyperService::new(router(self.page.clone()));
        self.seen(async { service.call(request).await.expect("an answer") })
    }

    fn get_text(&self, address: &str) -> String {
        let seen = self.get_answer(address);
        assert_eq!(seen.status, StatusCode::OK, "{address}: {}", seen.text);
        assert!(
            !seen.text.contains("<img src=x"),
            "{address}: {}",
            seen.text
        );
        seen.text
    }

    fn get_answer(&self, address: &str) -> Seen {
        let request =
            Request::get(address).header("cookie", format!("lancet-page={}", self.cookie));
        self.send(request.body(Body::empty()).expect("a request"))
    }

    fn post(&self, address: &str, fields: &[(&str, &str)]) -> Seen {
        let token = self.visitor.token(address);
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("token", &token).extend_pairs(fields);
        let request =
            Request::post(address).header("cookie", format!("lancet-page={}", self.cookie));
        self.send(request.body(Body::from(form.finish())).expect("a request"))
    }

    /// Returns the value of a hidden field.
    fn hidden_field(text: &str, name: &str) -> String {
        let start = format!("name=\"{name}\" value=\"");
        let (_, rest) = text.split_once(&start).expect("the field");
        rest.split('"').next().unwrap_or_default().to_owned()
    }
}

#[test]
fn history_is_listed_searched_and_paged() {
    let desk = open();
    assert!(
        desk.get_text("/history")
            .contains("Nothing has been changed yet")
    );
    for number in 0..60 {
        desk.write(&format!("f{number}.txt"), "one\n");
    }
    desk.write(&format!("{HOSTILE}.txt").replace('/', "_"), HOSTILE);
    let first = desk.get_text("/history");
    assert!(
        first.contains("f59.txt") && first.contains("&#60;img"),
        "{first}"
    );
    assert!(first.len() < 100_000, "{} bytes", first.len());
    let (_, older) = first
        .split_once("href=\"/history?before=")
        .expect("older ones");
    let older = older.split('"').next().unwrap_or_default();
    let second = desk.get_text(&format!("/history?before={older}"));
    assert!(second.contains("f0.txt") && !second.contains("f59.txt"));
    let found = desk.get_text("/history?q=F33");
    assert!(found.contains("f33.txt") && !found.contains("f34.txt"));
    assert!(desk.get_text("/history?session=talk").contains("f59.txt"));
    for none in [
        "q=nothing%20has%20this",
        "session=other",
        "path=..%2F..%2Fetc",
        "since=2999-01-01",
    ] {
        assert!(
            desk.get_text(&format!("/history?{none}"))
                .contains("Nothing matches"),
            "{none}"
        );
    }
    let id = desk.newest_operation_id();
    let shown = desk.get_text(&format!("/history/{id}"));
    assert!(shown.contains("&#60;img") && shown.contains(&format!("/history/{id}/undo")));
    for wrong in [
        "/history/1",
        "/history/aaaaaaaaaaaa",
        "/history/..%2f..%2fx",
        "/history/file?path=../x",
    ] {
        assert_eq!(
            desk.get_answer(wrong).status,
            StatusCode::NOT_FOUND,
            "{wrong}"
        );
    }
}

#[test]
fn undo_redo_and_restore_do_what_the_preview_shows() {
    let desk = open();
    desk.write("a.txt", "one\n");
    let first = desk.newest_operation_id();
    assert!(!desk.edit("a.txt", "one", "two").is_error());
    let id = desk.newest_operation_id();
    let address = format!("/history/{id}/undo");
    let preview = desk.get_text(&address);
    assert!(preview.contains("Nothing is written yet"), "{preview}");
    assert_eq!(desk.text("a.txt"), "two\n");
    let shown = Desk::hidden_field(&preview, "shown");
    // A form without the hash of the preview, or with another one, writes nothing.
    for wrong in ["", "abc"] {
        let seen = desk.post(&address, &[("shown", wrong)]);
        assert_eq!(
            (seen.status, seen.to.as_str()),
            (StatusCode::SEE_OTHER, address.as_str())
        );
        assert_eq!(desk.text("a.txt"), "two\n");
    }
    let seen = desk.post(&address, &[("shown", &shown)]);
    assert_eq!(desk.text("a.txt"), "one\n", "{}", seen.to);
    let undo = desk.newest_operation_id();
    assert_eq!(seen.to, format!("/history/{undo}"));
    let told = desk.get_text(&seen.to);
    assert!(
        told.contains("The change is undone") && told.contains("a person on the page"),
        "{told}"
    );
    assert!(desk.get_text(&format!("/history/{id}")).contains("undone"));

    let address = format!("/history/{undo}/redo");
    let shown = Desk::hidden_field(&desk.get_text(&address), "shown");
    desk.post(&address, &[("shown", &shown)]);
    assert_eq!(desk.text("a.txt"), "two\n");

    let address = format!("/history/{first}/restore");
    let shown = Desk::hidden_field(&desk.get_text(&format!("{address}?file=1")), "shown");
    // The file changes while the user looks at the preview.
    fs::write(desk.path("a.txt"), "three\n").expect("written");
    let seen = desk.post(&address, &[("shown", &shown), ("file", "1")]);
    assert_eq!(
        desk.text("a.txt"),
        "three\n",
        "what nobody has seen is not overwritten"
    );
    assert_eq!(seen.to, format!("{address}?file=1"));
    let preview = desk.get_text(&seen.to);
    assert!(
        preview.contains("have changed since you looked"),
        "{preview}"
    );
    let shown = Desk::hidden_field(&preview, "shown");
    desk.post(&address, &[("shown", &shown), ("file", "1")]);
    assert_eq!(desk.text("a.txt"), "one\n");

    // A conflict is reported, with the possible actions.
    let refused = desk.get_text(&format!("/history/{id}/undo"));
    assert!(refused.contains("role=\"alert\""), "{refused}");
    assert_eq!(
        desk.get_answer(&format!("/history/{id}/burn")).status,
        StatusCode::NOT_FOUND
    );
}

#[test]
fn shows_file_history_and_line_authors() {
    let desk = open();
    desk.write("old.txt", "one\ntwo\n");
    let moved = json!({ "from_path": desk.path("old.txt"), "to_path": desk.path("new.txt") });
    assert!(!desk.call_tool("talk", "MoveFile", moved).is_error());
    fs::write(desk.path("new.txt"), "zero\none\ntwo\n").expect("written");
    desk.call_tool(
        "other",
        "Read",
        json!({ "file_path": desk.path("new.txt") }),
    );
    let edit =
        json!({ "file_path": desk.path("new.txt"), "old_string": "two", "new_string": HOSTILE });
    assert!(!desk.call_tool("other", "Edit", edit).is_error());
    let life = desk.get_text("/history/file?path=new.txt");
    assert_eq!(life.matches("id=\"event-").count(), 3, "{life}");
    assert!(
        life.contains("Moved from") && life.contains("Under the name"),
        "{life}"
    );
    let lines = desk.get_text("/history/lines?path=new.txt");
    assert!(
        lines.contains("&#60;img") && lines.contains("other"),
        "{lines}"
    );
    assert!(
        lines.contains("1 of 3 lines") || lines.contains("2 of 3 lines"),
        "{lines}"
    );
    let none = desk.get_text("/history/file?path=none.txt");
    assert!(none.contains("No change of this file is on record"));
    // Text that may not be read is named and never shown.
    fs::create_dir(desk.path("hidden")).expect("made");
    let free = desk.project.engine(Mode::AcceptEdits);
    let write = lancet::tools::WriteArguments::new(desk.path("hidden/a.txt"), "secret words\n");
    assert!(!free.new_session().write(write).is_error());
    let id = desk.newest_operation_id();
    for address in [
        format!("/history/{id}"),
        format!("/history/{id}/undo"),
        format!("/history/{id}/restore?file=1"),
        "/history/file?path=hidden%2Fa.txt".to_owned(),
        "/history".to_owned(),
    ] {
        let seen = desk.get_text(&address);
        assert!(
            seen.contains("hidden/a.txt") && !seen.contains("secret words"),
            "{address}: {seen}"
        );
    }
    assert_eq!(
        desk.get_answer("/history/lines?path=hidden%2Fa.txt").status,
        StatusCode::NOT_FOUND
    );
}

#[test]
fn first_page_of_long_history_is_small() {
    let desk = open();
    for number in 0..200 {
        desk.write(
            &format!("folder/with/a/longer/name/file-{number}.txt"),
            "one\ntwo\n",
        );
    }
    let seen = desk.get_text("/history");
    assert!(seen.len() < 100_000, "{} bytes", seen.len());
}
