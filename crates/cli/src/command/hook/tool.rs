//! The tools that events name, and the texts of their answers.

use serde_json::Value;

/// How deep an answer is searched for texts.
const MAX_DEPTH: usize = 6;

/// The role of a tool for a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    /// The agent's own tool that shows a file.
    OwnRead,
    /// A tool of lancet that changes nothing.
    LancetRead,
    /// A tool of lancet that may change files.
    LancetWrite,
    /// The agent's own shell, which may change any file.
    OwnShell,
    /// The agent's own tool that changes the files that its call names.
    OwnWriter,
    /// The agent's own tool that starts sub-agents, where its hooks do not name them with each call.
    StartsSubAgent,
    /// Any other tool.
    Other,
}

impl Tool {
    /// Classifies a tool by the name that the agent gives it. lancet's tools have the server's name before their own
    /// (`mcp__lancet__Edit`). One tool of lancet both shows and changes files; its arguments distinguish the two.
    pub(super) fn classify(agent: &str, name: &str, input: &Value) -> Self {
        let own_read = match agent {
            "claude" => "Read",
            "gemini" | "qwen" => "read_file",
            _ => "",
        };
        if !own_read.is_empty() && name == own_read {
            return Tool::OwnRead;
        }
        if let Some(own) = own_changing_tool(agent, name) {
            return own;
        }
        if agent == "qwen" && name == "agent" {
            return Tool::StartsSubAgent;
        }
        if !name.contains("lancet") {
            return Tool::Other;
        }
        let reads = ["Read", "Glob", "Grep"];
        let is = |tool: &&str| {
            let before = name.strip_suffix(*tool);
            before.is_some_and(|before| before.ends_with(['_', '-', '.', '/']))
        };
        let views = name.ends_with("str_replace_based_edit_tool") && input["command"] == "view";
        match views || reads.iter().any(is) {
            true => Tool::LancetRead,
            false => Tool::LancetWrite,
        }
    }
}

/// Returns the role of an agent's own tool that may change files.
fn own_changing_tool(agent: &str, name: &str) -> Option<Tool> {
    let (shells, writers): (&[&str], &[&str]) = match agent {
        "claude" => (
            &["Bash", "PowerShell"],
            &["Edit", "MultiEdit", "Write", "NotebookEdit"],
        ),
        "codex" => (
            &["Bash", "shell", "local_shell", "exec_command"],
            &["apply_patch"],
        ),
        "gemini" => (&["run_shell_command"], &["replace", "write_file"]),
        "qwen" => (
            &["run_shell_command"],
            &["edit", "write_file", "notebook_edit"],
        ),
        "copilot" => (
            &["bash", "powershell"],
            &["edit", "create", "str_replace_editor", "apply_patch"],
        ),
        "opencode" => (
            &["bash"],
            &["edit", "write", "multiedit", "patch", "apply_patch"],
        ),
        _ => (&[], &[]),
    };
    match (shells.contains(&name), writers.contains(&name)) {
        (true, _) => Some(Tool::OwnShell),
        (_, true) => Some(Tool::OwnWriter),
        _ => None,
    }
}

/// Returns the text of an answer: the text itself, that of a file (Claude Code), the model's input (Gemini CLI, Qwen
/// Code, Copilot CLI), or the parts of an MCP result.
pub(super) fn answer_text(answer: &Value) -> Option<String> {
    find_text(answer, MAX_DEPTH)
}

/// The headers with which Gemini CLI and Qwen Code begin their output of a part of a file: this text, up to a line of
/// dashes.
const HEADERS: [(&str, &str); 2] = [
    (
        "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines ",
        "\n--- FILE CONTENT (truncated) ---\n",
    ),
    ("Showing lines ", " total lines.\n\n---\n\n"),
];

/// Returns the text of the file in the output of the agent's own tool.
pub(super) fn file_text_in_answer(answer: &Value) -> Option<String> {
    let text = answer_text(answer)?;
    let content = HEADERS.iter().find_map(|(beginning, end)| {
        let rest = text.strip_prefix(beginning)?;
        rest.split_once(end).map(|(_, content)| content.to_owned())
    });
    Some(content.unwrap_or(text))
}

