//! History, Sessions and Settings as a browser gets them: requests with a cookie go through the routes of the page.

mod others;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use lancet::history::LogQuery;
use lancet::{Caller, Lancet, Mode, RawCall, Reply};
use lancet_serving::door::Door;
use lancet_testing::TestFolder;
use serde_json::{Value, json};

use super::visitor::Visitor;
use super::{WebPage, router};

/// Text that must never come out as markup.
const HOSTILE: &str = "<img src=x onerror=alert(1)>";

/// A project with a page on it, and a browser that has access.
struct Desk {
    folder: TestFolder,
    agent: Lancet,
    page: Arc<WebPage>,
    cookie: String,
    runtime: tokio::runtime::Runtime,
}

/// An answer of the page.
struct Seen {
    status: StatusCode,
    to: String,
    text: String,
}

impl Desk {
    fn new() -> Self {
        let folder = TestFolder::new();
        fs::create_dir(folder.path().join("root")).expect("made");
        let state = folder.path().join("state");
        let open = |mode| {
            Lancet::builder()
                .root(folder.path().join("root"))
                .state_dir(&state)
                .tools(["default", "MoveFile"])
                .deny("Read(hidden/**)")
                .mode(mode)
                .open()
                .expect("opens")
        };
        let (agent, served) = (open(Mode::AcceptEdits), open(Mode::Ask));
        fs::create_dir_all(&state).expect("made");
        let door = Door::new(&state);
        let code = door.new_code().expect("a code");
        let cookie = door
            .enter(&code, "test")
            .expect("written")
            .expect("a cookie");
        let page = Arc::new(WebPage::new(served, &state, None));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        Self {
            folder,
            agent,
            page,
            cookie,
            runtime,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("root").join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("read")
    }

    fn call(&self, session: &str, tool: &str, arguments: Value) -> Reply {
        let call = RawCall::new(tool, arguments).with_caller(Caller::client(HOSTILE, "1"));
        let session = self.agent.session(&session.parse().expect("a name"));
        session.call(call)
    }

    fn write(&self, name: &str, content: &str) -> Reply {
        let arguments = json!({ "file_path": self.path(name), "content": content });
        let reply = self.call("talk", "Write", arguments);
        assert!(!reply.is_error(), "{}", reply.text());
        reply
    }

    fn edit(&self, name: &str, old: &str, new: &str) -> Reply {
        let arguments =
            json!({ "file_path": self.path(name), "old_string": old, "new_string": new });
        self.call("talk", "Edit", arguments)
    }

    /// Returns the id of the newest operation.
    fn newest(&self) -> String {
        let history = self.agent.history().expect("a state folder");
        history
            .log(&LogQuery::default())
            .expect("read")
            .remove(0)
            .id
    }

    fn send(&self, request: Request<Body>) -> Seen {
        let service = TowerToHyperService::new(router(self.page.clone()));
        self.runtime.block_on(async {
            let response = service.call(request).await.expect("an answer");
            let (parts, body) = response.into_parts();
            let body = body.collect().await.expect("a body").to_bytes();
            let to = parts.headers.get("location");
            let to = to.map(|to| to.to_str().expect("text").to_owned());
            Seen {
                status: parts.status,
                to: to.unwrap_or_default(),
                text: String::from_utf8(body.to_vec()).expect("text"),
            }
        })
    }

    fn get(&self, address: &str) -> String {
        let seen = self.look(address);
        assert_eq!(seen.status, StatusCode::OK, "{address}: {}", seen.text);
        assert!(
            !seen.text.contains("<img src=x"),
            "{address}: {}",
            seen.text
        );
        seen.text
    }

    fn look(&self, address: &str) -> Seen {
        let request =
            Request::get(address).header("cookie", format!("lancet-page={}", self.cookie));
        self.send(request.body(Body::empty()).expect("a request"))
    }

    fn post(&self, address: &str, fields: &[(&str, &str)]) -> Seen {
        let token = Visitor::new(&self.cookie, false).token(address);
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("token", &token).extend_pairs(fields);
        let request =
            Request::post(address).header("cookie", format!("lancet-page={}", self.cookie));
        self.send(request.body(Body::from(form.finish())).expect("a request"))
    }

    /// Returns the value of a hidden field.
    fn field(text: &str, name: &str) -> String {
        let start = format!("name=\"{name}\" value=\"");
        let (_, rest) = text.split_once(&start).expect("the field");
        rest.split('"').next().unwrap_or_default().to_owned()
    }
}

#[test]
fn the_history_lists_searches_and_pages() {
    let desk = Desk::new();
    assert!(
        desk.get("/history")
            .contains("Nothing has been changed yet")
    );
    for number in 0..60 {
        desk.write(&format!("f{number}.txt"), "one\n");
    }
    desk.write(&format!("{HOSTILE}.txt").replace('/', "_"), HOSTILE);
    let first = desk.get("/history");
    assert!(
        first.contains("f59.txt") && first.contains("&#60;img"),
        "{first}"
    );
    assert!(first.len() < 100_000, "{} bytes", first.len());
    let (_, older) = first
        .split_once("href=\"/history?before=")
        .expect("older ones");
    let older = older.split('"').next().unwrap_or_default();
    let second = desk.get(&format!("/history?before={older}"));
    assert!(second.contains("f0.txt") && !second.contains("f59.txt"));
    let found = desk.get("/history?q=F33");
    assert!(found.contains("f33.txt") && !found.contains("f34.txt"));
    assert!(desk.get("/history?session=talk").contains("f59.txt"));
    for none in [
        "q=nothing%20has%20this",
        "session=other",
        "path=..%2F..%2Fetc",
        "since=2999-01-01",
    ] {
        assert!(
            desk.get(&format!("/history?{none}"))
                .contains("Nothing matches"),
            "{none}"
        );
    }
    let id = desk.newest();
    let shown = desk.get(&format!("/history/{id}"));
    assert!(shown.contains("&#60;img") && shown.contains(&format!("/history/{id}/undo")));
    for wrong in [
        "/history/1",
        "/history/aaaaaaaaaaaa",
        "/history/..%2f..%2fx",
        "/history/file?path=../x",
    ] {
        assert_eq!(desk.look(wrong).status, StatusCode::NOT_FOUND, "{wrong}");
    }
}

#[test]
fn a_person_undoes_redoes_and_restores_what_the_preview_shows() {
    let desk = Desk::new();
    desk.write("a.txt", "one\n");
    let first = desk.newest();
    assert!(!desk.edit("a.txt", "one", "two").is_error());
    let id = desk.newest();
    let address = format!("/history/{id}/undo");
    let preview = desk.get(&address);
    assert!(preview.contains("Nothing is written yet"), "{preview}");
    assert_eq!(desk.text("a.txt"), "two\n");
    let shown = Desk::field(&preview, "shown");
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
    let undo = desk.newest();
    assert_eq!(seen.to, format!("/history/{undo}"));
    let told = desk.get(&seen.to);
    assert!(
        told.contains("The change is undone") && told.contains("a person on the page"),
        "{told}"
    );
    assert!(desk.get(&format!("/history/{id}")).contains("undone"));

    let address = format!("/history/{undo}/redo");
    let shown = Desk::field(&desk.get(&address), "shown");
    desk.post(&address, &[("shown", &shown)]);
    assert_eq!(desk.text("a.txt"), "two\n");

    let address = format!("/history/{first}/restore");
    let shown = Desk::field(&desk.get(&format!("{address}?file=1")), "shown");
    // The file changes while the user looks at the preview.
    fs::write(desk.path("a.txt"), "three\n").expect("written");
    let seen = desk.post(&address, &[("shown", &shown), ("file", "1")]);
    assert_eq!(
        desk.text("a.txt"),
        "three\n",
        "what nobody has seen is not overwritten"
    );
    assert_eq!(seen.to, format!("{address}?file=1"));
    let preview = desk.get(&seen.to);
    assert!(
        preview.contains("have changed since you looked"),
        "{preview}"
    );
    let shown = Desk::field(&preview, "shown");
    desk.post(&address, &[("shown", &shown), ("file", "1")]);
    assert_eq!(desk.text("a.txt"), "one\n");

    // A conflict is reported, with the possible actions.
    let refused = desk.get(&format!("/history/{id}/undo"));
    assert!(refused.contains("role=\"alert\""), "{refused}");
    assert_eq!(
        desk.look(&format!("/history/{id}/burn")).status,
        StatusCode::NOT_FOUND
    );
}

#[test]
fn the_life_of_a_file_and_who_wrote_its_lines() {
    let desk = Desk::new();
    desk.write("old.txt", "one\ntwo\n");
    let moved = json!({ "from_path": desk.path("old.txt"), "to_path": desk.path("new.txt") });
    assert!(!desk.call("talk", "MoveFile", moved).is_error());
    fs::write(desk.path("new.txt"), "zero\none\ntwo\n").expect("written");
    desk.call(
        "other",
        "Read",
        json!({ "file_path": desk.path("new.txt") }),
    );
    let edit =
        json!({ "file_path": desk.path("new.txt"), "old_string": "two", "new_string": HOSTILE });
    assert!(!desk.call("other", "Edit", edit).is_error());
    let life = desk.get("/history/file?path=new.txt");
    assert_eq!(life.matches("id=\"event-").count(), 3, "{life}");
    assert!(
        life.contains("Moved from") && life.contains("Under the name"),
        "{life}"
    );
    let lines = desk.get("/history/lines?path=new.txt");
    assert!(
        lines.contains("&#60;img") && lines.contains("other"),
        "{lines}"
    );
    assert!(
        lines.contains("1 of 3 lines") || lines.contains("2 of 3 lines"),
        "{lines}"
    );
    let none = desk.get("/history/file?path=none.txt");
    assert!(none.contains("No change of this file is on record"));
    // Text that may not be read is named and never shown.
    fs::create_dir(desk.path("hidden")).expect("made");
    let free = Lancet::builder()
        .root(desk.path(""))
        .state_dir(desk.folder.path().join("state"))
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opens");
    let write = lancet::tools::WriteArguments::new(desk.path("hidden/a.txt"), "secret words\n");
    assert!(!free.new_session().write(write).is_error());
    let id = desk.newest();
    for address in [
        format!("/history/{id}"),
        format!("/history/{id}/undo"),
        format!("/history/{id}/restore?file=1"),
        "/history/file?path=hidden%2Fa.txt".to_owned(),
        "/history".to_owned(),
    ] {
        let seen = desk.get(&address);
        assert!(
            seen.contains("hidden/a.txt") && !seen.contains("secret words"),
            "{address}: {seen}"
        );
    }
    assert_eq!(
        desk.look("/history/lines?path=hidden%2Fa.txt").status,
        StatusCode::NOT_FOUND
    );
}

#[test]
fn the_first_page_of_a_long_history_is_small() {
    let desk = Desk::new();
    for number in 0..200 {
        desk.write(
            &format!("folder/with/a/longer/name/file-{number}.txt"),
            "one\ntwo\n",
        );
    }
    let seen = desk.get("/history");
    assert!(seen.len() < 100_000, "{} bytes", seen.len());
}
