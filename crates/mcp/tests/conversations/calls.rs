//! Tools that are listed, called and refused, and tools that fail.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lancet::events::Event;
use lancet::tools::WriteArguments;
use lancet::tools::{Declaration, declaration};
use lancet::tools::{HostTool, Proposal};
use lancet::{Caller, Mode, Refusal, Session};
use lancet_mcp::{AnswerFormat, Options};
use serde_json::{Value, json};

use crate::connection::{connect, connect_with, data, refusal, text};

/// Returns the declaration of a tool made for a test.
fn declared(name: &'static str) -> Declaration {
    let mut declaration = declaration("Write").expect("built in").clone();
    declaration.name = name.into();
    declaration.input_schema = json!({"type": "object"});
    declaration
}

struct Panics;

impl HostTool for Panics {
    fn declaration(&self) -> Declaration {
        declared("Panics")
    }

    fn propose(&self, _session: &Session, _arguments: &Value) -> Result<Proposal, Refusal> {
        std::panic::resume_unwind(Box::new("on purpose"))
    }
}

/// A tool that reports that it began, waits for permission to continue, then proposes a write.
struct Waits {
    began: Mutex<Sender<()>>,
    go: Mutex<Receiver<()>>,
}

impl HostTool for Waits {
    fn declaration(&self) -> Declaration {
        declared("Waits")
    }

    fn propose(&self, _session: &Session, arguments: &Value) -> Result<Proposal, Refusal> {
        self.began.lock().expect("whole").send(()).expect("heard");
        // The closed channel releases it as well: a test that failed must not hang.
        let _ = self.go.lock().expect("whole").recv();
        let path = arguments["file_path"].as_str().expect("a path").to_owned();
        let write = json!({"file_path": path, "content": "late\n"});
        let write: WriteArguments = serde_json::from_value(write).expect("arguments");
        Ok(Proposal::Write(write))
    }
}

fn waits() -> (Waits, Receiver<()>, Sender<()>) {
    let (began, begins) = channel();
    let (lets_go, go) = channel();
    (
        Waits {
            began: Mutex::new(began),
            go: Mutex::new(go),
        },
        begins,
        lets_go,
    )
}

