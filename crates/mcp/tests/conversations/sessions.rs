//! The ledger that a call belongs to, and the reports of hosts about their conversations.

use lancet::SessionName;
use lancet_mcp::Options;
use serde_json::{Value, json};
use std::path::Path;

use crate::connection::{Connection, connect, connect_with, refusal, text};

async fn edit(
    connection: &mut Connection,
    path: &Path,
    old: &str,
    new: &str,
    meta: Value,
) -> Value {
    connection
        .call_with(
            "Edit",
            json!({"file_path": path, "old_string": old, "new_string": new}),
            meta,
        )
        .await
}

#[tokio::test]
async fn sessions_named_in_meta_have_ledgers_of_their_own() {
    let mut connection = connect();
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\n");
    connection
        .call_with(
            "Read",
            json!({"file_path": path}),
            json!({"lancet/session": "first"}),
        )
        .await;
    for meta in [
        json!({"lancet/session": "second"}),
        json!({}),
        json!({"agent-session-id": "x"}),
    ] {
        let result = edit(&mut connection, &path, "one", "1", meta.clone()).await;
        assert_eq!(refusal(&result), "not_read", "{meta}");
    }
    let result = edit(
        &mut connection,
        &path,
        "one",
        "1",
        json!({"lancet/session": "first"}),
    )
    .await;
    assert_ne!(result["isError"], true, "{result}");
}

#[tokio::test]
async fn an_agents_own_session_id_is_taken() {
    let mut connection = connect();
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\n");
    connection
        .call_with(
            "Read",
            json!({"file_path": path}),
            json!({"vscode.conversationId": "c1"}),
        )
        .await;
    let other = edit(
        &mut connection,
        &path,
        "one",
        "1",
        json!({"vscode.conversationId": "c2"}),
    )
    .await;
    assert_eq!(refusal(&other), "not_read");
    // The session's name in lancet: the client's name, then the id.
    let same = edit(
        &mut connection,
        &path,
        "one",
        "1",
        json!({"lancet/session": "test-client.c1"}),
    )
    .await;
    assert_ne!(same["isError"], true, "{same}");
}

#[tokio::test]
async fn a_session_given_at_the_start_is_that_of_all_calls() {
    let name = SessionName::new("fixed").expect("a name");
    let options = Options {
        session: Some(name),
        ..Options::default()
    };
    let mut connection = connect_with(|builder| builder, options);
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\n");
    connection
        .call_with(
            "Read",
            json!({"file_path": path}),
            json!({"lancet/session": "a"}),
        )
        .await;
    let result = edit(
        &mut connection,
        &path,
        "one",
        "1",
        json!({"lancet/session": "b"}),
    )
    .await;
    assert_ne!(result["isError"], true, "{result}");
}

#[tokio::test]
async fn a_name_that_is_none_is_refused() {
    let mut connection = connect();
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\n");
    for name in ["a b", "../x", &"x".repeat(65)] {
        let result = connection
            .call_with(
                "Read",
                json!({"file_path": path}),
                json!({"lancet/session": name}),
            )
            .await;
        assert_eq!(refusal(&result), "invalid", "{name}");
        assert!(text(&result).contains("lancet/session"), "{result}");
    }
}

#[tokio::test]
async fn what_the_host_showed_counts_as_read_and_anything_else_as_a_partial_view() {
    let mut connection = connect();
    connection.shake_hands().await;
    let whole = connection.write("whole.txt", "one\ntwo\n");
    let partial = connection.write("partial.txt", "one\ntwo\n");
    let seen = json!({"lancet/seen": [
        {"file_path": whole, "text": "one\ntwo\n"},
        {"file_path": partial, "text": "one\n[...]\n"},
        {"file_path": "/no/such/file", "text": "x"},
        7,
    ]});
    let result = edit(&mut connection, &whole, "two", "2", seen).await;
    assert_ne!(result["isError"], true, "{result}");
    let result = edit(&mut connection, &partial, "two", "2", json!({})).await;
    assert_eq!(refusal(&result), "not_read");
}

