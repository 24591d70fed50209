//! Several agents at one server: one engine, and a separate record for each.

use std::io::{BufRead as _, BufReader, Write as _};

use lancet_testing::folder::put;
use serde_json::{Value, json};

use crate::client::{Client, Server, alone, folder, refusal, text};

#[test]
fn each_session_has_its_own_record_of_what_was_read() {
    let server = Server::start(&[]);
    let path = server.file("a.txt", "one\n");
    let edit =
        |from: &str, to: &str| json!({"file_path": path, "old_string": from, "new_string": to});
    let mut first = Client::new(&server, server.bearer());
    let mut second = Client::new(&server, server.bearer());
    first.call("Read", json!({"file_path": path}));
    assert_eq!(
        refusal(&second.call("Edit", edit("one", "two"))),
        "not_read"
    );
    assert_ne!(first.call("Edit", edit("one", "two"))["isError"], true);
    assert_eq!(server.text("a.txt"), "two\n");
    // The second agent has not seen what the first one wrote.
    second.call("Read", json!({"file_path": path}));
    assert_ne!(second.call("Edit", edit("two", "three"))["isError"], true);
    let stale = first.call("Edit", edit("two", "four"));
    assert_eq!(stale["isError"], true, "{stale}");
    assert_eq!(server.text("a.txt"), "three\n");
}

#[test]
fn a_call_without_a_session_needs_the_revision_and_says_so() {
    let server = Server::start(&[]);
    let path = server.file("a.txt", "one\n");
    let bearer = server.bearer();
    let call = |tool: &str, arguments, meta| {
        alone(
            &server,
            &bearer,
            json!({"name": tool, "arguments": arguments}),
            meta,
        )
    };
    let read = text(&call("Read", json!({"file_path": path}), json!({})));
    let edit = json!({"file_path": path, "old_string": "one", "new_string": "two"});
    let refused = call("Edit", edit.clone(), json!({}));
    assert_eq!(refusal(&refused), "not_read");
    assert!(
        text(&refused).contains("without a session") && text(&refused).contains("`revision`"),
        "{refused}"
    );
    let revision = read
        .split("revision ")
        .nth(1)
        .expect("a revision")
        .trim_end_matches(']');
    let mut held = edit.clone();
    held["revision"] = json!(revision);
    let done = call("Edit", held, json!({}));
    assert_ne!(done["isError"], true, "{done}");
    assert_eq!(server.text("a.txt"), "two\n");
    // A session that the host names lasts from call to call.
    let named = json!({"lancet/session": "mine"});
    call("Read", json!({"file_path": path}), named.clone());
    let edit = json!({"file_path": path, "old_string": "two", "new_string": "three"});
    assert_eq!(
        refusal(&call(
            "Edit",
            edit.clone(),
            json!({"lancet/session": "other"})
        )),
        "not_read"
    );
    let done = call("Edit", edit, named);
    assert_ne!(done["isError"], true, "{done}");
    assert_eq!(server.text("a.txt"), "three\n");
}

#[test]
fn a_session_that_is_closed_is_gone_and_others_stay() {
    let server = Server::start(&[]);
    let mut first = Client::new(&server, server.bearer());
    let mut second = Client::new(&server, server.bearer());
    let line = format!("Mcp-Session-Id: {}", first.session);
    let closed = server.request("DELETE", "/mcp", &[&server.bearer(), &line], b"");
    assert!(matches!(closed.status, 200..=204), "{closed:?}");
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(server.post(&[&server.bearer(), &line], ping).status, 404);
    assert_eq!(second.request("ping", json!({}))["result"], json!({}));
    first = Client::new(&server, server.bearer());
    assert_eq!(first.request("ping", json!({}))["result"], json!({}));
    let unknown = "Mcp-Session-Id: 00000000-0000-4000-8000-000000000000";
    assert_eq!(server.post(&[&server.bearer(), unknown], ping).status, 404);
}

#[test]
fn by_default_writes_are_asked_about_and_wait_for_a_person() {
    let place = folder();
    let settings = place.join("home/.config/lancet/lancet.toml");
    put(&settings, "[ask]\npatience = \"1s\"\n");
    let server = Server::start_in(place, &["--mode", "ask"]);
    let path = server.folder.join("project").join("new.txt");
    let mut client = Client::new(&server, server.bearer());
    let refused = client.call("Write", json!({"file_path": path, "content": "x\n"}));
    assert_eq!(
        refusal(&refused),
        "waiting",
        "this client cannot ask its user"
    );
    assert!(!path.exists());
}

#[test]
fn what_happens_is_told_line_by_line_to_either_token() {
    let mut server = Server::start(&[]);
    assert_eq!(
        server.request("GET", "/events?since=0", &[], b"").status,
        401
    );
    let wrong = server.request("GET", "/events?since=x", &[&server.reader()], b"");
    assert_eq!(wrong.status, 400);
    let listen = |authorization: &str| {
        let mut stream = server.connect();
        let head =
            format!("GET /events?since=0 HTTP/1.1\r\nHost: localhost\r\n{authorization}\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("sent");
        BufReader::new(stream).lines()
    };
    let streams = [listen(&server.reader()), listen(&server.bearer())];
    let path = server.folder.join("project").join("new.txt");
    let mut client = Client::new(&server, server.bearer());
    client.call("Write", json!({"file_path": path, "content": "x\n"}));
    for mut lines in streams {
        let told = lines.find_map(|line| {
            let event: Value = serde_json::from_str(&line.expect("a line")).ok()?;
            (event["event"] == "changed").then_some(event)
        });
        let told = told.expect("the change is told");
        assert_eq!(told["path"], json!(path), "{told}");
        assert!(told["seq"].as_i64() > Some(0), "{told}");
    }
    // An open listening stream does not delay the end.
    let _listening = listen(&server.bearer());
    assert_eq!(server.end("-TERM"), 0);
}