#[tokio::test]
async fn the_list_is_fixed_and_complete() {
    let mut connection = connect();
    connection.shake_hands().await;
    let first = connection.request("tools/list", json!({})).await["result"].clone();
    let names: Vec<_> = first["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|tool| tool["name"].clone())
        .collect();
    assert_eq!(
        names,
        [
            "Read",
            "Edit",
            "MultiEdit",
            "Write",
            "NotebookEdit",
            "Glob",
            "Grep"
        ]
    );
    assert_eq!(
        connection.request("tools/list", json!({})).await["result"],
        first
    );
    assert!(first["tools"].to_string().len() <= 10_000);
    connection.leave().await.expect("a good end");
}

#[tokio::test]
async fn plan_mode_lists_no_writing_tool() {
    let mut connection = connect_with(|builder| builder.mode(Mode::Plan), Options::default());
    let hello = connection.shake_hands().await;
    assert!(
        hello["instructions"]
            .as_str()
            .expect("instructions")
            .contains("plan mode")
    );
    let list = connection.request("tools/list", json!({})).await["result"]["tools"].clone();
    let names: Vec<_> = list
        .as_array()
        .expect("a list")
        .iter()
        .map(|tool| tool["name"].clone())
        .collect();
    assert_eq!(names, ["Read", "Glob", "Grep"]);
}

#[tokio::test]
async fn read_edit_and_a_refusal() {
    let mut connection = connect();
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\ntwo\nthree\n");

    let read = connection.call("Read", json!({"file_path": path})).await;
    assert!(text(&read).contains("2→two"), "{read}");
    assert_eq!(data(&read)["totalLines"], 3);
    assert_eq!(data(&read)["file_path"], json!(path));
    assert!(read.get("isError").is_none() && read.get("structuredContent").is_none());

    let edit = connection
        .call(
            "Edit",
            json!({"file_path": path, "old_string": "two", "new_string": "2"}),
        )
        .await;
    assert_eq!(data(&edit)["matched"], "exact", "{edit}");
    assert_eq!(
        std::fs::read_to_string(&path).expect("there"),
        "one\n2\nthree\n"
    );

    let missing = connection
        .call(
            "Edit",
            json!({"file_path": path, "old_string": "four", "new_string": "4"}),
        )
        .await;
    assert_eq!(refusal(&missing), "not_found");
    assert_eq!(data(&missing)["error"]["code"], 8);
}

#[tokio::test]
async fn a_tool_that_does_not_exist_is_answered_with_the_closest() {
    let mut connection = connect();
    connection.shake_hands().await;
    let result = connection.call("Edti", json!({})).await;
    assert_eq!(refusal(&result), "invalid");
    assert!(text(&result).contains("Edit"), "{result}");
}

#[tokio::test]
async fn arguments_of_any_form_reach_the_tool() {
    let mut connection = connect();
    connection.shake_hands().await;
    for arguments in [
        json!([1]),
        json!("x"),
        json!(7),
        json!(null),
        json!({"file": 1}),
    ] {
        let result = connection.call("Read", arguments.clone()).await;
        assert_eq!(refusal(&result), "invalid", "{arguments}");
    }
    // No arguments at all.
    let answer = connection
        .request("tools/call", json!({"name": "Read"}))
        .await;
    assert_eq!(refusal(&answer["result"]), "invalid");
}

#[tokio::test]
async fn structured_answers_are_complete_by_themselves_and_never_reads() {
    let options = Options {
        answers: AnswerFormat::Structured,
        ..Options::default()
    };
    let mut connection = connect_with(|builder| builder, options);
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\n");
    let read = connection.call("Read", json!({"file_path": path})).await;
    assert!(read.get("structuredContent").is_none());
    let edit = connection
        .call(
            "Edit",
            json!({"file_path": path, "old_string": "one", "new_string": "1"}),
        )
        .await;
    let structured = &edit["structuredContent"];
    assert_eq!(structured["text"], text(&edit));
    assert_eq!(structured["revision"], data(&edit)["revision"]);
    let refused = connection
        .call(
            "Edit",
            json!({"file_path": path, "old_string": "one", "new_string": "1"}),
        )
        .await;
    assert_eq!(
        refused["structuredContent"]["error"]["name"],
        refusal(&refused)
    );
    assert_eq!(refused["structuredContent"]["text"], text(&refused));
}

#[tokio::test]
async fn a_panic_is_an_answer_and_the_server_goes_on() {
    let mut connection = connect_with(|builder| builder.tool(Panics), Options::default());
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\n");
    // More often than there are threads: no thread may be lost.
    for _ in 0..9 {
        let result = connection.call("Panics", json!({})).await;
        assert_eq!(refusal(&result), "internal");
        assert_eq!(data(&result)["error"]["code"], 33);
        assert!(!text(&result).contains("on purpose"), "{result}");
    }
    assert!(connection.read(&path).await.contains("1→one"));
}

#[tokio::test]
async fn a_fault_says_whether_files_may_have_been_written() {
    let observer = |event: &Event| {
        if !matches!(event, Event::Decided { .. }) {
            std::panic::resume_unwind(Box::new("on purpose"))
        }
    };
    let mut connection = connect_with(|builder| builder.observer(observer), Options::default());
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\n");
    let read = connection.call("Read", json!({"file_path": path})).await;
    assert_eq!(refusal(&read), "internal");
    assert!(text(&read).contains("as they were"), "{read}");
    let new = connection.path("b.txt");
    let write = connection
        .call("Write", json!({"file_path": new, "content": "two\n"}))
        .await;
    assert_eq!(refusal(&write), "internal");
    assert!(text(&write).contains("may have been written"), "{write}");
    assert_eq!(std::fs::read_to_string(&new).expect("written"), "two\n");
}

#[tokio::test]
async fn a_cancelled_call_writes_nothing_and_gets_no_answer() {
    let (tool, begins, lets_go) = waits();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = heard.clone();
    let observer = move |event: &Event| kept.lock().expect("whole").push(format!("{event:?}"));
    let mut connection = connect_with(
        |builder| builder.tool(tool).observer(observer),
        Options::default(),
    );
    connection.shake_hands().await;
    let path = connection.path("late.txt");

    let id = connection
        .ask(
            "tools/call",
            json!({"name": "Waits", "arguments": {"file_path": path}}),
        )
        .await;
    begins_soon(&begins).await;
    connection.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})).await;
    // The answer to this one proves that the cancellation before it was heard.
    let other = connection.write("a.txt", "one\n");
    assert!(connection.read(&other).await.contains("one"));
    lets_go.send(()).expect("waiting");
    let _folder = connection.leave().await.expect("a good end");
    assert!(!path.exists(), "{heard:?}");
}

#[tokio::test]
async fn cancelled_calls_that_do_not_stop_hold_up_no_other() {
    let (tool, begins, _lets_go) = waits();
    let options = Options {
        grace: Duration::from_millis(1),
        time_limit: Duration::from_secs(20),
        ..Options::default()
    };
    let mut connection = connect_with(|builder| builder.tool(tool), options);
    connection.shake_hands().await;
    let path = connection.path("late.txt");
    // As many calls as there are threads.
    for _ in 0..4 {
        let params = json!({"name": "Waits", "arguments": {"file_path": path}});
        let id = connection.ask("tools/call", params).await;
        begins_soon(&begins).await;
        connection.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})).await;
    }
    let other = connection.write("a.txt", "one\n");
    assert!(connection.read(&other).await.contains("1→one"));
}

