//! Claude Code: servers in `~/.claude.json`, permissions in `~/.claude/settings.json`.

use serde_json::{Value, json};

use super::hooks::{self, HookedEvent, Timeout};
use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, PluginMark,
    READING_TOOLS, WRITING_TOOLS, WriteConsent,
};
use crate::entry::{Entry, Form};

/// The events that Claude Code's hooks report. Before a call of lancet's tools the hook says which sub-agent makes
/// it. Before a call that writes, Claude Code's mode decides about it. After the call the diff is shown. Before and
/// after a call of its own tools that may change files, what changed is recorded.
const EVENTS: [HookedEvent; 7] = [
    hooks::hooked_event("SessionStart"),
    hooks::hooked_event("UserPromptSubmit"),
    hooks::hooked_event("Stop"),
    hooks::hooked_event("SessionEnd"),
    hooks::for_tools(
        "PreToolUse",
        "^((Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit)$|mcp__lancet__)",
    ),
    hooks::for_tools(
        "PostToolUse",
        "^((Read|Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit)$|mcp__lancet__(?!(Read|Glob|Grep)$))",
    ),
    hooks::for_tools(
        "PostToolUseFailure",
        "^(Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit)$",
    ),
];

/// Claude Code's own tools for files. `MultiEdit` is not one of them: Claude Code reports a rule for it as a mistake.
const OWN_FILE_TOOLS: [&str; 6] = ["Read", "Edit", "Write", "NotebookEdit", "Glob", "Grep"];

pub(super) const AGENT: Agent = Agent {
    name: "claude-code",
    title: "Claude Code",
    other_names: &["claude", "claudecode"],
    program: Some("claude"),
    marks: |place| {
        let folder = place.folder_from_variable("CLAUDE_CONFIG_DIR", ".claude");
        vec![folder, place.home.join(".claude.json")]
    },
    plan,
    plugin: |place| {
        vec![PluginMark::Key {
            file: place
                .folder_from_variable("CLAUDE_CONFIG_DIR", ".claude")
                .join("settings.json"),
            object: "enabledPlugins",
        }]
    },
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let folder = place.folder_from_variable("CLAUDE_CONFIG_DIR", ".claude");
    let (servers, settings, memory) = match request.scope {
        InstallScope::User => (
            (place.variable)("CLAUDE_CONFIG_DIR")
                .unwrap_or_else(|| place.home.clone())
                .join(".claude.json"),
            folder.join("settings.json"),
            folder.join("CLAUDE.md"),
        ),
        InstallScope::Project => (
            place.project.join(".mcp.json"),
            place.project.join(".claude/settings.json"),
            place.project.join("CLAUDE.md"),
        ),
    };
    let mut entry = request.launch.command_members();
    entry.insert("type".to_owned(), json!("stdio"));
    let mut plan = Installation::default();
    let server = Entry::member(&["mcpServers", "lancet"], Value::Object(entry));
    plan.add_file(servers, Form::Json, vec![server]);
    let allowed = match request.writes {
        WriteConsent::Allow => &[&READING_TOOLS[..], &WRITING_TOOLS[..]].concat(),
        WriteConsent::Ask => &READING_TOOLS.to_vec(),
    };
    let mut rules: Vec<Entry> = allowed
        .iter()
        .map(|name| Entry::item(&["permissions", "allow"], &format!("mcp__lancet__{name}")))
        .collect();
    if request.own_tools == OwnTools::Off {
        rules.extend(OWN_FILE_TOOLS.map(|name| Entry::item(&["permissions", "deny"], name)));
    }
    rules.extend(hooks::hook_entries(
        request,
        "claude",
        Timeout::Seconds,
        &EVENTS,
    ));
    plan.add_file(settings, Form::Json, rules);
    plan.plan_memory_lines(request, memory, "mcp__lancet__");
    if request.scope == InstallScope::Project {
        plan.add_note(
            "Claude Code asks once whether the servers of this project's .mcp.json may be started.",
        );
    }
    Ok(plan)
}
