//! Lines as clients, good and bad, send them.

use rmcp::model::GetExtensions;

use super::*;

fn fault(line: &[u8]) -> (i64, Value) {
    let Received::Fault(fault) = read(line) else {
        panic!("no fault: {}", String::from_utf8_lossy(line));
    };
    let answer: Value = serde_json::from_slice(&fault.line()).expect("JSON");
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

fn called(line: &[u8]) -> CallToolRequest {
    let Received::Message(message) = read(line) else {
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
fn what_is_no_json_is_a_parse_error_without_id() {
    for line in [
        &b"not json"[..],
        b"{\"jsonrpc\":\"2.0\",\"id\":1,",
        b"{\"a\":\"\\ud800",
        b"\xff\xfe",
    ] {
        assert_eq!(
            fault(line),
            (-32700, Value::Null),
            "{}",
            String::from_utf8_lossy(line)
        );
    }
}

#[test]
fn what_is_json_but_no_message_is_an_invalid_request() {
    for line in [
        &b"[]"[..],
        b"7",
        b"\"x\"",
        b"{}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"tools/list\"}",
    ] {
        assert_eq!(
            fault(line),
            (-32600, Value::Null),
            "{}",
            String::from_utf8_lossy(line)
        );
    }
}

#[test]
fn blank_lines_and_unreadable_notifications_want_no_answer() {
    for line in [
        &b""[..],
        b"\r",
        b"  ",
        b"{\"jsonrpc\":\"1\",\"method\":\"notifications/cancelled\",\"params\":7}",
    ] {
        assert!(
            matches!(read(line), Received::Nothing),
            "{}",
            String::from_utf8_lossy(line)
        );
    }
}

#[test]
fn a_call_keeps_its_arguments_and_its_meta() {
    let line = br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"Edit","arguments":{"z":1,"a":"2"},"_meta":{"progressToken":4,"x":true}}}"#;
    let call = called(line);
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
    assert!(call.extensions().get::<Unreadable>().is_none());
}

#[test]
fn arguments_that_are_no_object_are_passed_on() {
    for (sent, wanted) in [
        ("[1]", json!([1])),
        ("\"{}\"", json!("{}")),
        ("7", json!(7)),
    ] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"Read","arguments":{sent}}}}}"#
        );
        let call = called(line.as_bytes());
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
        let call = called(line);
        assert!(call.params.arguments.is_none() && call.extensions().get::<OtherArguments>().is_none());
    }
}

#[test]
fn half_a_surrogate_pair_is_told_to_the_call_it_came_with() {
    let escaped = br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"Write","arguments":{"content":"\ud83d"}}}"#;
    let call = called(escaped);
    assert_eq!(call.params.name, "Write");
    let reason = call.extensions().get::<Unreadable>().expect("unreadable");
    assert!(reason.0.contains("surrogate"), "{}", reason.0);

    let mut bytes = br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"Write","arguments":{"content":""#.to_vec();
    bytes.extend_from_slice(b"\xed\xa0\xbd\"}}}");
    let call = called(&bytes);
    assert!(
        call.extensions()
            .get::<Unreadable>()
            .expect("unreadable")
            .0
            .contains("UTF-8")
    );
}

#[test]
fn unreadable_arguments_leave_the_session_of_the_call_known() {
    let line = br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"Write","arguments":{"content":"\ud83d"},"_meta":{"lancet/session":"s1"}}}"#;
    let call = called(line);
    assert!(call.extensions().get::<Unreadable>().is_some());
    let meta = call.extensions().get::<RequestMetaObject>().expect("meta");
    assert_eq!(meta["lancet/session"], "s1");
}

#[test]
fn arguments_nested_too_deeply_are_told_to_the_call() {
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"Edit","arguments":{{"edits":{deep}}}}}}}"#
    );
    let call = called(line.as_bytes());
    assert!(
        call.extensions()
            .get::<Unreadable>()
            .expect("unreadable")
            .0
            .contains("deep")
    );
}

#[test]
fn a_call_without_a_name_is_told_so_under_its_id() {
    for parameters in [
        "{}",
        "[]",
        "{\"name\":7}",
        "null",
        "{\"name\":\"Read\",\"_meta\":3}",
    ] {
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{parameters}}}"#);
        assert_eq!(fault(line.as_bytes()), (-32602, json!("q")), "{parameters}");
    }
}

#[test]
fn other_requests_are_the_librarys() {
    for method in ["tools/list", "initialize", "ping", "no/such"] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"a","version":"1"}}}}}}"#
        );
        assert!(
            matches!(read(line.as_bytes()), Received::Message(_)),
            "{method}"
        );
    }
    assert_eq!(fault(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":\"\xff\"}}"), (-32700, json!(3)));
}

#[test]
fn a_byte_order_mark_and_a_carriage_return_are_no_part_of_a_line() {
    let line = b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r";
    assert!(matches!(read(line), Received::Message(_)));
}
