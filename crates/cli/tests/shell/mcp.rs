//! `lancet mcp`, the parts in the program itself: it starts, serves below its roots, and ends with its client.

use serde_json::{Value, json};

use crate::stage::Stage;

/// Sends messages, closes standard input, and reads the answers.
fn talk(stage: &Stage, arguments: &[&str], calls: &[Value]) -> (i32, Vec<Value>, String) {
    let mut input = String::new();
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    for message in [hello, ready].iter().chain(calls) {
        input.push_str(&format!("{message}\n"));
    }
    let run = stage.run_with(&[&["mcp"][..], arguments].concat(), &input);
    let answers = run
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("only the protocol"))
        .collect();
    (run.code, answers, run.err)
}

fn answer_to(answers: &[Value], id: u64) -> &Value {
    answers
        .iter()
        .find(|answer| answer["id"] == id)
        .expect("an answer")
}

fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

#[test]
fn an_agent_can_write_without_a_question_and_the_end_of_input_ends_it() {
    let stage = Stage::new();
    let path = stage.project().join("a.txt");
    let write = call(
        1,
        "Write",
        json!({ "file_path": path, "content": "hello\n" }),
    );
    let (code, answers, err) = talk(&stage, &[], &[write]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(
        answer_to(&answers, 0)["result"]["serverInfo"]["name"],
        "lancet"
    );
    assert_ne!(
        answer_to(&answers, 1)["result"]["isError"],
        true,
        "{answers:?}"
    );
    assert_eq!(stage.text("a.txt"), "hello\n");
}

#[test]
fn the_tools_are_those_that_were_chosen() {
    let stage = Stage::new();
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let names = |arguments: &[&str]| -> Vec<String> {
        let (_, answers, _) = talk(&stage, arguments, std::slice::from_ref(&list));
        let tools = answer_to(&answers, 1)["result"]["tools"]
            .as_array()
            .expect("a list")
            .clone();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(
        names(&[]),
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
        names(&["--tools", "default,-MultiEdit"]),
        ["Read", "Edit", "Write", "NotebookEdit", "Glob", "Grep"]
    );
    assert_eq!(
        names(&["--tools", "claude,Undo"]),
        [
            "Read",
            "Edit",
            "Write",
            "NotebookEdit",
            "Glob",
            "Grep",
            "Undo"
        ]
    );
    assert_eq!(names(&["--mode", "plan"]), ["Read", "Glob", "Grep"]);
}

#[test]
fn structured_content_comes_only_when_asked_for() {
    let stage = Stage::new();
    let path = stage.project().join("a.txt");
    let write = |content: &str| call(1, "Write", json!({ "file_path": path, "content": content }));
    let (_, answers, _) = talk(&stage, &[], &[write("a\n")]);
    assert!(
        answer_to(&answers, 1)["result"]
            .get("structuredContent")
            .is_none()
    );
    std::fs::remove_file(&path).expect("it was written");
    let (_, answers, _) = talk(&stage, &["--structured"], &[write("b\n")]);
    assert_eq!(
        answer_to(&answers, 1)["result"]["structuredContent"]["type"],
        "create"
    );
}

#[test]
fn protected_names_stay_as_they_are() {
    let stage = Stage::new();
    let path = stage.file(".vscode/settings.json", "{}\n");
    let write = call(1, "Write", json!({ "file_path": path, "content": "x\n" }));
    let (_, answers, _) = talk(&stage, &[], &[write]);
    assert_eq!(answer_to(&answers, 1)["result"]["isError"], true);
    assert_eq!(stage.text(".vscode/settings.json"), "{}\n");
}

#[test]
fn a_call_that_waits_for_a_person_is_answered_when_the_input_ends() {
    let stage = Stage::new();
    let path = stage.project().join("a.txt");
    let write = call(1, "Write", json!({ "file_path": path, "content": "x\n" }));
    let arguments = ["--mode", "ask", "--ask", "page"];
    let (code, answers, err) = talk(&stage, &arguments, &[write]);
    assert_eq!(code, 0, "{err}");
    let refused = &answer_to(&answers, 1)["result"]["_meta"]["lancet/result"]["error"];
    assert_eq!(refused["name"], "waiting", "{answers:?}");
    assert!(!path.exists());
}
