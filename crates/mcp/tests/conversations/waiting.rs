//! Calls that wait for a person while their questions are recorded: decided by another process, given up, sent again,
//! and sent to another process.

use std::path::Path;
use std::time::Duration;

use lancet::approval::{Answer, Pick};
use lancet::questions::{QuestionState, Questions, RecordedQuestion};
use lancet::settings::{Layer, Origin};
use lancet::{Lancet, Mode, Settings};
use lancet_mcp::{Ask, Options};
use serde_json::{Value, json};

use crate::connection::{Connection, MODERN, connect_again, connect_with, refusal, text};

fn options(ask: Ask) -> Options {
    Options {
        ask,
        ..Options::default()
    }
}

fn settings(text: &str) -> Settings {
    let layer = Layer {
        origin: Origin::User,
        path: "lancet.toml".into(),
        text: text.to_owned(),
    };
    Settings::load(&[layer]).expect("settings")
}

/// Makes a connection whose calls are answered as waiting after `patience` seconds.
async fn patient(patience: u64) -> Connection {
    let settings = settings(&format!("[ask]\npatience = {patience}\n"));
    let builder = |builder: lancet::Builder| builder.mode(Mode::Ask).settings(settings);
    let mut connection = connect_with(builder, options(Ask::always_recorded()));
    connection.shake_hands().await;
    connection
}

/// Returns the questions, as another process sees them.
fn questions(connection: &Connection) -> Questions {
    let lancet = Lancet::builder()
        .root(connection.root())
        .state_dir(connection.state())
        .open();
    lancet.expect("opened").questions().expect("a state folder")
}

fn open_questions(connection: &Connection) -> Vec<RecordedQuestion> {
    questions(connection).open().expect("read")
}

/// Waits until so many questions are open.
async fn wait_for_questions(connection: &Connection, count: usize) -> Vec<RecordedQuestion> {
    for _ in 0..600 {
        let open = open_questions(connection);
        if open.len() == count {
            return open;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!(
        "{count} questions were expected: {:?}",
        open_questions(connection)
    );
}

fn lines() -> String {
    (1..=40).map(|line| format!("line {line}.\n")).collect()
}

fn three_edits(path: &Path) -> Value {
    let edit = |line: usize| json!({ "old_string": format!("line {line}.\n"), "new_string": format!("LINE {line}.\n") });
    json!({ "file_path": path, "edits": [edit(5), edit(20), edit(35)] })
}

fn two_of_three() -> Answer {
    Answer::Picked {
        files: vec![Pick::Pieces(vec![0, 2])],
        words: None,
    }
}

fn meant() -> String {
    let lines = lines().replace("line 5.", "LINE 5.");
    lines.replace("line 35.", "LINE 35.")
}

#[tokio::test]
async fn a_call_that_waits_is_carried_out_as_soon_as_somebody_decides() {
    let mut connection = patient(600).await;
    let path = connection.write("a.txt", &lines());
    connection.read(&path).await;
    let params = json!({ "name": "MultiEdit", "arguments": three_edits(&path), "_meta": { "progressToken": 7 } });
    let id = connection.ask("tools/call", params).await;
    let question = wait_for_questions(&connection, 1).await.remove(0);
    let told = connection.receive().await;
    assert_eq!(told["method"], "notifications/progress");
    let message = told["params"]["message"].as_str().expect("words");
    assert!(message.contains(&question.id), "{message}");
    let decided = questions(&connection).decide(&question.id, &two_of_three(), "somebody");
    decided.expect("decided");
    loop {
        let message = connection.receive().await;
        if message["id"] == id {
            assert_ne!(message["result"]["isError"], true, "{message}");
            break;
        }
    }
    assert_eq!(std::fs::read_to_string(&path).expect("read"), meant());
}

#[tokio::test]
async fn a_call_is_answered_as_waiting_and_finds_its_decision_when_it_is_sent_again() {
    let mut connection = patient(0).await;
    let path = connection.write("a.txt", &lines());
    connection.read(&path).await;
    let result = connection.call("MultiEdit", three_edits(&path)).await;
    assert_eq!(refusal(&result), "waiting");
    let question = wait_for_questions(&connection, 1).await.remove(0);
    let data = &result["_meta"]["lancet/result"]["error"];
    assert_eq!(data["question"], question.id.as_str());
    assert!(!text(&result).contains(&question.id), "{result}");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), lines());
    let decided = questions(&connection).decide(&question.id, &two_of_three(), "somebody");
    decided.expect("decided");
    let result = connection.call("MultiEdit", three_edits(&path)).await;
    assert_ne!(result["isError"], true, "{result}");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), meant());
    let used = questions(&connection).get(&question.id).expect("read");
    assert_eq!(used.expect("kept").state, QuestionState::Used);
}

