//! The calls of an agent's own tools that may change files: its shell, and those that write the files that they name.

use lancet::Settings;
use lancet::recording::{CallEnd, shown_script};
use serde_json::Value;

use super::tool::Tool;

/// The names that the arguments of agents' tools have for a file.
const FILE: [&str; 4] = ["file_path", "notebook_path", "absolute_path", "path"];
/// The beginnings of the lines of a patch that name a file.
const PATCHED: [&str; 4] = [
    "*** Add File: ",
    "*** Update File: ",
    "*** Delete File: ",
    "*** Move to: ",
];

/// Whether a call is about to be made, or has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallMoment {
    /// It is about to be made.
    Before,
    /// It has ended, with success or without.
    After,
}

/// A call of an agent's own tool that may change files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OwnCall {
    pub(super) moment: CallMoment,
    /// The agent's id of the call.
    pub(super) id: Option<String>,
    /// The agent's name for the tool.
    pub(super) tool: String,
    /// The command line of a shell, without secrets.
    pub(super) command: Option<String>,
    /// The files that it names, as sent; empty if it may change any file.
    pub(super) paths: Vec<String>,
    /// Distinguishes the arguments from others.
    pub(super) arguments: String,
    /// The agent's id of the turn.
    pub(super) turn: Option<String>,
    pub(super) exit_code: Option<i32>,
    pub(super) end: CallEnd,
}

impl OwnCall {
    /// Reads a call from its event. `input` is what the tool was called with, `answer` what it returned.
    pub(super) fn read(
        tool: Tool,
        name: &str,
        moment: CallMoment,
        sent: &Value,
        input: &Value,
        answer: &Value,
    ) -> Self {
        // Copilot CLI sends the arguments as text.
        let parsed = input
            .as_str()
            .and_then(|text| serde_json::from_str::<Value>(text).ok());
        let input = parsed.as_ref().unwrap_or(input);
        let text = |key: &str| {
            let text = sent.get(key)?.as_str()?;
            (!text.is_empty()).then(|| text.to_owned())
        };
        Self {
            moment,
            id: text("tool_use_id"),
            tool: name.to_owned(),
            command: (tool == Tool::OwnShell)
                .then(|| command(input))
                .flatten()
                .map(|command| shown_script(&command)),
            paths: match tool {
                Tool::OwnWriter => paths(input),
                _ => Vec::new(),
            },
            arguments: Settings::fingerprint(&input.to_string()),
            turn: text("turn_id").or_else(|| text("prompt_id")),
            exit_code: exit_code(answer),
            end: match goes_on(input, answer) {
                true => CallEnd::GoesOn,
                false => CallEnd::Ended,
            },
        }
    }
}

/// Returns the command line of a shell: a text, or a list of arguments.
fn command(input: &Value) -> Option<String> {
    match input.get("command").or_else(|| input.get("cmd"))? {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(words.join(" "))
        }
        _ => None,
    }
}

/// Returns the files that the call of a writing tool names: one, or those of a patch.
fn paths(input: &Value) -> Vec<String> {
    let named = FILE
        .iter()
        .filter_map(|key| input.get(*key)?.as_str())
        .map(str::to_owned);
    let patch = ["command", "input", "patch"]
        .iter()
        .find_map(|key| input.get(*key)?.as_str())
        .or(input.as_str());
    let patched = patch.into_iter().flat_map(str::lines).filter_map(|line| {
        let beginning = PATCHED.iter().find_map(|start| line.strip_prefix(start))?;
        Some(beginning.trim().to_owned())
    });
    named.chain(patched).collect()
}

fn exit_code(answer: &Value) -> Option<i32> {
    let code = ["exit_code", "exitCode"]
        .iter()
        .find_map(|key| answer.get(*key)?.as_i64())?;
    i32::try_from(code).ok()
}

/// Returns whether a command goes on when its call returns.
fn goes_on(input: &Value, answer: &Value) -> bool {
    let is_true = |value: &Value, key: &str| value.get(key) == Some(&Value::Bool(true));
    is_true(input, "run_in_background")
        || is_true(input, "is_background")
        || input.get("mode").and_then(Value::as_str) == Some("async")
        || answer.get("backgroundTaskId").is_some_and(Value::is_string)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(tool: Tool, input: Value, answer: Value) -> OwnCall {
        let sent = json!({ "tool_use_id": "toolu_1", "turn_id": "t1" });
        OwnCall::read(tool, "any", CallMoment::After, &sent, &input, &answer)
    }

    #[test]
    fn commands_are_read_in_every_form_and_without_secrets() {
        for (input, wanted) in [
            (json!({ "command": "sed -i s/a/b/ x" }), "sed -i s/a/b/ x"),
            (json!({ "command": ["ls", "-l"] }), "ls -l"),
            (json!("{\"command\": \"make\"}"), "make"),
            (
                json!({ "command": "API_TOKEN=abc make" }),
                "API_TOKEN=*** make",
            ),
        ] {
            let call = read(Tool::OwnShell, input, Value::Null);
            assert_eq!(call.command.as_deref(), Some(wanted));
            assert!(call.paths.is_empty());
        }
        let call = read(Tool::OwnShell, json!({ "command": 7 }), Value::Null);
        assert_eq!(call.command, None);
        assert_eq!(
            (call.id.as_deref(), call.turn.as_deref()),
            (Some("toolu_1"), Some("t1"))
        );
    }

    #[test]
    fn a_writing_tool_names_its_files() {
        for (input, wanted) in [
            (json!({ "file_path": "/p/a" }), vec!["/p/a"]),
            (json!({ "notebook_path": "/p/n.ipynb" }), vec!["/p/n.ipynb"]),
            (json!({ "path": "a" }), vec!["a"]),
            (
                json!({ "command": "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch" }),
                vec!["a", "b", "c"],
            ),
            (json!({}), vec![]),
        ] {
            let call = read(Tool::OwnWriter, input, Value::Null);
            assert_eq!(call.paths, wanted);
            assert_eq!(call.command, None);
        }
    }

    #[test]
    fn a_command_may_go_on_after_its_call() {
        let shell = |input, answer| read(Tool::OwnShell, input, answer);
        let ended = shell(json!({ "command": "make" }), json!({ "exit_code": 2 }));
        assert_eq!((ended.end, ended.exit_code), (CallEnd::Ended, Some(2)));
        for (input, answer) in [
            (json!({ "run_in_background": true }), Value::Null),
            (json!({ "is_background": true }), Value::Null),
            (json!({}), json!({ "backgroundTaskId": "b1" })),
        ] {
            assert_eq!(shell(input, answer).end, CallEnd::GoesOn);
        }
    }
}
