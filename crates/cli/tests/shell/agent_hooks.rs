//! Agents' hook reports to the real program. The hook is a separate process, and the call that it announces reaches the
//! server by another path.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::stage::{LANCET, Stage};

const SESSION: &str = "5e1f0000-aaaa-bbbb-cccc-000000000000";

/// Runs a hook to its end, as an agent does before it continues. Returns the output.
fn hook(stage: &Stage, agent: &str, event: &Value) -> String {
    let mut command = stage.command(LANCET);
    // A busy machine may need longer than an agent would wait.
    command.args(["hook", agent, "--within", "60000"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(event.to_string().as_bytes()).expect("sent");
    drop(input);
    let done = child.wait_with_output().expect("ended");
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).expect("UTF-8")
}

fn event(stage: &Stage, name: &str, more: Value) -> Value {
    let mut event =
        json!({ "session_id": SESSION, "hook_event_name": name, "cwd": stage.project() });
    let event_members = event.as_object_mut().expect("an object");
    event_members.extend(more.as_object().expect("an object").clone());
    event
}

/// Claude Code with its hooks.
struct Claude<'s> {
    stage: &'s Stage,
    server: Agent,
    calls: usize,
}

impl Claude<'_> {
    /// Calls a tool as Claude Code does: the hook first, to its end, then the call. Returns the refusal's name, or
    /// nothing.
    fn call(&mut self, sub_agent: Option<&str>, tool: &str, arguments: Value) -> String {
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        let mut more = json!({ "tool_name": format!("mcp__lancet__{tool}"), "tool_input": arguments, "tool_use_id": id });
        if let Some(agent) = sub_agent {
            more["agent_id"] = json!(agent);
            more["agent_type"] = json!("Explore");
        }
        hook(self.stage, "claude", &event(self.stage, "PreToolUse", more));
        let call = json!({ "name": tool, "arguments": arguments, "_meta": { "claudecode/toolUseId": id } });
        let result = self.server.request("tools/call", call);
        let error = &result["_meta"]["lancet/result"]["error"]["name"];
        error.as_str().unwrap_or_default().to_owned()
    }

    fn read(&mut self, sub_agent: Option<&str>, path: &Path) {
        let refusal = self.call(sub_agent, "Read", json!({ "file_path": path }));
        assert_eq!(refusal, "");
    }

    fn edit(&mut self, sub_agent: Option<&str>, path: &Path, old: &str, new: &str) -> String {
        let arguments = json!({ "file_path": path, "old_string": old, "new_string": new });
        self.call(sub_agent, "Edit", arguments)
    }
}

