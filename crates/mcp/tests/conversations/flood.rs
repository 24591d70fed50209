//! A client that sends and does not read, and one that uses an id twice.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::connection::{connect, data};

#[tokio::test]
async fn a_client_that_does_not_read_is_not_read_from() {
    let mut connection = connect();
    connection.shake_hands().await;
    let path = connection.write("a.txt", &"a line of some length\n".repeat(1_000));
    let mut sent = 0;
    // Each request is small and each answer is large: a server that goes on reading would take all of them.
    for id in 0..20_000 {
        let arguments = json!({"file_path": path, "force": true});
        let call = json!({"jsonrpc": "2.0", "id": format!("r{id}"), "method": "tools/call",
            "params": {"name": "Read", "arguments": arguments}});
        if timeout(Duration::from_secs(2), connection.send(call))
            .await
            .is_err()
        {
            break;
        }
        sent += 1;
    }
    assert!(
        sent < 3_000,
        "{sent} requests were taken in without an answer having been read"
    );
}

#[tokio::test]
async fn lines_that_are_no_message_are_bounded_as_well() {
    let mut connection = connect();
    connection.shake_hands().await;
    let mut sent = 0;
    for _ in 0..200_000 {
        if timeout(Duration::from_secs(2), connection.send_raw(b"{}\n"))
            .await
            .is_err()
        {
            break;
        }
        sent += 1;
    }
    assert!(
        sent < 100_000,
        "{sent} lines were taken in without an answer having been read"
    );
}

#[tokio::test]
async fn a_second_request_under_an_id_in_use_is_not_carried_out() {
    let mut connection = connect();
    connection.shake_hands().await;
    let call = |name: &str| {
        json!({"jsonrpc": "2.0", "id": "same", "method": "tools/call",
            "params": {"name": "Write", "arguments": {"file_path": name, "content": "x\n"}}})
    };
    let (first, second) = (connection.path("first.txt"), connection.path("second.txt"));
    let both = [&first, &second].map(|path| format!("{}\n", call(&path.to_string_lossy())));
    connection.send_raw(both.concat().as_bytes()).await;
    let answers: [Value; 2] = [connection.receive().await, connection.receive().await];
    assert!(answers.iter().all(|answer| answer["id"] == "same"));
    let fault = answers
        .iter()
        .find(|answer| answer.get("error").is_some())
        .expect("a fault");
    assert_eq!(fault["error"]["code"], -32600);
    let done = answers
        .iter()
        .find(|answer| answer.get("result").is_some())
        .expect("a result");
    assert_eq!(data(&done["result"])["type"], "create");
    assert!(first.exists() && !second.exists());
    // Once it is answered, its id is free.
    connection.send(call(&second.to_string_lossy())).await;
    assert_eq!(
        data(&connection.receive().await["result"])["type"],
        "create"
    );
}

#[tokio::test]
async fn a_cancelled_request_gives_its_place_back() {
    let mut connection = connect();
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\n");
    for id in 0..600 {
        let id = id + 1_000;
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "Read", "arguments": {"file_path": path, "force": true}}});
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        connection
            .send_raw(format!("{call}\n{cancel}\n").as_bytes())
            .await;
        // The call may be answered before it is cancelled; the ping always is.
        let ping = connection.ask("ping", json!({})).await;
        while connection.receive().await["id"] != ping {}
    }
}
