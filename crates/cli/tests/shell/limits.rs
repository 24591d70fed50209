//! Limits that the system sets for the process: what they prevent is reported, and the process continues.

use std::fs;

use serde_json::{Value, json};

use crate::stage::{LANCET, Run, Stage, finish, path_argument};

/// Blocks of 512 or 1,024 bytes, depending on the shell; less than the text below in either case.
const BLOCKS: &str = "ulimit -f 100; exec \"$@\"";

fn limited(stage: &Stage, arguments: &[&str], input: &str) -> Run {
    let mut command = stage.command("sh");
    command.args(["-c", BLOCKS, "sh", LANCET]).args(arguments);
    finish(command, input.as_bytes())
}

fn names(stage: &Stage) -> Vec<String> {
    let entries = fs::read_dir(stage.project()).expect("there").flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_write_beyond_the_size_limit_is_refused_and_leaves_nothing_behind() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let long = "text\n".repeat(60_000);
    // First the history finds its limit, then, where it is not required, the file itself.
    for (name, words) in [
        ("a.txt", "too large"),
        ("new.txt", "too large"),
        ("a.txt", "ulimit -f"),
        ("folder/new.txt", "ulimit -f"),
    ] {
        if words == "ulimit -f" {
            stage.user_settings("[history]\nrequired = false\n");
        }
        let run = limited(&stage, &["write", name, "-", "--yes"], &long);
        assert_eq!(run.code, 3, "{run:?}");
        assert!(run.err.contains(words), "{run:?}");
        assert_eq!(stage.text("a.txt"), "one\n");
        assert_eq!(names(&stage), ["a.txt"]);
    }
    // The state folder contains no half of it either.
    let run = stage.run(&["write", "a.txt", "--content", "two\n", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn a_server_goes_on_when_its_history_may_not_grow() {
    let stage = Stage::new();
    let path = stage.file("a.txt", "one\n");
    let mut input = String::new();
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let call = |id: usize, tool: &str, arguments: Value| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": { "name": tool, "arguments": arguments } })
    };
    let mut messages = vec![hello, ready];
    // The history stores each text, and no file exceeds the limit.
    for id in 1..=20 {
        let content: String = (0..2_000)
            .map(|line| format!("{}\n", line * 7_919 * (id + 13)))
            .collect();
        let new = stage.project().join(format!("new-{id}.txt"));
        let write = json!({ "file_path": path_argument(&new), "content": content, "insist": true });
        messages.push(call(id, "Write", write));
    }
    messages.push(call(
        21,
        "Read",
        json!({ "file_path": path_argument(&path) }),
    ));
    for message in messages {
        input.push_str(&format!("{message}\n"));
    }
    let run = limited(&stage, &["mcp"], &input);
    assert_eq!(run.code, 0, "{run:?}");
    let answers: Vec<Value> = run
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("only the protocol"))
        .collect();
    assert_eq!(answers.len(), 22, "{run:?}");
    let answer_to = |id: usize| {
        answers
            .iter()
            .find(|answer| answer["id"] == id)
            .expect("one")
    };
    let mut expected = vec!["a.txt".to_owned()];
    for id in 1..=20 {
        let result = &answer_to(id)["result"]["_meta"]["lancet/result"];
        match result["error"]["name"].as_str() {
            None => expected.push(format!("new-{id}.txt")),
            name => assert_eq!(name, Some("io"), "{run:?}"),
        }
    }
    expected.sort();
    assert!(expected.len() < 21, "the limit was never met: {run:?}");
    assert_eq!(names(&stage), expected);
    assert_ne!(answer_to(21)["result"]["isError"], true, "{run:?}");
}