#[tokio::test]
async fn a_server_that_was_started_again_carries_the_decision_out() {
    let mut connection = patient(0).await;
    let path = connection.write("a.txt", &lines());
    connection.read(&path).await;
    let result = connection.call("MultiEdit", three_edits(&path)).await;
    assert_eq!(refusal(&result), "waiting");
    let question = wait_for_questions(&connection, 1).await.remove(0);
    let folder = connection.leave().await.expect("left");
    let builder = |builder: lancet::Builder| builder.mode(Mode::Ask);
    let mut connection = connect_again(folder, builder, options(Ask::always_recorded()));
    connection.shake_hands().await;
    let decided = questions(&connection).decide(&question.id, &two_of_three(), "somebody");
    decided.expect("decided");
    let result = connection.call("MultiEdit", three_edits(&path)).await;
    assert_ne!(result["isError"], true, "{result}");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), meant());
}

#[tokio::test]
async fn a_call_that_its_client_gave_up_leaves_its_question_open() {
    let mut connection = patient(600).await;
    let path = connection.write("a.txt", &lines());
    connection.read(&path).await;
    let params = json!({ "name": "MultiEdit", "arguments": three_edits(&path) });
    let id = connection.ask("tools/call", params).await;
    let question = wait_for_questions(&connection, 1).await.remove(0);
    let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    connection.send(cancelled).await;
    // A call after it shows that the cancellation has been handled.
    connection.read(&path).await;
    let decided = questions(&connection).decide(&question.id, &two_of_three(), "somebody");
    decided.expect("decided");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), lines());
    let result = connection.call("MultiEdit", three_edits(&path)).await;
    assert_ne!(result["isError"], true, "{result}");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), meant());
}

#[tokio::test]
async fn a_question_follows_its_file() {
    let mut connection = patient(600).await;
    let path = connection.write("a.txt", &lines());
    connection.read(&path).await;
    let params = json!({ "name": "MultiEdit", "arguments": three_edits(&path) });
    let id = connection.ask("tools/call", params).await;
    let first = wait_for_questions(&connection, 1).await.remove(0);
    // The call is checked again, and refused because the file has changed.
    std::fs::write(&path, lines().replace("line 5.", "five")).expect("written");
    let message = connection.receive().await;
    assert_eq!(message["id"], id);
    assert_eq!(refusal(&message["result"]), "stale");
    let late = questions(&connection).decide(&first.id, &Answer::Yes, "somebody");
    let words = late.expect_err("it was withdrawn").to_string();
    assert!(words.contains("withdrawn"), "{words}");
    let result = connection.call("MultiEdit", three_edits(&path)).await;
    assert!(result["isError"] == true, "{result}");
    assert!(
        !std::fs::read_to_string(&path)
            .expect("read")
            .contains("LINE")
    );
}

#[tokio::test]
async fn three_hundred_waiting_questions_hold_up_nobody() {
    let mut connection = patient(600).await;
    let mut ids = Vec::new();
    for number in 0..300 {
        let arguments =
            json!({ "file_path": connection.path(&format!("{number}.txt")), "content": "x\n" });
        // Each session may have a hundred.
        let meta = json!({ "lancet/session": format!("agent-{}", number % 4) });
        let params = json!({ "name": "Write", "arguments": arguments, "_meta": meta });
        ids.push(connection.ask("tools/call", params).await);
    }
    let open = wait_for_questions(&connection, 300).await;
    let threads = std::fs::read_dir("/proc/self/task")
        .expect("listed")
        .count();
    assert!(threads < 100, "{threads} threads");
    let path = connection.write("a.txt", "one\n");
    assert!(connection.read(&path).await.contains("one"));
    let questions = questions(&connection);
    for question in &open {
        questions
            .decide(&question.id, &Answer::Yes, "somebody")
            .expect("decided");
    }
    for _ in &ids {
        let message = connection.receive().await;
        assert!(ids.iter().any(|id| message["id"] == *id), "{message}");
        assert_ne!(message["result"]["isError"], true, "{message}");
    }
    for number in 0..300 {
        let text = std::fs::read_to_string(connection.path(&format!("{number}.txt")));
        assert_eq!(text.expect("written"), "x\n");
    }
}

