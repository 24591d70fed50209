//! Qwen Code: servers in `~/.qwen/settings.json`.

use serde_json::{Value, json};

use super::hooks::{self, HookedEvent, Timeout};
use super::{
    Agent, AgentFolders, InstallScope, Installation, OwnTools, READS, Request, WriteConsent,
    no_plugin,
};
use crate::entry::{Entry, Form};

/// Its own tools for files.
const OWN: [&str; 5] = ["edit", "write_file", "read_file", "grep_search", "glob"];

/// The events that Qwen Code's hooks report. They name a sub-agent only at its beginning and end, so calls in between
/// are announced before they are made.
const EVENTS: [HookedEvent; 9] = [
    hooks::event("SessionStart"),
    hooks::event("UserPromptSubmit"),
    hooks::event("Stop"),
    hooks::event("SubagentStart"),
    hooks::event("SubagentStop"),
    hooks::event("SessionEnd"),
    hooks::of_tools(
        "PreToolUse",
        "^((read_file|run_shell_command|edit|write_file|notebook_edit)$|mcp__lancet__)",
    ),
    hooks::of_tools(
        "PostToolUse",
        "^(?!mcp.*_(Read|Glob|Grep)$)((read_file|agent|run_shell_command|edit|write_file|notebook_edit)$|mcp__lancet__)",
    ),
    hooks::of_tools(
        "PostToolUseFailure",
        "^(run_shell_command|edit|write_file|notebook_edit)$",
    ),
];

pub(super) const AGENT: Agent = Agent {
    name: "qwen",
    title: "Qwen Code",
    other_names: &["qwen-code"],
    program: Some("qwen"),
    marks: |place| vec![place.home.join(".qwen")],
    plan,
    plugin: no_plugin,
};

fn plan(request: &Request, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let (folder, memory) = match request.scope {
        InstallScope::User => (place.home.join(".qwen"), place.home.join(".qwen/QWEN.md")),
        InstallScope::Project => (place.project.join(".qwen"), place.project.join("QWEN.md")),
    };
    let mut entry = request.launch.members();
    let mut rules = Vec::new();
    match request.writes {
        WriteConsent::Allow => {
            entry.insert("trust".to_owned(), json!(true));
        }
        // Newer versions ask before a server's reads, too.
        WriteConsent::Ask => {
            let allowed =
                |name| Entry::item(&["permissions", "allow"], &format!("mcp__lancet__{name}"));
            rules.extend(READS.map(allowed));
        }
    }
    let server = Entry::member(&["mcpServers", "lancet"], Value::Object(entry));
    let mut entries = [vec![server], rules].concat();
    if request.own_tools == OwnTools::Off {
        entries.extend(OWN.map(|name| Entry::item(&["tools", "exclude"], name)));
    }
    let mut plan = Installation::default();
    entries.extend(hooks::entries(request, "qwen", Timeout::Default, &EVENTS));
    plan.push(folder.join("settings.json"), Form::Json, entries);
    plan.remember(request, memory, "mcp__lancet__");
    Ok(plan)
}
