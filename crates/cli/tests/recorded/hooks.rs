//! What an agent's own tools change, as its hooks report it: events as the agents send them, to the real program.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::{LANCET, Run, Stage, finish};
use crate::{git, log, project, tree};

/// Sends bytes to the hook of an agent. Returns the run, which ended with exit code 0.
pub(crate) fn send(stage: &Stage, agent: &str, bytes: &[u8]) -> Run {
    let mut command = stage.command(LANCET);
    // A busy machine may need longer than an agent would wait.
    command.args(["hook", agent, "--within", "60000"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let run = finish(command, bytes);
    assert_eq!(run.code, 0, "{run:?}");
    run
}

/// A conversation of Claude Code that uses its own tools.
pub(crate) struct Claude<'s> {
    pub(crate) stage: &'s Stage,
    pub(crate) session: &'static str,
}

impl Claude<'_> {
    pub(crate) fn event(&self, name: &str, more: &Value) -> String {
        let mut event = json!({ "session_id": self.session, "transcript_path": "/dev/null", "cwd": self.stage.project(),
            "permission_mode": "acceptEdits", "hook_event_name": name });
        let members = event.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        let run = send(self.stage, "claude", event.to_string().as_bytes());
        assert_eq!(run.err, "", "{name}");
        run.out
    }

    pub(crate) fn prompt(&self, text: &str) {
        let out = self.event("UserPromptSubmit", &json!({ "prompt": text }));
        assert_eq!(out, "");
    }

    pub(crate) fn before(&self, id: &str, tool: &str, input: &Value) {
        let out = self.event(
            "PreToolUse",
            &json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id }),
        );
        assert_eq!(out, "", "nothing that decides about the call");
    }

    pub(crate) fn after(&self, id: &str, tool: &str, input: &Value) {
        let out = self.event(
            "PostToolUse",
            &json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id,
                "tool_response": { "stdout": "", "stderr": "", "interrupted": false } }),
        );
        assert_eq!(out, "");
    }

    /// Runs a script as the agent's shell does, between its two events.
    pub(crate) fn bash(&self, id: &str, script: &str) {
        let input = json!({ "command": script, "description": "as told" });
        self.before(id, "Bash", &input);
        self.shell(script);
        self.after(id, "Bash", &input);
    }

    pub(crate) fn shell(&self, script: &str) {
        let mut command = self.stage.command("sh");
        command.args(["-c", script]);
        let run = finish(command, b"");
        assert_eq!(run.code, 0, "{run:?}");
    }

    /// Changes a file as the agent's own Edit does, between its two events.
    fn edit(&self, id: &str, name: &str, text: &str) {
        let path = self.stage.project().join(name);
        let input = json!({ "file_path": path, "old_string": "x", "new_string": "y" });
        self.before(id, "Edit", &input);
        fs::write(&path, text).expect("written");
        self.after(id, "Edit", &input);
    }

    fn stop(&self) {
        let out = self.event("Stop", &json!({ "stop_hook_active": false }));
        assert_eq!(out, "");
    }
}

pub(crate) fn tools(log: &[Value]) -> Vec<&str> {
    let tools = log
        .iter()
        .map(|line| line["tool"].as_str().expect("a tool"));
    tools.collect()
}

fn count(operation: &Value) -> usize {
    operation["files"].as_array().map_or(0, Vec::len)
}

