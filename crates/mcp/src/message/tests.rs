//! Lines as clients, good and bad, send them.

use rmcp::model::GetExtensions;

use super::*;

fn parse_fault(line: &[u8]) -> (i64, Value) {
    let ParsedLine::Fault(fault) = parse_line(line) else {
        panic!("no fault: {}", String::from_utf8_lossy(line));
    };
    let answer: Value = serde_json::from_slice(&fault.to_json_line()).expect("JSON");
    assert_eq!(answer["jsonrpc"], "2.0");
    assert!(
        answer.get("id").is_some(),
        "an id, null where it is not known"
    );
    (
        answer["error"]["code"].as_i64().expect("a code"),
        answer["id"].clone(),
    )
}

fn parse_tool_call(line: &[u8]) -> CallToolRequest {
    let ParsedLine::Message(message) = parse_line(line) else {
        panic!("no message: {}", String::from_utf8_lossy(line));
    };
    match *message {
        JsonRpcMessage::Request(request) => match request.request {
            ClientRequest::CallToolRequest(call) => call,
            other => panic!("no call: {other:?}"),
        },
        other => panic!("no request: {other:?}"),
    }
}

#[test]
fn invalid_json_is_a_parse_error_without_id() {
    for line in [
        &b"not json"[..],
        b"{\"jsonrpc\":\"2.0\",\"id\":1,",
        b"{\"a\":\"\\ud800",
        b"\xff\xfe",
    ] {
        assert_eq!(
            parse_fault(line),
            (-32700, Value::Null),
            "{}",
            String::from_utf8_lossy(line)
        );
    }
}

#[test]
fn json_without_message_is_an_invalid_request() {
    for line in [
        &b"[]"[..],
        b"7",
        b"\"x\"",
        b"{}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"tools/list\"}",
    ] {
        assert_eq!(
            parse_fault(line),
            (-32600, Value::Null),
            "{}",
            String::from_utf8_lossy(line)
        );
    }
}

#[test]
fn ignores_blank_lines_and_unreadable_notifications() {
    for line in [
        &b""[..],
        b"\r",
        b"  ",
        b"{\"jsonrpc\":\"1\",\"method\":\"notifications/cancelled\",\"params\":7}",
    ] {
        assert!(
            matches!(parse_line(line), ParsedLine::Nothing),
            "{}",
            String::from_utf8_lossy(line)
        );
    }
}

#[test]
fn call_keeps_arguments_and_meta() {
    let line = br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"Edit","arguments":{"z":1,"a":"2"},"_meta":{"progressToken":4,"x":true}}}"#;
    let call = parse_tool_call(line);
    assert_eq!(call.params.name, "Edit");
    assert_eq!(
        serde_json::to_string(&call.params.arguments).expect("JSON"),
        r#"{"z":1,"a":"2"}"#
    );
    let meta = call
        .extensions()
        .get::<RequestMetaObject>()
        .expect("its meta");
    assert_eq!(meta.get("x"), Some(&Value::Bool(true)));
    assert!(meta.get_progress_token().is_some());
    assert!(call.extensions().get::<UnreadableArguments>().is_none());
}

#[test]
fn passes_on_arguments_that_are_not_an_object() {
    for (sent, wanted) in [
        ("[1]", json!([1])),
        ("\"{}\"", json!("{}")),
        ("7", json!(7)),
    ] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"Read","arguments":{sent}}}}}"#
        );
        let call = parse_tool_call(line.as_bytes());
        assert_eq!(call.params.arguments, None);
        assert_eq!(
            *call.extensions().get::<OtherArguments>().expect("kept").0,
            wanted
        );
    }
    for line in [
        &br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Read"}}"#[..],
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Read","arguments":null}}"#,
    ] {
        let call = parse_tool_call(line);
        assert!(call.params.arguments.is_none() && call.extensions().get::<OtherArguments>().is_none());
    }
}

#[test]
fn lone_surrogate_is_reported_to_its_call() {
    let escaped = br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"Write","arguments":{"content":"\ud83d"}}}"#;
    let call = parse_tool_call(escaped);
    assert_eq!(call.params.name, "Write");
    let reason = call
        .extensions()
        .get::<UnreadableArguments>()
        .expect("unreadable");
    assert!(reason.0.contains("surrogate"), "{}", reason.0);

    let mut bytes = br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"Write","arguments":{"content":""#.to_vec();
    bytes.extend_from_slice(b"\xed\xa0\xbd\"}}}");
    let call = parse_tool_call(&bytes);
    assert!(
        call.extensions()
            .get::<UnreadableArguments>()
            .expect("unreadable")
            .0
            .contains("UTF-8")
    );
}

#[test]
fn call_with_unreadable_arguments_keeps_its_session() {
    let line = br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"Write","arguments":{"content":"\ud83d"},"_meta":{"lancet/session":"s1"}}}"#;
    let call = parse_tool_call(line);
    assert!(call.extensions().get::<UnreadableArguments>().is_some());
    let meta = call.extensions().get::<RequestMetaObject>().expect("meta");
    assert_eq!(meta["lancet/session"], "s1");
}

#[test]
fn too_deeply_nested_arguments_are_reported_to_the_call() {
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"Edit","arguments":{{"edits":{deep}}}}}}}"#
    );
    let call = parse_tool_call(line.as_bytes());
    assert!(
        call.extensions()
            .get::<UnreadableArguments>()
            .expect("unreadable")
            .0
            .contains("deep")
    );
}

#[test]
fn call_without_tool_name_is_refused_with_its_id() {
    for parameters in [
        "{}",
        "[]",
        "{\"name\":7}",
        "null",
        "{\"name\":\"Read\",\"_meta\":3}",
    ] {
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{parameters}}}"#);
        assert_eq!(
            parse_fault(line.as_bytes()),
            (-32602, json!("q")),
            "{parameters}"
        );
    }
}

#[test]
fn other_requests_are_passed_to_the_library() {
    for method in ["tools/list", "initialize", "ping", "no/such"] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"a","version":"1"}}}}}}"#
        );
        assert!(
            matches!(parse_line(line.as_bytes()), ParsedLine::Message(_)),
            "{method}"
        );
    }
    assert_eq!(parse_fault(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":\"\xff\"}}"), (-32700, json!(3)));
}

#[test]
fn strips_byte_order_mark_and_carriage_return() {
    let line = b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r";
    assert!(matches!(parse_line(line), ParsedLine::Message(_)));
}
