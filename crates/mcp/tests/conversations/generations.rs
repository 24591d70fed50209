//! Both generations of the protocol: with a handshake, and with independent requests.

use serde_json::{Value, json};

use crate::connection::{HANDSHAKE, MODERN, connect, data, modern_meta, refusal, text};

#[tokio::test]
async fn a_handshake_introduces_the_server() {
    let mut connection = connect();
    let hello = connection.shake_hands().await;
    assert_eq!(hello["protocolVersion"], HANDSHAKE);
    assert_eq!(hello["serverInfo"]["name"], "lancet");
    assert_eq!(hello["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    // The policy of Codex's sandbox is sent only to a server that requests it.
    let asked = json!({"codex/sandbox-state-meta": {}});
    assert_eq!(
        hello["capabilities"],
        json!({
            "completions": {},
            "resources": {"subscribe": true},
            "tools": {},
            "experimental": asked,
            "extensions": { "io.modelcontextprotocol/tasks": {} }
        })
    );
    assert!(
        hello["instructions"]
            .as_str()
            .expect("instructions")
            .lines()
            .count()
            <= 6
    );
    connection.leave().await.expect("a good end");
}

#[tokio::test]
async fn every_version_with_a_handshake_is_spoken_and_others_are_offered_one() {
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        (HANDSHAKE, HANDSHAKE),
        (MODERN, HANDSHAKE),
        ("1999-01-01", HANDSHAKE),
    ] {
        let mut connection = connect();
        let client = json!({"name": "old", "version": "1"});
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": client});
        let answer = connection.request("initialize", params).await;
        assert_eq!(
            answer["result"]["protocolVersion"], given,
            "asked for {asked}"
        );
    }
}

#[tokio::test]
async fn without_a_handshake_every_request_stands_for_itself() {
    let mut connection = connect();
    let path = connection.write("a.txt", "one\n");
    let list = connection
        .request("tools/list", json!({"_meta": modern_meta()}))
        .await["result"]
        .clone();
    let tools = list["tools"].as_array().expect("a list");
    assert!(tools.iter().any(|tool| tool["name"] == "Edit"), "{list}");
    assert_eq!(list["resultType"], "complete");
    assert!(
        list["ttlMs"].is_u64() && list["cacheScope"].is_string(),
        "{list}"
    );

    let read = connection
        .call_with("Read", json!({"file_path": path}), modern_meta())
        .await;
    assert!(text(&read).contains("1→one"));
    assert_eq!(read["resultType"], "complete");
    // The ledger belongs to the process: the edit knows of the read.
    let arguments = json!({"file_path": path, "old_string": "one", "new_string": "1"});
    let edit = connection.call_with("Edit", arguments, modern_meta()).await;
    assert_eq!(data(&edit)["replacements"], 1, "{edit}");
    let refused = connection
        .call_with("Read", json!({"file_path": "/etc/passwd"}), modern_meta())
        .await;
    assert_eq!(refusal(&refused), "outside");
    connection.leave().await.expect("a good end");
}

#[tokio::test]
async fn a_client_may_ask_first_which_versions_there_are() {
    let mut connection = connect();
    let answer = connection
        .request("server/discover", json!({"_meta": modern_meta()}))
        .await;
    let versions = answer["result"]["supportedVersions"]
        .as_array()
        .expect("versions")
        .clone();
    assert!(
        versions.contains(&json!(MODERN)) && versions.contains(&json!(HANDSHAKE)),
        "{versions:?}"
    );
    assert!(answer["result"]["instructions"].is_string());
    // The conversation can continue in either generation.
    let list = connection
        .request("tools/list", json!({"_meta": modern_meta()}))
        .await;
    assert!(list["result"]["tools"].is_array());
}

#[tokio::test]
async fn a_request_that_says_nothing_of_its_version_is_told_what_is_missing() {
    let mut connection = connect();
    let answer = connection.request("tools/list", json!({})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    // The connection is still open for either generation.
    connection.shake_hands().await;
    assert!(connection.request("tools/list", json!({})).await["result"]["tools"].is_array());
}

#[tokio::test]
async fn a_notification_before_the_first_request_does_not_end_the_server() {
    let mut connection = connect();
    connection
        .send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    connection.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
    let ping: Value = connection.request("ping", json!({})).await;
    assert_eq!(ping["result"], json!({}));
    connection
        .send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    assert_eq!(
        connection.shake_hands().await["serverInfo"]["name"],
        "lancet"
    );
}

#[tokio::test]
async fn a_client_that_leaves_at_once_is_no_error() {
    connect().leave().await.expect("a good end");
}