#[test]
fn everything_since_a_prompt_goes_back_and_forth() {
    let stage = Stage::new();
    project(&stage);
    git(&stage, &["init", "-q"]);
    git(&stage, &["add", "-A"]);
    git(&stage, &["commit", "-qm", "first"]);
    // The person's own work, which exists nowhere else.
    stage.file("src/part0.txt", "alpha 0\nthe person's line\n");
    stage.file("draft.txt", "not in git\n");
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Change everything.");
    let before = tree(&stage.project());
    claude.edit("toolu_1", "src/part1.txt", "edited\n");
    claude.bash("toolu_2", "sed -i s/alpha/gamma/ src/part*.txt");
    claude.bash(
        "toolu_3",
        "rm -r old && mv from.txt to.txt && chmod +x tool.sh",
    );
    claude.bash("toolu_4", "git reset -q --hard && rm draft.txt");
    claude.bash("toolu_5", "true");
    claude.stop();
    let after = tree(&stage.project());
    assert_ne!(before, after);

    let log = log(&stage);
    assert_eq!(tools(&log), ["Bash", "Bash", "Bash", "Edit"]);
    assert_eq!(log[2]["command"], "sed -i s/alpha/gamma/ src/part*.txt");
    assert_eq!(count(&log[2]), 9, "{log:#?}");
    assert_eq!(count(&log[3]), 1);
    for line in &log {
        assert_eq!(line["session"], "claude-code.s1");
        assert_eq!(line["client"], "claude-code");
    }
    assert_eq!(log[3]["call"], "toolu_1");

    let undo = stage.run(&["undo", "--to-prompt", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), before);
    let redo = stage.run(&["redo", "--yes"]);
    assert_eq!(redo.code, 0, "{redo:?}");
    assert_eq!(tree(&stage.project()), after);
}

#[test]
fn a_file_comes_back_from_the_checkpoint_of_a_prompt() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    git(&stage, &["init", "-q"]);
    git(&stage, &["add", "-A"]);
    git(&stage, &["commit", "-qm", "first"]);
    stage.file("a.txt", "the person's\n");
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Start again.");
    claude.bash("toolu_1", "git checkout -q .");
    assert_eq!(stage.text("a.txt"), "one\n");
    let listed = stage.run(&["log", "--checkpoints", "--json"]);
    let lines = listed.out.lines();
    let mut lines = lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let at_prompt = lines.find(|line| line["kind"] == "prompt");
    let at_prompt = at_prompt.expect("one at the prompt");
    let state = format!("a.txt@{}", at_prompt["checkpoint"].as_str().expect("an id"));
    let restored = stage.run(&["restore", &state, "--yes"]);
    assert_eq!(restored.code, 0, "{restored:?}");
    assert_eq!(stage.text("a.txt"), "the person's\n");
}

#[test]
fn lancets_own_changes_in_between_stay_its_own() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Both ways.");
    let read = ["read", "a.txt", "--session", "claude-code.s1"];
    assert_eq!(stage.run(&read).code, 0);
    let write = [
        "write",
        "a.txt",
        "--content",
        "two\n",
        "--yes",
        "--session",
        "claude-code.s1",
    ];
    let written = stage.run(&write);
    assert_eq!(written.code, 0, "{written:?}");
    let nested = format!("{LANCET} run sh -c 'echo b > b.txt' && echo three > a.txt");
    claude.bash("toolu_1", &nested);
    claude.stop();
    let log = log(&stage);
    assert_eq!(tools(&log), ["Bash", "run", "Write"], "{log:#?}");
    assert_eq!((count(&log[0]), count(&log[1])), (1, 1));
    assert!(log.iter().all(|line| line.get("sharedWith").is_none()));
    let undo = stage.run(&["undo", "--session", "claude-code.s1", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
}

#[test]
fn what_changes_between_two_calls_is_nobodys() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "one\n");
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Go.");
    claude.bash("toolu_1", "echo two > a.txt");
    stage.file("b.txt", "by hand\n");
    claude.bash("toolu_2", "echo three > a.txt");
    // A call that is denied, and a person at work until the next prompt.
    claude.before("toolu_3", "Bash", &json!({ "command": "rm a.txt" }));
    stage.file("b.txt", "by hand again\n");
    claude.prompt("Go on.");
    let log = log(&stage);
    let wanted = ["unattributed", "Bash", "unattributed", "Bash"];
    assert_eq!(tools(&log), wanted, "{log:#?}");
    let undo = stage.run(&["undo", "--to-prompt", "2", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert!(
        undo.err.contains("2 changes whose caller is not known"),
        "{undo:?}"
    );
    assert_eq!(stage.text("a.txt"), "one\n");
    assert_eq!(stage.text("b.txt"), "by hand again\n");
    let all = [
        "undo",
        "--to-prompt",
        "2",
        "--include-unattributed",
        "--yes",
    ];
    let undo = stage.run(&all);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(stage.text("b.txt"), "one\n");
}

#[test]
fn an_agent_with_its_own_tools_is_listed_among_the_sessions() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Go.");
    claude.bash("toolu_1", "echo two > a.txt");
    stage.file("a.txt", "by hand\n");
    claude.prompt("Go on.");
    let listed = stage.run(&["sessions"]);
    assert!(listed.out.contains("claude-code.s1"), "{listed:?}");
    assert!(!listed.out.contains("unattributed"), "{listed:?}");
}

