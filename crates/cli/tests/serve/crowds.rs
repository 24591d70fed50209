//! The effect of one client on the others: silent connections, rejected requests, calls whose client has left.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::json;

use crate::client::{Client, Server, folder, lancet, text};

/// More connections than there are places for those that have not sent a token.
const SILENT: usize = 300;
/// How many calls of one session there may be.
const CALLS: i64 = 64;

#[test]
fn connections_that_say_nothing_keep_nobody_out() {
    let server = Server::start(&[]);
    let path = server.file("a.txt", "one\n");
    let mut client = Client::new(&server, server.bearer());
    // This connection has sent a token, and stays open.
    client.call_on("Read", json!({"file_path": path}));
    let mut silent: Vec<TcpStream> = (0..SILENT).map(|_| server.connect()).collect();
    let mut newcomer = Client::new(&server, server.bearer());
    let read = newcomer.call("Read", json!({"file_path": path}));
    assert!(text(&read).contains("one"), "{read}");
    let oldest = silent[0].read(&mut [0]);
    assert!(
        oldest.as_ref().map_or(true, |length| *length == 0),
        "it was closed: {oldest:?}"
    );
    let read = client.call_on("Read", json!({"file_path": path, "force": true}));
    assert!(text(&read).contains("one"), "{read}");
}

#[test]
fn a_connection_is_closed_after_a_request_that_was_turned_away() {
    let server = Server::start(&[]);
    for (request, status) in [
        ("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 401),
        ("GET /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
    ] {
        let answer = server.raw(request.as_bytes());
        assert_eq!(answer.status, status, "{answer:?}");
        assert_eq!(answer.header("connection"), Some("close"), "{answer:?}");
    }
}

/// Sends a call that waits for a person, and leaves when it has begun.
fn call_and_leave(server: &Server, session: &str, id: i64) {
    let path = server.folder.join("project").join(format!("{id}.txt"));
    let params = json!({"name": "Write", "arguments": {"file_path": path, "content": "x"}});
    let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    let body = body.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{}\r\nMcp-Session-Id: {session}\r\n\r\n",
        body.len(),
        server.bearer()
    );
    let mut stream = server.connect();
    let sent = [head.as_bytes(), body.as_bytes()].concat();
    stream.write_all(&sent).expect("sent");
    // The head of the answer arrives when the call was passed on.
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).expect("read");
    assert!(line.contains(" 200 "), "{line}");
}

#[test]
fn a_call_whose_client_left_keeps_its_id_and_its_place_until_it_ends() {
    let server = Server::start(&["--mode", "ask"]);
    let client = Client::new(&server, server.bearer());
    for id in 1..=CALLS {
        call_and_leave(&server, &client.session, id);
    }
    let line = format!("Mcp-Session-Id: {}", client.session);
    let lines = [server.bearer(), line];
    let lines = [lines[0].as_str(), lines[1].as_str()];
    let ping = |id: i64| json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string();
    let again = server.post(&lines, ping(CALLS).as_bytes());
    assert_eq!(again.status, 400, "its id is in use: {again:?}");
    let more = server.post(&lines, ping(CALLS + 1).as_bytes());
    assert_eq!(more.status, 429, "{more:?}");
    // Another session has its own places.
    let mut other = Client::new(&server, server.bearer());
    assert!(other.request("ping", json!({}))["error"].is_null());
}

#[test]
fn a_server_that_can_be_reached_beside_its_proxy_says_so() {
    let folder = folder();
    let public = ["--public-url", "https://files.example.org"];
    for (address, is_open) in [("0.0.0.0:0", true), ("127.0.0.1:0", false)] {
        let all = ["serve", "--state-dir", "../state", "--listen", address];
        let mut command = lancet(&folder, &[&all[..], &public].concat());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let said: Vec<String> = lines
            .map_while(Result::ok)
            .take_while(|line| !line.contains("Ctrl-C"))
            .collect();
        let _ = child.kill();
        let _ = child.wait();
        let warns = said.iter().any(|line| line.contains("unencrypted"));
        assert_eq!(warns, is_open, "{said:?}");
    }
}