fn find_text(answer: &Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match answer {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<String> = parts
                .iter()
                .filter_map(|part| find_text(part, depth))
                .collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        Value::Object(members) => ["file", "llmContent", "textResultForLlm", "content", "text"]
            .iter()
            .find_map(|key| find_text(members.get(*key)?, depth)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn classifies_tools_by_agent_names() {
        for (agent, name, wanted) in [
            ("claude", "Read", Tool::OwnRead),
            ("claude", "mcp__lancet__Read", Tool::LancetRead),
            ("claude", "mcp__lancet__Edit", Tool::LancetWrite),
            ("claude", "mcp__lancet__MultiEdit", Tool::LancetWrite),
            (
                "claude",
                "mcp__plugin_lancet_lancet__Write",
                Tool::LancetWrite,
            ),
            ("claude", "Edit", Tool::OwnWriter),
            ("claude", "Bash", Tool::OwnShell),
            ("claude", "WebFetch", Tool::Other),
            ("codex", "apply_patch", Tool::OwnWriter),
            ("gemini", "run_shell_command", Tool::OwnShell),
            ("copilot", "create", Tool::OwnWriter),
            ("opencode", "bash", Tool::OwnShell),
            ("opencode", "write", Tool::OwnWriter),
            ("opencode", "lancet_Write", Tool::LancetWrite),
            ("codex", "Read", Tool::Other),
            ("gemini", "read_file", Tool::OwnRead),
            ("gemini", "mcp_lancet_Grep", Tool::LancetRead),
            ("gemini", "mcp_lancet_Edit", Tool::LancetWrite),
            ("copilot", "lancet-Edit", Tool::LancetWrite),
            ("copilot", "view", Tool::Other),
            ("qwen", "agent", Tool::StartsSubAgent),
            ("claude", "agent", Tool::Other),
        ] {
            assert_eq!(
                Tool::classify(agent, name, &Value::Null),
                wanted,
                "{agent} {name}"
            );
        }
        let editor = "mcp__lancet__str_replace_based_edit_tool";
        for (command, wanted) in [
            ("view", Tool::LancetRead),
            ("insert", Tool::LancetWrite),
            ("create", Tool::LancetWrite),
        ] {
            let input = json!({"command": command, "path": "a.txt"});
            assert_eq!(
                Tool::classify("claude", editor, &input),
                wanted,
                "{command}"
            );
        }
    }

    #[test]
    fn extracts_text_from_answers_of_each_agent() {
        let text = Some("one\n".to_owned());
        for answer in [
            json!("one\n"),
            json!({"type": "text", "file": {"filePath": "/a", "content": "one\n", "startLine": 1}}),
            json!({"llmContent": "one\n", "returnDisplay": ""}),
            json!({"llmContent": [{"text": "one\n"}]}),
            json!([{"type": "text", "text": "one\n"}]),
            json!({"content": [{"type": "text", "text": "one\n"}]}),
            json!({"resultType": "success", "textResultForLlm": "one\n"}),
        ] {
            assert_eq!(answer_text(&answer), text, "{answer}");
        }
        assert_eq!(
            answer_text(&json!({"type": "image", "file": {"base64": "AA"}})),
            None
        );
        assert_eq!(answer_text(&json!(7)), None);
    }

    #[test]
    fn removes_agent_headers_from_file_text() {
        for (shown, text) in [
            (
                "Showing lines 2-3 of 5 total lines.\n\n---\n\ntwo\nthree",
                "two\nthree",
            ),
            (
                "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 2-3 of 5 total lines.\nAction: To read more of the file, you can use the 'start_line' and 'end_line' parameters in a subsequent 'read_file' call. For example, to read the next section of the file, use start_line: 4.\n\n--- FILE CONTENT (truncated) ---\ntwo\nthree",
                "two\nthree",
            ),
            ("Showing lines of code\n", "Showing lines of code\n"),
        ] {
            let answer = json!({ "llmContent": shown });
            assert_eq!(
                file_text_in_answer(&answer).as_deref(),
                Some(text),
                "{shown}"
            );
        }
    }
}