#[test]
fn a_persons_checkout_is_counted_and_not_listed() {
    let stage = Stage::new();
    for number in 0..20 {
        stage.file(&format!("f{number}.txt"), "one\n");
    }
    git(&stage, &["init", "-q"]);
    git(&stage, &["add", "-A"]);
    git(&stage, &["commit", "-qm", "first"]);
    git(&stage, &["checkout", "-qb", "other"]);
    for number in 0..20 {
        stage.file(&format!("f{number}.txt"), "two, and longer\n");
    }
    git(&stage, &["commit", "-qam", "second"]);
    sleep(Duration::from_millis(1_100));
    git(&stage, &["update-index", "--refresh"]);
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Go.");
    git(&stage, &["checkout", "-q", "-"]);
    sleep(Duration::from_millis(1_100));
    git(&stage, &["update-index", "--refresh"]);
    stage.file("mine.txt", "new\n");
    claude.prompt("Go on.");
    let log = log(&stage);
    assert_eq!(tools(&log), ["unattributed"]);
    assert_eq!(
        (count(&log[0]), &log[0]["asInGit"]),
        (1, &json!(20)),
        "{log:#?}"
    );
}

#[test]
fn every_agents_events_are_understood() {
    for (agent, before, after) in [
        (
            "codex",
            json!({ "session_id": "s", "turn_id": "t1", "hook_event_name": "PreToolUse", "tool_name": "apply_patch",
                "tool_use_id": "c1", "tool_input": { "command": "*** Begin Patch\n*** Update File: a.txt\n*** End Patch" } }),
            json!({ "session_id": "s", "turn_id": "t1", "hook_event_name": "PostToolUse", "tool_name": "apply_patch",
                "tool_use_id": "c1", "tool_input": { "command": "*** Begin Patch\n*** Update File: a.txt\n*** End Patch" }, "tool_response": "Done" }),
        ),
        (
            "gemini",
            json!({ "session_id": "s", "hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": { "command": "make" } }),
            json!({ "session_id": "s", "hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": { "command": "make" }, "tool_response": { "llmContent": "Output" } }),
        ),
        (
            "qwen",
            json!({ "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "run_shell_command", "tool_use_id": "c1", "tool_input": { "command": "make" } }),
            json!({ "session_id": "s", "hook_event_name": "PostToolUseFailure", "tool_name": "run_shell_command", "tool_use_id": "c1", "tool_input": { "command": "make" }, "error": "exit 2" }),
        ),
        (
            "copilot",
            json!({ "sessionId": "s", "timestamp": 1, "toolName": "bash", "toolArgs": "{\"command\":\"make\"}" }),
            json!({ "sessionId": "s", "timestamp": 2, "toolName": "bash", "toolArgs": "{\"command\":\"make\"}", "toolResult": { "resultType": "success", "textResultForLlm": "" } }),
        ),
        (
            "opencode",
            json!({ "session_id": "ses_1", "hook_event_name": "PreToolUse", "tool_name": "bash", "tool_use_id": "c1", "tool_input": { "command": "make" } }),
            json!({ "session_id": "ses_1", "hook_event_name": "PostToolUse", "tool_name": "bash", "tool_use_id": "c1", "tool_input": { "command": "make" }, "tool_response": { "metadata": { "exit": 2 } } }),
        ),
    ] {
        let stage = Stage::new();
        stage.file("a.txt", "one\n");
        let hook = |mut event: Value| {
            event["cwd"] = json!(stage.project());
            let run = send(&stage, agent, event.to_string().as_bytes());
            assert_eq!(
                (run.out, run.err),
                (String::new(), String::new()),
                "{agent}"
            );
        };
        hook(before);
        stage.file("a.txt", "two\n");
        hook(after);
        let log = log(&stage);
        assert_eq!(log.len(), 1, "{agent}: {log:#?}");
        let tool = log[0]["tool"].as_str();
        match agent {
            "codex" => assert_eq!((tool, &log[0]["turn"]), (Some("apply_patch"), &json!("t1"))),
            _ => assert_eq!(log[0]["command"], "make", "{agent}"),
        }
        if agent == "opencode" {
            assert_eq!(log[0]["exitCode"], 2, "{log:#?}");
        }
    }
}

#[test]
fn a_patch_whose_end_codex_does_not_report_is_recorded_by_the_next_event() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "one\n");
    let send = |name: &str, more: Value| {
        let mut event = json!({ "session_id": "s", "turn_id": "t1", "cwd": stage.project(), "hook_event_name": name });
        let members = event.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        send(&stage, "codex", event.to_string().as_bytes());
    };
    let bash = |id: &str, script: &str| json!({ "tool_name": "Bash", "tool_use_id": id, "tool_input": { "command": script } });
    let patch = |name: &str| {
        format!(
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: {name}\n@@\n-one\n+two\n*** End Patch\nEOF"
        )
    };
    send("UserPromptSubmit", json!({ "prompt": "Go." }));
    send("PreToolUse", bash("c1", &patch("a.txt")));
    stage.file("a.txt", "two\n");
    send("PreToolUse", bash("c2", "echo two > b.txt"));
    stage.file("b.txt", "two\n");
    send("PostToolUse", bash("c2", "echo two > b.txt"));
    send("PreToolUse", bash("c3", &patch("b.txt")));
    stage.file("b.txt", "three\n");
    send("Stop", json!({}));
    let log = log(&stage);
    assert_eq!(
        tools(&log),
        ["apply_patch", "Bash", "apply_patch"],
        "{log:#?}"
    );
    for line in &log {
        assert_eq!(count(line), 1, "{log:#?}");
        assert!(line.get("sharedWith").is_none(), "{log:#?}");
    }
    assert_eq!(log[2]["turn"], "t1", "of the event that ended it: {log:#?}");
    let undo = stage.run(&["undo", "--to-prompt", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(
        (stage.text("a.txt"), stage.text("b.txt")),
        ("one\n".to_owned(), "one\n".to_owned())
    );
}

#[test]
fn a_command_left_in_the_background_has_what_it_changes_later() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "one\n");
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Go.");
    let input = json!({ "command": "./server", "run_in_background": true });
    claude.before("toolu_1", "Bash", &input);
    claude.after("toolu_1", "Bash", &input);
    // The server writes.
    stage.file("a.txt", "by the server\n");
    claude.bash("toolu_2", "echo two > b.txt");
    let log = log(&stage);
    assert_eq!(tools(&log), ["Bash", "Bash"], "{log:#?}");
    assert_eq!(log[0]["command"], "./server");
    assert_eq!((count(&log[0]), count(&log[1])), (1, 1), "{log:#?}");
    assert_eq!(log[1]["files"][0]["shared"], json!(true), "{log:#?}");
    claude.bash("toolu_3", "echo three > b.txt");
    let log = crate::log(&stage);
    assert!(log[0].get("sharedWith").is_none(), "{log:#?}");
    let undo = stage.run(&["undo", "--to-prompt", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(
        (stage.text("a.txt"), stage.text("b.txt")),
        ("one\n".to_owned(), "one\n".to_owned())
    );
}

#[test]
fn wrong_input_is_passed_over_in_silence() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let call = |members: Value| {
        let mut call = json!({ "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t" });
        let own = call.as_object_mut().expect("an object");
        own.extend(members.as_object().expect("an object").clone());
        call.to_string().into_bytes()
    };
    for bytes in [
        Vec::new(),
        b"no JSON".to_vec(),
        b"{\"hook_event_name\": \"PreToolUse\"".to_vec(),
        b"[]".to_vec(),
        vec![b'x'; 17 << 20],
        vec![0xff; 100],
        call(json!({ "hook_event_name": "SomethingNew" })),
        call(json!({ "session_id": "" })),
        call(json!({ "tool_input": 7 })),
        call(json!({ "tool_input": { "command": { "a": 1 } } })),
        call(json!({ "cwd": "" })),
        call(json!({ "cwd": 7 })),
    ] {
        let run = send(&stage, "claude", &bytes);
        assert_eq!(run.out, "", "{run:?}");
    }
    for (folder, why) in [
        ("/", "too wide"),
        ("/no/such/folder", "the working folder is gone"),
    ] {
        let run = send(
            &stage,
            "claude",
            &call(json!({ "cwd": folder, "tool_input": { "command": "x" } })),
        );
        assert_eq!(run.out, "", "{run:?}");
        assert!(run.err.contains(why), "{run:?}");
    }
    // The end of a call whose beginning was never reported.
    stage.file("a.txt", "two\n");
    let ended = call(
        json!({ "hook_event_name": "PostToolUse", "tool_use_id": "unknown", "cwd": stage.project(), "tool_input": { "command": "x" }, "tool_response": {} }),
    );
    assert_eq!(send(&stage, "claude", &ended).out, "");
    assert!(
        tools(&log(&stage))
            .iter()
            .all(|tool| *tool == "unattributed")
    );
}

#[test]
fn a_history_that_cannot_be_written_is_no_reason_for_a_veto() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let state = stage.home().join(".local/state/lancet");
    fs::create_dir_all(state.parent().expect("a folder")).expect("made");
    fs::write(&state, "no folder").expect("written");
    let event = json!({ "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t",
        "cwd": stage.project(), "tool_input": { "command": "make" } });
    let run = send(&stage, "claude", event.to_string().as_bytes());
    assert_eq!(run.out, "");
    assert_ne!(run.err, "", "the reason is logged");
}

#[test]
fn an_executable_that_the_agent_makes_is_removed_and_made_again() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Go.");
    claude.bash(
        "toolu_1",
        "printf '#!/bin/sh\n' > bin.sh && chmod 755 bin.sh",
    );
    let made = stage.project().join("bin.sh");
    assert_eq!(stage.run(&["undo", "--to-prompt", "--yes"]).code, 0);
    assert!(!made.exists());
    assert_eq!(stage.run(&["redo", "--yes"]).code, 0);
    let mode = fs::metadata(&made).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
}

#[test]
fn a_prompt_after_which_only_a_person_changed_something_is_found() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("What is this?");
    stage.file("a.txt", "by hand\n");
    claude.stop();
    assert_eq!(tools(&log(&stage)), ["unattributed"]);
    let refused = stage.run(&["undo", "--to-prompt", "--yes"]);
    assert_ne!(refused.code, 0, "{refused:?}");
    assert!(refused.err.contains("What is this?"), "{refused:?}");
    assert!(
        refused.err.contains("--include-unattributed"),
        "{refused:?}"
    );
    assert_eq!(stage.text("a.txt"), "by hand\n");
    let undo = stage.run(&["undo", "--to-prompt", "--include-unattributed", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
}
