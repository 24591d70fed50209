//! A search over the wire: the progress that is reported, and that it stops when its result is no longer wanted.

use std::path::Path;
use std::time::Duration;

use lancet::Settings;
use lancet_mcp::Options;
use serde_json::json;

use crate::connection::connect_with;

/// Reports whether threads of a search exist; no other test here has any.
fn is_searching() -> bool {
    let tasks = Path::new("/proc/self/task").read_dir().expect("on Linux");
    tasks.filter_map(Result::ok).any(|task| {
        std::fs::read_to_string(task.path().join("comm"))
            .is_ok_and(|name| name == "lancet-search\n")
    })
}

#[tokio::test]
async fn a_search_tells_how_far_it_is_and_stops_when_it_is_cancelled() {
    let mut settings = Settings::default();
    settings.search.time_budget = 600_000;
    let mut connection = connect_with(|builder| builder.settings(settings), Options::default());
    connection.shake_hands().await;
    // One line of which every word is a match: this takes longer than a call may.
    connection.write("line.txt", &"some words ".repeat(1 << 20));
    for number in 0..3 {
        connection.write(&format!("small{number}.txt"), "a word\n");
    }
    let arguments = json!({"pattern": r"\s", "multiline": true, "path": connection.root()});
    let params = json!({"name": "Grep", "arguments": arguments, "_meta": {"progressToken": "p"}});
    let id = connection.ask("tools/call", params).await;
    let news = connection.receive().await;
    assert_eq!(news["method"], "notifications/progress", "{news}");
    let words = news["params"]["message"].as_str().expect("words");
    assert!(
        words.starts_with("Grep: ") && words.contains(" looked at, "),
        "{words}"
    );
    connection
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}))
        .await;
    // Half of the call's own time limit. The search does not end by itself before that.
    for _ in 0..300 {
        if !is_searching() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(!is_searching(), "the search goes on");
}
