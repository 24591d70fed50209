//! Both generations of the protocol: with a handshake, and with each request standing for itself.

use serde_json::{Value, json};

use crate::stage::{HANDSHAKE, MODERN, data, modern_meta, refusal, stage, text};

#[tokio::test]
async fn a_handshake_introduces_the_server() {
    let mut stage = stage();
    let hello = stage.shake_hands().await;
    assert_eq!(hello["protocolVersion"], HANDSHAKE);
    assert_eq!(hello["serverInfo"]["name"], "lancet");
    assert_eq!(hello["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(hello["capabilities"], json!({"tools": {}}));
    assert!(
        hello["instructions"]
            .as_str()
            .expect("instructions")
            .lines()
            .count()
            <= 6
    );
    stage.leave().await.expect("a good end");
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
        let mut stage = stage();
        let client = json!({"name": "old", "version": "1"});
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": client});
        let answer = stage.request("initialize", params).await;
        assert_eq!(
            answer["result"]["protocolVersion"], given,
            "asked for {asked}"
        );
    }
}

#[tokio::test]
async fn without_a_handshake_every_request_stands_for_itself() {
    let mut stage = stage();
    let path = stage.write("a.txt", "one\n");
    let list = stage
        .request("tools/list", json!({"_meta": modern_meta()}))
        .await["result"]
        .clone();
    assert_eq!(list["tools"].as_array().expect("a list").len(), 6);
    assert_eq!(list["resultType"], "complete");
    assert!(
        list["ttlMs"].is_u64() && list["cacheScope"].is_string(),
        "{list}"
    );

    let read = stage
        .call_with("Read", json!({"file_path": path}), modern_meta())
        .await;
    assert!(text(&read).contains("1→one"));
    assert_eq!(read["resultType"], "complete");
    // The ledger is the process's: the edit knows of the read.
    let arguments = json!({"file_path": path, "old_string": "one", "new_string": "1"});
    let edit = stage.call_with("Edit", arguments, modern_meta()).await;
    assert_eq!(data(&edit)["replacements"], 1, "{edit}");
    let refused = stage
        .call_with("Read", json!({"file_path": "/etc/passwd"}), modern_meta())
        .await;
    assert_eq!(refusal(&refused), "outside");
    stage.leave().await.expect("a good end");
}

#[tokio::test]
async fn a_client_may_ask_first_which_versions_there_are() {
    let mut stage = stage();
    let answer = stage
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
    // And then go on either way.
    let list = stage
        .request("tools/list", json!({"_meta": modern_meta()}))
        .await;
    assert!(list["result"]["tools"].is_array());
}

#[tokio::test]
async fn a_request_that_says_nothing_of_its_version_is_told_what_is_missing() {
    let mut stage = stage();
    let answer = stage.request("tools/list", json!({})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    // The connection is still open for either way.
    stage.shake_hands().await;
    assert!(stage.request("tools/list", json!({})).await["result"]["tools"].is_array());
}

#[tokio::test]
async fn a_notification_before_the_first_request_does_not_end_the_server() {
    let mut stage = stage();
    stage
        .send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    stage.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
    let ping: Value = stage.request("ping", json!({})).await;
    assert_eq!(ping["result"], json!({}));
    stage
        .send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    assert_eq!(stage.shake_hands().await["serverInfo"]["name"], "lancet");
}

#[tokio::test]
async fn a_client_that_leaves_at_once_is_no_error() {
    stage().leave().await.expect("a good end");
}
