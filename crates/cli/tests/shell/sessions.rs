//! `lancet sessions`: every command is a separate process, and so is the agent's server.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::stage::{LANCET, Run, Stage, finish};
use crate::terminal::on_terminal;

fn call(stage: &Stage, session: &str, tool: &str, arguments: &Value) -> Run {
    stage.run(&["call", tool, &arguments.to_string(), "--session", session])
}

#[test]
fn a_stop_holds_in_every_process_until_a_person_lifts_it() {
    let stage = Stage::new();
    let path = stage.file("a.txt", "one\n");
    let edit = json!({ "file_path": path, "old_string": "one", "new_string": "two" });
    for session in ["evening", "morning"] {
        let read = call(&stage, session, "Read", &json!({ "file_path": path }));
        assert_eq!(read.code, 0, "{read:?}");
    }
    let list = stage.run(&["sessions"]);
    assert!(
        list.out.contains("evening") && list.out.contains("knows 1 file"),
        "{list:?}"
    );

    // An agent may stop a session, but may not resume it.
    let as_agent = |words: &[&str]| {
        let mut command = stage.command(LANCET);
        command.args(words).env("CLAUDECODE", "1");
        finish(command, b"")
    };
    let stop = as_agent(&["sessions", "stop", "evening", "not", "today"]);
    assert_eq!(stop.code, 0, "{stop:?}");
    let lift = as_agent(&["sessions", "resume", "evening"]);
    assert!(
        lift.code == 1 && lift.err.contains("Claude Code runs this command"),
        "{lift:?}"
    );
    let refused = call(&stage, "evening", "Edit", &edit);
    assert!(
        refused.code == 1 && refused.err.contains("declined"),
        "{refused:?}"
    );
    assert!(refused.err.contains("not today"), "{refused:?}");
    assert_eq!(
        call(&stage, "evening", "Read", &json!({ "file_path": path })).code,
        0
    );
    assert_eq!(stage.text("a.txt"), "one\n");
    let list = stage.run(&["sessions", "--json"]);
    let first = list.out.lines().next().expect("a line");
    let told: Value = serde_json::from_str(first).expect("JSON");
    assert_eq!(told["stopped"]["words"], "not today", "{told}");
    assert_eq!(
        told["stopped"]["by"], "a command that Claude Code ran",
        "{told}"
    );

    // Without a terminal the stop cannot be lifted; at a terminal the answer is typed.
    let lift = stage.run(&["sessions", "resume", "evening"]);
    assert!(
        lift.code == 1 && lift.err.contains("no terminal"),
        "{lift:?}"
    );
    let no = on_terminal(&stage, "sessions resume evening", "n\n");
    assert_eq!(no.code, 1, "{no:?}");
    assert_eq!(call(&stage, "evening", "Edit", &edit).code, 1);
    let yes = on_terminal(&stage, "sessions resume evening", "y\n");
    assert_eq!(yes.code, 0, "{yes:?}");
    assert_eq!(call(&stage, "evening", "Edit", &edit).code, 0);
    assert_eq!(stage.text("a.txt"), "two\n");
    let unknown = stage.run(&["sessions", "stop", "nobody"]);
    assert!(
        unknown.code == 1 && unknown.err.contains("there is no session nobody"),
        "{unknown:?}"
    );
}

#[test]
fn a_connected_agent_is_listed_and_stopped_in_the_middle_of_its_work() {
    let stage = Stage::new();
    let path = stage.file("a.txt", "one\ntwo\n");
    let mut server = stage
        .command(LANCET)
        .args(["mcp", "--session", "agent-1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let mut to = server.stdin.take().expect("piped");
    let mut from = BufReader::new(server.stdout.take().expect("piped")).lines();
    let mut number = 0;
    let mut send = |method: &str, params: Value| -> Value {
        number += 1;
        let message = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params });
        writeln!(to, "{message}").expect("sent");
        loop {
            let line = from.next().expect("an answer").expect("read");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == number && answer.get("method").is_none() {
                return answer["result"].clone();
            }
        }
    };
    let info = json!({ "name": "some-agent", "version": "3.1" });
    send(
        "initialize",
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info }),
    );
    let tool = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments });
    send("tools/call", tool("Read", json!({ "file_path": path })));
    let edit = |old: &str| {
        tool(
            "Edit",
            json!({ "file_path": path, "old_string": old, "new_string": "new" }),
        )
    };
    let written = send("tools/call", edit("one"));
    assert_ne!(written["isError"], true, "{written}");

    let list = stage.run(&["sessions"]);
    assert!(
        list.out.contains("agent-1") && list.out.contains("some-agent 3.1"),
        "{list:?}"
    );
    assert!(list.out.contains("changed 1 file"), "{list:?}");
    assert_eq!(stage.run(&["sessions", "stop", "agent-1"]).code, 0);
    let refused = send("tools/call", edit("two"));
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(
        refused.to_string().contains("stopped the writes"),
        "{refused}"
    );
    assert_eq!(stage.text("a.txt"), "new\ntwo\n");
    let events = stage.run(&["events"]);
    assert!(events.out.contains("\"state\":\"stopped\""), "{events:?}");
    drop(to);
    server.wait().expect("ended");
    let list = stage.run(&["sessions"]);
    assert!(
        list.out.contains("not connected") && list.out.contains("stopped"),
        "{list:?}"
    );
}