#[tokio::test]
async fn a_client_with_tasks_gets_one_that_outlives_the_server() {
    let builder = |builder: lancet::Builder| builder.mode(Mode::Ask);
    let mut connection = connect_with(builder, options(Ask::always_recorded()));
    let meta = |progress: Value| {
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": { "name": "task-client", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "extensions": { "io.modelcontextprotocol/tasks": {} } },
        });
        if !progress.is_null() {
            meta["progressToken"] = progress;
        }
        meta
    };
    let path = connection.write("a.txt", &lines());
    let read =
        json!({ "name": "Read", "arguments": { "file_path": path }, "_meta": meta(Value::Null) });
    connection.request("tools/call", read).await;
    let params =
        json!({ "name": "MultiEdit", "arguments": three_edits(&path), "_meta": meta(Value::Null) });
    let created = connection.request("tools/call", params).await;
    let question = wait_for_questions(&connection, 1).await.remove(0);
    assert_eq!(created["result"]["resultType"], "task", "{created}");
    assert_eq!(created["result"]["taskId"], question.id.as_str());
    let get = json!({ "taskId": question.id, "_meta": meta(Value::Null) });
    let state = connection.request("tasks/get", get.clone()).await;
    assert_eq!(state["result"]["status"], "working", "{state}");
    let mut foreign = get.clone();
    foreign["_meta"]["io.modelcontextprotocol/clientInfo"]["name"] = json!("another");
    let refused = connection.request("tasks/get", foreign).await;
    assert!(refused["error"].is_object(), "{refused}");
    let folder = connection.leave().await.expect("left");
    let mut connection = connect_again(folder, builder, options(Ask::always_recorded()));
    let decided = questions(&connection).decide(&question.id, &two_of_three(), "somebody");
    decided.expect("decided");
    for _ in 0..2 {
        let state = connection.request("tasks/get", get.clone()).await;
        assert_eq!(state["result"]["status"], "completed", "{state}");
        let result = &state["result"]["result"];
        assert_ne!(result["isError"], true, "{state}");
        assert!(text(result).contains("a.txt"), "{state}");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), meant());
    }
}

#[tokio::test]
async fn a_task_that_was_cancelled_or_declined_stays_so() {
    let builder = |builder: lancet::Builder| builder.mode(Mode::Ask);
    let mut connection = connect_with(builder, options(Ask::always_recorded()));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { "name": "task-client", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "extensions": { "io.modelcontextprotocol/tasks": {} } },
    });
    for decision in ["cancelled", "declined"] {
        let arguments = json!({ "file_path": connection.path("a.txt"), "content": "x\n" });
        let params = json!({ "name": "Write", "arguments": arguments, "_meta": meta });
        connection.request("tools/call", params).await;
        let question = wait_for_questions(&connection, 1).await.remove(0);
        let task = json!({ "taskId": question.id, "_meta": meta });
        if decision == "cancelled" {
            connection.request("tasks/cancel", task.clone()).await;
        } else {
            let no = Answer::No(Some("Not today.".into()));
            let decided = questions(&connection).decide(&question.id, &no, "somebody");
            decided.expect("decided");
        }
        for _ in 0..2 {
            let state = connection.request("tasks/get", task.clone()).await;
            let state = &state["result"];
            if decision == "cancelled" {
                assert_eq!(state["status"], "cancelled", "{state}");
            } else {
                assert_eq!(state["status"], "completed", "{state}");
                assert_eq!(refusal(&state["result"]), "declined", "{state}");
                assert_eq!(state["result"]["isError"], true, "{state}");
            }
        }
        assert_eq!(open_questions(&connection).len(), 0);
        assert!(!connection.path("a.txt").exists());
    }
}

#[tokio::test]
async fn a_dialog_is_withdrawn_when_somebody_else_decides() {
    let ask = Ask {
        page: lancet_mcp::QuestionRecording::IfWatched,
        ..Ask::any_client()
    };
    let mut connection = connect_with(|builder| builder.mode(Mode::Ask), options(ask));
    connection
        .shake_hands_offering(json!({ "elicitation": {} }))
        .await;
    let arguments = json!({ "file_path": connection.path("a.txt"), "content": "x\n" });
    let id = connection
        .ask(
            "tools/call",
            json!({ "name": "Write", "arguments": arguments }),
        )
        .await;
    let form = connection.receive().await;
    assert_eq!(form["method"], "elicitation/create");
    let question = wait_for_questions(&connection, 1).await.remove(0);
    let decided = questions(&connection).decide(&question.id, &Answer::Yes, "somebody");
    decided.expect("decided");
    let (mut withdrawn, mut answered) = (false, false);
    while !(withdrawn && answered) {
        let message = connection.receive().await;
        withdrawn |= message["method"] == "notifications/cancelled"
            && message["params"]["requestId"] == form["id"];
        answered |= message["id"] == id;
    }
    assert_eq!(
        std::fs::read_to_string(connection.path("a.txt")).expect("written"),
        "x\n"
    );
}
