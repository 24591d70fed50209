//! Messages that are too long, broken or none at all: each is answered and none ends the server.

use lancet_mcp::Options;
use serde_json::{Value, json};

use crate::connection::{connect, connect_with, refusal, text};

#[tokio::test]
async fn lines_that_are_no_message_are_answered_and_the_next_one_is_read() {
    let mut connection = connect();
    connection.shake_hands().await;
    for (line, code) in [
        (&b"this is no JSON\n"[..], -32700),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"na\n",
            -32700,
        ),
        (b"\xff\xfe\x00\n", -32700),
        (b"{\"hello\":1}\n", -32600),
        (
            b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n",
            -32600,
        ),
    ] {
        connection.send_raw(line).await;
        let answer = connection.receive().await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&Value::Null, &json!(code)),
            "{answer}"
        );
    }
    connection.send_raw(b"\n\r\n   \n").await;
    assert_eq!(
        connection.request("ping", json!({})).await["result"],
        json!({})
    );
}

#[tokio::test]
async fn broken_lines_before_the_handshake_do_not_end_the_server() {
    let mut connection = connect();
    connection.send_raw(b"hello?\n").await;
    assert_eq!(connection.receive().await["error"]["code"], -32700);
    assert_eq!(
        connection.shake_hands().await["serverInfo"]["name"],
        "lancet"
    );
}

#[tokio::test]
async fn half_a_surrogate_pair_is_refused_under_the_calls_own_id() {
    let mut connection = connect();
    connection.shake_hands().await;
    let path = connection.path("new.txt");
    let escaped = format!(
        r#"{{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{{"name":"Write","arguments":{{"file_path":{},"content":"a\ud83d"}}}}}}"#,
        json!(path)
    );
    let raw = [
        br#"{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"Write","arguments":{"content":""#.to_vec(),
        b"\xed\xa0\xbd".to_vec(),
        br#""}}}"#.to_vec(),
    ]
    .concat();
    for line in [escaped.into_bytes(), raw] {
        connection.send_raw(&line).await;
        connection.send_raw(b"\n").await;
        let answer = connection.receive().await;
        assert_eq!(answer["id"], 77, "{answer}");
        assert_eq!(refusal(&answer["result"]), "invalid");
        assert!(
            text(&answer["result"]).contains("send the call again"),
            "{answer}"
        );
    }
    assert!(!path.exists());
    // A whole pair is one character.
    let whole = format!(
        r#"{{"jsonrpc":"2.0","id":78,"method":"tools/call","params":{{"name":"Write","arguments":{{"file_path":{},"content":"\ud83d\ude00\n"}}}}}}"#,
        json!(path)
    );
    connection.send_raw(whole.as_bytes()).await;
    connection.send_raw(b"\n").await;
    assert_eq!(connection.receive().await["id"], 78);
    assert_eq!(
        std::fs::read_to_string(&path).expect("written"),
        "\u{1f600}\n"
    );
}

#[tokio::test]
async fn an_overlong_message_is_answered_without_id_and_the_next_one_is_read() {
    let options = Options {
        message_limit: 100_000,
        ..Options::default()
    };
    let mut connection = connect_with(|builder| builder, options);
    connection.shake_hands().await;
    let path = connection.path("new.txt");
    let long = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "Write",
        "arguments": {"file_path": path, "content": "x".repeat(300_000)}}});
    connection.send(long).await;
    let answer = connection.receive().await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&Value::Null, &json!(-32600)),
        "{answer}"
    );
    assert!(
        answer["error"]["message"]
            .as_str()
            .expect("words")
            .contains("100000 bytes"),
        "{answer}"
    );
    assert!(!path.exists());
    assert_eq!(
        connection.request("ping", json!({})).await["result"],
        json!({})
    );
}

#[tokio::test]
async fn a_message_of_many_megabytes_is_taken() {
    let mut connection = connect();
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\n");
    // Over the protocol library's own limit of 16 MiB.
    let meta = json!({"padding": "x".repeat(17 * 1024 * 1024)});
    let read = connection
        .call_with("Read", json!({"file_path": path}), meta)
        .await;
    assert!(text(&read).contains("1→one"), "{read}");
}
