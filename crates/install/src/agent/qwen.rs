//! Qwen Code: servers in `~/.qwen/settings.json`.

use serde_json::{Value, json};

use super::hooks::{self, HookedEvent, Timeout};
use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, READING_TOOLS,
    WriteConsent, no_plugin,
};
use crate::entry::{Entry, Form};

/// Its own tools for files.
const OWN_FILE_TOOLS: [&str; 5] = ["edit", "write_file", "read_file", "grep_search", "glob"];

/// The events that Qwen Code's hooks report. They name a sub-agent only at its beginning and end, so calls in between
/// are announced before they are made.
const EVENTS: [HookedEvent; 9] = [
    hooks::hooked_event("SessionStart"),
    hooks::hooked_event("UserPromptSubmit"),
    hooks::hooked_event("Stop"),
    hooks::hooked_event("SubagentStart"),
    hooks::hooked_event("SubagentStop"),
    hooks::hooked_event("SessionEnd"),
    hooks::for_tools(
        "PreToolUse",
        "^((read_file|run_shell_command|edit|write_file|notebook_edit)$|mcp__lancet__)",
    ),
    hooks::for_tools(
        "PostToolUse",
        "^(?!mcp.*_(Read|Glob|Grep)$)((read_file|agent|run_shell_command|edit|write_file|notebook_edit)$|mcp__lancet__)",
    ),
    hooks::for_tools(
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

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let (folder, memory) = match request.scope {
        InstallScope::User => (place.home.join(".qwen"), place.home.join(".qwen/QWEN.md")),
        InstallScope::Project => (place.project.join(".qwen"), place.project.join("QWEN.md")),
    };
    let mut entry = request.launch.command_members();
    let mut rules = Vec::new();
    match request.writes {
        WriteConsent::Allow => {
            entry.insert("trust".to_owned(), json!(true));
        }
        // Newer versions ask before a server's reads, too.
        WriteConsent::Ask => {
            let allowed =
                |name| Entry::item(&["permissions", "allow"], &format!("mcp__lancet__{name}"));
            rules.extend(READING_TOOLS.map(allowed));
        }
    }
    let server = Entry::member(&["mcpServers", "lancet"], Value::Object(entry));
    let mut entries = [vec![server], rules].concat();
    if request.own_tools == OwnTools::Off {
        entries.extend(OWN_FILE_TOOLS.map(|name| Entry::item(&["tools", "exclude"], name)));
    }
    let mut plan = Installation::default();
    entries.extend(hooks::hook_entries(
        request,
        "qwen",
        Timeout::Default,
        &EVENTS,
    ));
    plan.add_file(folder.join("settings.json"), Form::Json, entries);
    plan.plan_memory_lines(request, memory, "mcp__lancet__");
    Ok(plan)
}
