//! Odd messages are answered as over standard input; long and slow ones are rejected.

use std::io::Write as _;
use std::process::Stdio;
use std::time::Instant;

use serde_json::{Value, json};

use crate::client::{Client, Server, answer, folder, lancet};

/// Returns invalid messages, and calls with invalid arguments.
fn odd() -> Vec<Vec<u8>> {
    let call = |arguments: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{{"name":"Read","arguments":{arguments}}}}}"#).into_bytes()
    };
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    vec![
        b"this is no JSON".to_vec(),
        br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"na"#.to_vec(),
        b"\xff\xfe\x00".to_vec(),
        br#"{"hello":1}"#.to_vec(),
        b"[]".to_vec(),
        b"7".to_vec(),
        br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"arguments":{}}}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":7}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":9,"method":"no/such/method"}"#.to_vec(),
        b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\r".to_vec(),
        call("[1]"),
        call("\"{}\""),
        call("null"),
        call("7"),
        call(r#"{"file_path":"a\ud83d"}"#),
        call(&format!(r#"{{"file_path":{deep}}}"#)),
        [br#"{"jsonrpc":"2.0","id":78,"method":"tools/call","params":{"name":"Read","arguments":{"file_path":""#.to_vec(), b"\xed\xa0\xbd".to_vec(), br#""}}}"#.to_vec()].concat(),
        br#"{"jsonrpc":"2.0","id":79,"method":"tools/call","params":{"name":"NoSuchTool","arguments":{}}}"#.to_vec(),
    ]
}

/// Summarizes an answer: id, code of an error, and the text of a result.
fn gist(answer: &Value) -> (Value, Value, Value) {
    let result = &answer["result"];
    (
        answer["id"].clone(),
        answer["error"]["code"].clone(),
        result["content"][0]["text"].clone(),
    )
}

#[test]
fn odd_messages_are_answered_as_over_standard_input() {
    let place = folder();
    let mut command = lancet(&place, &["mcp", "--state-dir", "../state"]);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = piped.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test-client", "version": "1"}}});
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    input
        .write_all(format!("{hello}\n{ready}\n").as_bytes())
        .expect("sent");
    let mut output = std::io::BufReader::new(child.stdout.take().expect("piped"));
    let mut next = || {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut output, &mut line).expect("read");
        serde_json::from_str::<Value>(&line).expect("JSON")
    };
    next();
    let server = Server::start(&[]);
    let client = Client::new(&server, server.bearer());
    let session = format!("Mcp-Session-Id: {}", client.session);
    for message in odd() {
        input
            .write_all(&[message.as_slice(), b"\n"].concat())
            .expect("sent");
        let wanted = gist(&next());
        let given = server
            .post(&[&server.bearer(), &session], &message)
            .message();
        assert_eq!(
            gist(&given),
            wanted,
            "{}",
            String::from_utf8_lossy(&message)
        );
    }
    // Messages that get no answer over standard input are accepted without one.
    for silent in [
        &b"  "[..],
        br#"{"jsonrpc":"1","method":"notifications/cancelled","params":7}"#,
    ] {
        let answer = server.post(&[&server.bearer(), &session], silent);
        assert_eq!((answer.status, answer.body.as_str()), (202, ""));
    }
    drop(input);
    child.wait().expect("it ends");
}

#[test]
fn a_message_beyond_the_limit_is_answered_by_an_error_and_the_next_one_is_read() {
    let server = Server::start(&[]);
    let mut client = Client::new(&server, server.bearer());
    let session = format!("Mcp-Session-Id: {}", client.session);
    let long = vec![b' '; 64 * 1024 * 1024 + 1];
    let answer = server.post(&[&server.bearer(), &session], &long);
    assert_eq!(answer.status, 413, "{}", answer.head);
    let message = answer.message();
    assert_eq!(
        (&message["id"], &message["error"]["code"]),
        (&Value::Null, &json!(-32600))
    );
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    // Without a token not even the length is checked.
    assert_eq!(server.post(&[], &long[..1024 * 1024]).status, 401);
}

#[test]
fn a_message_that_stops_coming_is_given_up() {
    let server = Server::start(&[]);
    let mut stream = server.connect();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\n{}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        server.bearer()
    );
    let began = Instant::now();
    stream.write_all(head.as_bytes()).expect("sent");
    let mut first = [0; 12];
    std::io::Read::read_exact(&mut stream, &mut first).expect("an answer, and no endless wait");
    assert_eq!(&first, b"HTTP/1.1 408", "after {:?}", began.elapsed());
}

#[test]
fn an_id_in_use_is_refused_and_the_first_call_goes_on() {
    let server = Server::start(&[]);
    for number in 0..3000 {
        server.file(&format!("many/{number}.txt"), "text\n");
    }
    let client = Client::new(&server, server.bearer());
    let body = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "Grep", "arguments": {"pattern": "(t+e+x+t+)+$", "path": server.folder.join("project")}}}).to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{}\r\nMcp-Session-Id: {}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.bearer(),
        client.session,
        body.len()
    );
    let mut streams: Vec<_> = (0..8).map(|_| server.connect()).collect();
    for stream in &mut streams {
        stream.write_all(head.as_bytes()).expect("sent");
    }
    let answers: Vec<Value> = streams
        .iter_mut()
        .map(|stream| answer(stream).message())
        .collect();
    let done = answers
        .iter()
        .filter(|answer| answer.get("result").is_some());
    assert!(done.count() >= 1, "{answers:?}");
    for refused in answers
        .iter()
        .filter(|answer| answer.get("result").is_none())
    {
        assert_eq!(
            (&refused["id"], &refused["error"]["code"]),
            (&json!(5), &json!(-32600))
        );
    }
}
