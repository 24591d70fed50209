//! The calls of an agent's own tools that may change files: its shell, and those that write the files that they name.

use std::path::PathBuf;

use lancet::Settings;
use lancet::recording::{CallEnd, EndReport, shown_script};
use serde_json::Value;

use super::exit_code::exit_code;
use super::tool::Tool;

/// The names that the arguments of agents' tools have for a file.
const FILE: [&str; 5] = [
    "file_path",
    "notebook_path",
    "absolute_path",
    "path",
    "filePath",
];
/// The names that the arguments of agents' tools have for a patch.
const PATCH: [&str; 4] = ["command", "input", "patch", "patchText"];
/// The tool that applies patches, by the name that agents give it.
const APPLY_PATCH: &str = "apply_patch";
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
    pub(super) paths: Vec<PathBuf>,
    /// Distinguishes the arguments from others.
    pub(super) arguments: String,
    /// The agent's id of the turn.
    pub(super) turn: Option<String>,
    pub(super) exit_code: Option<i32>,
    pub(super) end: CallEnd,
    pub(super) end_report: EndReport,
}

/// A call as an event reports it.
pub(super) struct ReportedCall<'e> {
    pub(super) agent: &'e str,
    pub(super) tool: Tool,
    /// The agent's name for the tool.
    pub(super) name: &'e str,
    pub(super) moment: CallMoment,
    /// The whole event.
    pub(super) sent: &'e Value,
    /// The arguments of the tool.
    pub(super) input: &'e Value,
    /// The result of the tool; null before the call.
    pub(super) answer: &'e Value,
}

impl OwnCall {
    /// Reads a call from its event.
    pub(super) fn read(reported: &ReportedCall<'_>) -> Self {
        let ReportedCall {
            agent,
            tool,
            name,
            moment,
            sent,
            input,
            answer,
        } = *reported;
        // Copilot CLI sends the arguments as text.
        let parsed = input
            .as_str()
            .and_then(|text| serde_json::from_str::<Value>(text).ok());
        let input = parsed.as_ref().unwrap_or(input);
        // Codex applies such a patch itself, and does not report the end of the call.
        let folder = (agent == "codex" && tool == Tool::OwnShell)
            .then(|| patch_folder(&command(input)?))
            .flatten();
        let (tool, name, end_report) = match folder {
            Some(_) => (Tool::OwnWriter, APPLY_PATCH, EndReport::NotSent),
            None => (tool, name, EndReport::Sent),
        };
        let folder = PathBuf::from(folder.unwrap_or_default());
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
                Tool::OwnWriter => {
                    let paths = paths(input).into_iter();
                    paths.map(|path| folder.join(path)).collect()
                }
                _ => Vec::new(),
            },
            arguments: Settings::fingerprint(&input.to_string()),
            turn: text("turn_id").or_else(|| text("prompt_id")),
            exit_code: exit_code(sent, answer),
            end_report,
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
    let patch = PATCH
        .iter()
        .find_map(|key| input.get(*key)?.as_str())
        .or(input.as_str());
    let patched = patch.into_iter().flat_map(str::lines).filter_map(|line| {
        let beginning = PATCHED.iter().find_map(|start| line.strip_prefix(start))?;
        Some(beginning.trim().to_owned())
    });
    named.chain(patched).collect()
}

/// Returns the folder in which a shell script applies a patch, if it does nothing else: `apply_patch <<'EOF'`, the
/// lines of the patch and `EOF`, with or without `cd FOLDER &&` before it. The folder is empty without it.
fn patch_folder(script: &str) -> Option<String> {
    let script = script.trim();
    let (folder, command) = match script.strip_prefix("cd ") {
        Some(rest) => rest.split_once(" && ")?,
        None => ("", script),
    };
    let (first, lines) = command.trim_start().split_once('\n')?;
    let after = first.strip_prefix(APPLY_PATCH)?.trim_start();
    let end = after.strip_prefix("<<")?.trim();
    let end = end.trim_matches(['\'', '"']);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_end = !end.is_empty() && end.bytes().all(is_word);
    let patch = lines.strip_suffix(end)?;
    let is_whole = patch.ends_with('\n') && !patch.lines().any(|line| line == end);
    let folder = folder.trim().trim_matches(['\'', '"']);
    (is_end && is_whole).then(|| folder.to_owned())
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
        OwnCall::read(&ReportedCall {
            agent: "claude",
            tool,
            name: "any",
            moment: CallMoment::After,
            sent: &sent,
            input: &input,
            answer: &answer,
        })
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
            (json!({ "filePath": "/p/a" }), vec!["/p/a"]),
            (
                json!({ "patchText": "*** Begin Patch\n*** Add File: n\n+x\n*** End Patch" }),
                vec!["n"],
            ),
            (
                json!({ "command": "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch" }),
                vec!["a", "b", "c"],
            ),
            (json!({}), vec![]),
        ] {
            let call = read(Tool::OwnWriter, input, Value::Null);
            let wanted: Vec<PathBuf> = wanted.into_iter().map(PathBuf::from).collect();
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

    #[test]
    fn codex_does_not_report_the_end_of_a_patch_in_a_script() {
        let patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n";
        let read = |agent: &str, script: String| {
            let (sent, input) = (json!({}), json!({ "command": script }));
            OwnCall::read(&ReportedCall {
                agent,
                tool: Tool::OwnShell,
                name: "Bash",
                moment: CallMoment::Before,
                sent: &sent,
                input: &input,
                answer: &Value::Null,
            })
        };
        for (script, path) in [
            (format!("apply_patch <<'EOF'\n{patch}EOF"), "a"),
            (format!("apply_patch <<EOF\n{patch}EOF\n"), "a"),
            (
                format!("cd src && apply_patch << \"EOF\"\n{patch}EOF"),
                "src/a",
            ),
        ] {
            let call = read("codex", script.clone());
            assert_eq!(
                (call.tool.as_str(), call.end_report),
                ("apply_patch", EndReport::NotSent),
                "{script}"
            );
            assert_eq!(
                (call.command, call.paths),
                (None, vec![PathBuf::from(path)])
            );
            let shell = read("claude", script);
            assert_eq!(
                (shell.tool.as_str(), shell.end_report),
                ("Bash", EndReport::Sent)
            );
        }
        for script in [
            format!("apply_patch <<'EOF'\n{patch}EOF\nrm b"),
            format!("apply_patch <<'EOF'\n{patch}EOF\nrm b\ncat <<EOF\nEOF"),
            format!("apply_patch <<'EOF' && rm b\n{patch}EOF"),
            format!("echo <<'EOF'\n{patch}EOF"),
            "apply_patch".to_owned(),
        ] {
            let call = read("codex", script.clone());
            assert_eq!(call.end_report, EndReport::Sent, "{script}");
            assert_eq!(call.command.map(|_| call.tool), Some("Bash".to_owned()));
        }
    }
}