#[tokio::test]
async fn calls_run_beside_each_other() {
    let (tool, begins, lets_go) = waits();
    let mut connection = connect_with(|builder| builder.tool(tool), Options::default());
    connection.shake_hands().await;
    let path = connection.path("late.txt");
    let id = connection
        .ask(
            "tools/call",
            json!({"name": "Waits", "arguments": {"file_path": path}}),
        )
        .await;
    begins_soon(&begins).await;
    let other = connection.write("a.txt", "one\n");
    assert!(
        connection.read(&other).await.contains("one"),
        "a call that waits holds up no other"
    );
    lets_go.send(()).expect("waiting");
    let answer = connection.receive().await;
    assert_eq!(answer["id"], id);
    assert_eq!(std::fs::read_to_string(&path).expect("written"), "late\n");
}

#[tokio::test]
async fn long_work_is_reported_where_the_client_asked() {
    let (tool, begins, lets_go) = waits();
    let mut connection = connect_with(|builder| builder.tool(tool), Options::default());
    connection.shake_hands().await;
    let path = connection.path("late.txt");
    let params =
        json!({"name": "Waits", "arguments": {"file_path": path}, "_meta": {"progressToken": "p"}});
    let id = connection.ask("tools/call", params).await;
    begins_soon(&begins).await;
    let news = connection.receive().await;
    assert_eq!(news["method"], "notifications/progress");
    assert_eq!(news["params"]["progressToken"], "p");
    assert!(news["params"]["progress"].as_f64().expect("a number") > 0.0);
    lets_go.send(()).expect("waiting");
    loop {
        let answer = connection.receive().await;
        if answer["id"] == id {
            break;
        }
        assert_eq!(answer["method"], "notifications/progress");
    }
}

#[tokio::test]
async fn a_call_over_its_time_is_refused_as_such() {
    let (tool, begins, lets_go) = waits();
    let options = Options {
        time_limit: Duration::from_millis(20),
        ..Options::default()
    };
    let mut connection = connect_with(|builder| builder.tool(tool), options);
    connection.shake_hands().await;
    let path = connection.path("late.txt");
    let id = connection
        .ask(
            "tools/call",
            json!({"name": "Waits", "arguments": {"file_path": path}}),
        )
        .await;
    begins_soon(&begins).await;
    tokio::time::sleep(Duration::from_millis(40)).await;
    lets_go.send(()).expect("waiting");
    let answer = connection.receive().await;
    assert_eq!(answer["id"], id);
    assert_eq!(refusal(&answer["result"]), "timeout");
    assert_eq!(data(&answer["result"])["error"]["code"], 32);
    assert!(!path.exists());
}

#[tokio::test]
async fn the_caller_is_on_record() {
    let heard: Arc<Mutex<Vec<Caller>>> = Arc::default();
    let kept = heard.clone();
    let observer = move |event: &Event| {
        if let Event::Read { caller, .. } = event {
            kept.lock().expect("whole").push(caller.clone());
        }
    };
    let mut connection = connect_with(|builder| builder.observer(observer), Options::default());
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\n");
    connection
        .call_with(
            "Read",
            json!({"file_path": path}),
            json!({"lancet/turn": "t1", "lancet/call": "c1"}),
        )
        .await;
    let wanted = Caller::client("test-client", "1")
        .with_turn("t1")
        .with_call("c1");
    assert_eq!(*heard.lock().expect("whole"), [wanted]);
}

/// Waits for a tool to begin without blocking the reactor that has to start it.
async fn begins_soon(begins: &Receiver<()>) {
    while begins.try_recv().is_err() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn when_it_is_quiet_the_history_is_compressed() {
    let options = Options {
        quiet: std::time::Duration::from_millis(20),
        ..Options::default()
    };
    let mut connection = connect_with(|builder| builder, options);
    connection.shake_hands().await;
    let content = "one line of many\n".repeat(500);
    let arguments = json!({ "file_path": connection.path("a.txt"), "content": content });
    let result = connection.call("Write", arguments).await;
    assert_ne!(result["isError"], true, "{result}");
    let state = connection.folder.path().join("state");
    let waiting = || {
        let facts = lancet::doors::examine_store(&state)
            .expect("read")
            .expect("there");
        assert_eq!(facts.operations, 1);
        facts.waiting
    };
    for _ in 0..1_000 {
        if waiting() == 0 {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("it was never compressed");
}