#[tokio::test]
async fn after_a_shortened_conversation_a_read_answers_with_text() {
    let mut connection = connect();
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\n");
    assert!(connection.read(&path).await.contains("1→one"));
    assert!(!connection.read(&path).await.contains("1→one"), "the stub");
    let other = connection.write("b.txt", "two\n");
    assert!(connection.read(&other).await.contains("1→two"));
    let meta = json!({"lancet/shortened": true});
    let again = connection
        .call_with("Read", json!({"file_path": other}), meta)
        .await;
    assert!(text(&again).contains("1→two"), "{again}");
}

#[tokio::test]
async fn the_environment_names_the_session_until_a_hook_reports_another() {
    let options = Options {
        environment: vec![("CLAUDE_CODE_SESSION_ID".to_owned(), "one".to_owned())],
        agent_process: Some("7:1".to_owned()),
        ..Options::default()
    };
    let mut connection = connect_with(|builder| builder, options);
    connection.shake_hands_as("claude-code", json!({})).await;
    let path = connection.write("a.txt", "one\n");
    connection.call("Read", json!({"file_path": path})).await;
    let meta = json!({"lancet/session": "claude-code.one"});
    let result = edit(&mut connection, &path, "one", "two", meta).await;
    assert_ne!(result["isError"], true, "{result}");
    let hook = lancet::Lancet::builder()
        .root(connection.root())
        .state_dir(connection.folder.path().join("state"));
    let hook = hook.open().expect("opens").history().expect("a history");
    // A session of another agent is not used.
    for (reported, old, new, followed) in [
        ("gemini-cli.x", "two", "three", true),
        ("claude-code.other", "three", "four", false),
        ("claude-code.one", "three", "four", true),
    ] {
        hook.report_session("7:1", reported).expect("kept");
        let result = edit(&mut connection, &path, old, new, json!({})).await;
        assert_eq!(result["isError"] != true, followed, "{reported}: {result}");
    }
}

#[tokio::test]
async fn a_client_with_the_name_of_the_page_is_reviewed_all_the_same() {
    let mut connection = connect();
    connection.shake_hands_as("lancet page", json!({})).await;
    let path = connection.root().join("new.txt");
    let arguments = json!({ "file_path": path, "content": "text\n" });
    let written = connection.call("Write", arguments).await;
    assert_ne!(written["isError"], true, "{written}");
    let folder = connection.leave().await.expect("a good end");
    let lancet = lancet::Lancet::builder()
        .root(folder.join("root"))
        .state_dir(folder.join("state"))
        .open()
        .expect("opened");
    let list = lancet.review().expect("a state folder").list(10);
    assert_eq!(list.expect("read").files.len(), 1);
}

#[tokio::test]
async fn a_connection_tells_the_begin_and_the_end_of_its_session() {
    let mut connection = connect();
    connection.shake_hands_as("agent", json!({})).await;
    let path = connection.write("a.txt", "one\n");
    connection.read(&path).await;
    connection.read(&path).await;
    let folder = connection.leave().await.expect("a good end");
    let lancet = lancet::Lancet::builder()
        .root(folder.join("root"))
        .state_dir(folder.join("state"))
        .open()
        .expect("opened");
    let history = lancet.history().expect("a state folder");
    let mut reader = history
        .events(&lancet::history::EventsSince::Beginning)
        .expect("read")
        .expect("from the beginning");
    let events: Vec<_> = reader
        .next_page()
        .expect("read")
        .iter()
        .map(|event| event.to_json())
        .collect();
    let told: Vec<_> = events
        .iter()
        .map(|event| (&event["event"], &event["state"], &event["client"]))
        .collect();
    let session = |state| (json!("session"), json!(state), json!("agent"));
    let (begun, ended) = (session("begun"), session("ended"));
    assert_eq!(
        told,
        [
            (&begun.0, &begun.1, &begun.2),
            (&ended.0, &ended.1, &ended.2)
        ]
    );
    assert_eq!(
        events[0]["roots"],
        json!([folder.join("root").canonicalize().expect("there")])
    );
}