#[test]
fn a_call_is_of_the_sub_agent_that_the_hook_before_it_named() {
    let stage = Stage::new();
    stage.file("parent.txt", "one\ntwo\n");
    stage.file("sub.txt", "red\ngreen\n");
    let (parent, sub) = (
        stage.project().join("parent.txt"),
        stage.project().join("sub.txt"),
    );
    let server = Agent::named(&stage, "claude-code");
    let mut claude = Claude {
        stage: &stage,
        server,
        calls: 0,
    };
    let prompt = json!({ "prompt": "Share the work." });
    hook(&stage, "claude", &event(&stage, "UserPromptSubmit", prompt));
    claude.read(None, &parent);
    claude.read(Some("a1"), &sub);
    assert_eq!(claude.edit(Some("a1"), &parent, "two", "2"), "not_read");
    assert_eq!(claude.edit(None, &sub, "green", "black"), "not_read");
    let over = json!({ "file_path": parent, "content": "gone\n" });
    assert_eq!(claude.call(Some("a1"), "Write", over.clone()), "not_read");
    // Another sub-agent has seen what neither of the two has.
    assert_eq!(claude.edit(Some("a2"), &sub, "green", "black"), "not_read");
    assert_eq!(stage.text("parent.txt"), "one\ntwo\n");
    assert_eq!(stage.text("sub.txt"), "red\ngreen\n");
    assert_eq!(claude.edit(Some("a1"), &sub, "green", "yellow"), "");
    assert_eq!(claude.edit(None, &parent, "two", "2"), "");
    assert_eq!(claude.call(None, "Write", over), "");

    let log = stage.run(&["log"]);
    let name = format!("[claude-code.{SESSION} > Explore claude-code.5e1f0000.sub-");
    assert!(log.out.contains(&name), "{log:?}");
    let limited = stage.run(&["log", "--limit", "1", "--oneline"]);
    assert_eq!(limited.out.lines().count(), 1, "{limited:?}");
    let sessions = stage.run(&["sessions"]);
    let lines: Vec<&str> = sessions.out.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.starts_with(&format!("claude-code.{SESSION}")));
    let below = lines[at.expect("listed") + 1];
    assert!(
        below.starts_with("\u{2514} claude-code.5e1f0000.sub-"),
        "{sessions:?}"
    );
    // A limit in time leaves the changes of neither conversation out.
    let session = format!("claude-code.{SESSION}");
    let bounded = ["undo", "--session", &session, "--until", "0s", "--dry-run"];
    let bounded = stage.run(&bounded);
    let told = format!("{bounded:?}");
    assert!(
        told.contains("parent.txt") && told.contains("sub.txt"),
        "{told}"
    );
    let undone = stage.run(&["undo", "--to-prompt", "--yes"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    let heading = format!("All changes of {session} and its sub-agents since the prompt of");
    assert!(format!("{undone:?}").contains(&heading), "{undone:?}");
    assert_eq!(stage.text("parent.txt"), "one\ntwo\n");
    assert_eq!(stage.text("sub.txt"), "red\ngreen\n");
}

#[test]
fn a_prompt_of_another_conversation_within_a_turn_is_a_sub_agents() {
    let stage = Stage::new();
    let copilot = |session: &str, more: Value| {
        let mut event = json!({ "sessionId": session, "timestamp": 1, "cwd": stage.project() });
        let members = event.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        hook(&stage, "copilot", &event);
    };
    // Ends of turns have been reported before, so a turn without an end is still running.
    copilot("top", json!({ "prompt": "Earlier." }));
    copilot("top", json!({ "stopReason": "end_turn" }));
    copilot("top", json!({ "prompt": "The person's." }));
    copilot("sub", json!({ "prompt": "The sub-agent's." }));
    copilot(
        "named",
        json!({ "prompt": "A named one's.", "agentId": "named", "agentType": "task", "parentAgentId": "top" }),
    );
    stage.file("a.txt", "one\n");
    let edit = [
        "edit",
        "a.txt",
        "--old",
        "one",
        "--new",
        "two",
        "--yes",
        "--session",
    ];
    for (name, old, new) in [
        ("copilot-cli.top", "one", "two"),
        ("copilot-cli.sub", "two", "three"),
        ("copilot-cli.named", "three", "four"),
    ] {
        let mut words = edit.to_vec();
        (words[3], words[5]) = (old, new);
        words.push(name);
        stage.run(&["read", "a.txt", "--session", name]);
        let run = stage.run(&words);
        assert_eq!(run.code, 0, "{run:?}");
    }
    let undone = stage.run(&["undo", "--to-prompt", "--yes"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert!(
        format!("{undone:?}").contains("The person's."),
        "{undone:?}"
    );
    assert_eq!(stage.text("a.txt"), "one\n");
}

#[test]
fn doctor_and_undo_say_what_is_known_of_the_hooks() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let mut goose = Agent::named(&stage, "goose-cli");
    let made = json!({ "file_path": stage.project().join("new.txt"), "content": "x\n" });
    assert_eq!(goose.call("Write", made).0, "");
    let none = stage.run(&["undo", "--to-prompt", "--yes"]);
    assert!(none.err.contains("goose has no hooks"), "{none:?}");
    let mut codex = Agent::named(&stage, "codex-mcp-client");
    let made = json!({ "name": "Write", "arguments": { "file_path": stage.project().join("newer.txt"), "content": "x\n" }, "_meta": { "threadId": "t1" } });
    codex.request("tools/call", made);
    let none = stage.run(&["undo", "--to-prompt", "--yes"]);
    assert!(none.err.contains("Trust all and continue"), "{none:?}");
    assert!(
        none.err.contains("undo --session codex-mcp-client.t1"),
        "{none:?}"
    );

    std::fs::create_dir_all(stage.home().join(".claude")).expect("made");
    let installed = stage.run(&["install", "claude-code", "cursor", "--yes"]);
    assert_eq!(installed.code, 0, "{installed:?}");
    let doctor = stage.run(&["doctor"]);
    assert!(
        doctor
            .out
            .contains("Claude Code: no hook heard yet; its sub-agents cannot"),
        "{doctor:?}"
    );
    assert!(
        doctor
            .out
            .contains("Cursor: it has no hooks that lancet knows; its sub-agents cannot"),
        "{doctor:?}"
    );
    let call =
        json!({ "tool_name": "mcp__lancet__Read", "tool_input": {}, "tool_use_id": "toolu_1" });
    hook(&stage, "claude", &event(&stage, "PreToolUse", call));
    let doctor = stage.run(&["doctor"]);
    assert!(
        doctor.out.contains("each sub-agent has its own record"),
        "{doctor:?}"
    );
}
