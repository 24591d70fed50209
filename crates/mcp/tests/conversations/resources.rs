//! Files as resources: found by a template, read under the policy, completed, and subscribed to.

use std::fs;
use std::path::Path;

use lancet_mcp::Options;
use serde_json::{Value, json};

use crate::connection::{Connection, connect, connect_with, modern_meta, refusal};

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Reads a resource and returns the first of its contents.
async fn read(connection: &mut Connection, uri: &str) -> Value {
    let answer = connection
        .request("resources/read", json!({"uri": uri}))
        .await;
    answer["result"]["contents"][0].clone()
}

#[tokio::test]
async fn there_is_one_template_and_nothing_listed() {
    let mut connection = connect();
    let hello = connection.shake_hands().await;
    assert_eq!(
        hello["capabilities"]["resources"],
        json!({"subscribe": true})
    );
    assert_eq!(hello["capabilities"]["completions"], json!({}));
    let templates = connection
        .request("resources/templates/list", json!({}))
        .await;
    let templates = templates["result"]["resourceTemplates"]
        .as_array()
        .expect("a list")
        .clone();
    assert_eq!(templates.len(), 1);
    assert_eq!(templates[0]["uriTemplate"], "file:///{path}");
    let listed = connection.request("resources/list", json!({})).await;
    assert_eq!(listed["result"]["resources"], json!([]));
}

#[tokio::test]
async fn a_file_is_read_whole_and_does_not_count_as_seen() {
    let mut connection = connect();
    connection.shake_hands().await;
    let path = connection.write("a b.txt", "one\ntwo\n");
    let spelled = uri(&path).replace(' ', "%20");
    let content = read(&mut connection, &spelled).await;
    assert_eq!(content["text"], "one\ntwo\n");
    assert_eq!(content["mimeType"], "text/plain");
    assert_eq!(content["uri"], spelled);
    let edit = json!({"file_path": path, "old_string": "one", "new_string": "1"});
    let edited = connection.call("Edit", edit).await;
    assert_eq!(refusal(&edited), "not_read");

    let picture = connection.path("dot.png");
    fs::write(&picture, b"\x89PNG\r\n\x1a\n\0\0").expect("written");
    let content = read(&mut connection, &uri(&picture)).await;
    assert_eq!(content["mimeType"], "image/png");
    assert_eq!(content["blob"], "iVBORw0KGgoAAA==");
    let long = connection.write("long.txt", &"0123456789\n".repeat(3_000));
    let answer = connection
        .request("resources/read", json!({"uri": uri(&long)}))
        .await;
    let words = answer["error"]["message"]
        .as_str()
        .expect("an error")
        .to_owned();
    assert!(words.contains("Read"), "{words}");
}

#[tokio::test]
async fn a_file_that_may_not_be_read_is_answered_like_one_that_is_not_there() {
    let denied = |builder: lancet::Builder| builder.deny("Read(hidden.txt)");
    let mut connection = connect_with(denied, Options::default());
    connection.shake_hands().await;
    let hidden = [
        connection.write("hidden.txt", "secret"),
        connection.write(".env", "TOKEN=1"),
        connection.path("missing.txt"),
        connection.root(),
        "/etc/passwd".into(),
    ];
    let mut answers = Vec::new();
    for path in &hidden {
        for method in ["resources/read", "resources/subscribe"] {
            if method == "resources/subscribe" && !path.ends_with("hidden.txt") {
                continue;
            }
            let answer = connection.request(method, json!({"uri": uri(path)})).await;
            assert!(answer["result"].is_null(), "{answer}");
            answers.push(answer["error"].clone());
        }
    }
    assert!(
        answers.iter().all(|answer| *answer == answers[0]),
        "{answers:?}"
    );
    assert!(!answers[0].to_string().contains("hidden"), "{}", answers[0]);
}

#[tokio::test]
async fn paths_are_completed_as_a_search_would_list_them() {
    let denied = |builder: lancet::Builder| builder.deny("Read(src/hidden.rs)");
    let mut connection = connect_with(denied, Options::default());
    connection.shake_hands().await;
    for name in [
        "src/main.rs",
        "src/hidden.rs",
        "src/deep/more.rs",
        "srcs.txt",
        "other",
    ] {
        connection.write(name, "text\n");
    }
    connection.write("src/made.o", "text\n");
    connection.write(".ignore", "*.o\n");
    let root = connection.root().display().to_string();
    let typed = format!("{}/sr", root.trim_start_matches('/'));
    let mut complete = async |value: &str| -> Vec<String> {
        let argument = json!({"name": "path", "value": value});
        let reference = json!({"type": "ref/resource", "uri": "file:///{path}"});
        let params = json!({"ref": reference, "argument": argument});
        let answer = connection.request("completion/complete", params).await;
        let values = answer["result"]["completion"]["values"]
            .as_array()
            .expect("a list");
        values
            .iter()
            .map(|value| value.as_str().expect("text").to_owned())
            .collect()
    };
    let begin = root.trim_start_matches('/');
    let expected = ["srcs.txt", "src/main.rs", "src/deep/more.rs"];
    let expected = expected.map(|name| format!("{begin}/{name}"));
    assert_eq!(complete(&typed).await, expected);
    assert_eq!(complete(&format!("{typed}x")).await, Vec::<String>::new());
    assert_eq!(
        complete(&begin[..3]).await,
        [begin],
        "above the root, the root"
    );
}

#[tokio::test]
async fn a_subscriber_is_told_however_a_file_changes() {
    let mut connection = connect();
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\n");
    let uri = uri(&path);
    let answer = connection
        .request("resources/subscribe", json!({"uri": uri}))
        .await;
    assert_eq!(answer["result"], json!({}), "{answer}");
    fs::write(&path, "two\n").expect("written");
    assert_updated(&connection.receive().await, &uri);
    let new = connection.write("new.txt", "three\n");
    fs::rename(&new, &path).expect("renamed");
    assert_updated(&connection.receive().await, &uri);
    fs::remove_file(&path).expect("removed");
    assert_updated(&connection.receive().await, &uri);
    let other = connection.write("b.txt", "not subscribed\n");
    let ended = connection
        .request("resources/unsubscribe", json!({"uri": uri}))
        .await;
    assert_eq!(ended["result"], json!({}), "{ended}");
    fs::write(&path, "four\n").expect("written");
    // The next message is the answer to this, and nothing about the file.
    connection.read(&other).await;
}

fn assert_updated(message: &Value, uri: &str) {
    assert_eq!(
        message["method"], "notifications/resources/updated",
        "{message}"
    );
    assert_eq!(message["params"]["uri"], uri, "{message}");
}

#[tokio::test]
async fn a_client_of_the_second_generation_listens() {
    let mut connection = connect();
    let path = connection.write("a.txt", "one\n");
    let uri = uri(&path);
    let wanted = json!({"resourceSubscriptions": [uri]});
    let params = json!({"notifications": wanted, "_meta": modern_meta()});
    connection.ask("subscriptions/listen", params).await;
    let accepted = connection.receive().await;
    let named = accepted.to_string();
    assert!(named.contains("a.txt"), "{named}");
    // The watch begins after that message. A change before it is seen by a later read of the file.
    let mut number = 0;
    let told = loop {
        number += 1;
        fs::write(&path, format!("{number}\n")).expect("written");
        let waited =
            tokio::time::timeout(std::time::Duration::from_millis(200), connection.receive());
        if let Ok(told) = waited.await {
            break told;
        }
    };
    assert_updated(&told, &uri);
}
