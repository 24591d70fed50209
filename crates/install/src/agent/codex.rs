//! Codex: servers in `~/.codex/config.toml`, each with a separate approval mode.

use serde_json::{Value, json};

use super::hooks::{self, HookedEvent, Timeout};
use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, PluginMark,
    WriteConsent,
};
use crate::entry::{Entry, Form};

/// The events that Codex's hooks report. Its patterns have no look-ahead, so they cannot exclude lancet's reading
/// tools.
const EVENTS: [HookedEvent; 5] = [
    hooks::hooked_event("SessionStart"),
    hooks::hooked_event("UserPromptSubmit"),
    hooks::hooked_event("Stop"),
    hooks::for_tools("PreToolUse", "^(Bash|apply_patch)$"),
    hooks::for_tools("PostToolUse", "^((Bash|apply_patch)$|mcp__lancet__)"),
];

pub(super) const AGENT: Agent = Agent {
    name: "codex",
    title: "Codex",
    other_names: &["codex-cli"],
    program: Some("codex"),
    marks: |place| vec![place.folder_from_variable("CODEX_HOME", ".codex")],
    plan,
    plugin: |place| {
        let folder = place.folder_from_variable("CODEX_HOME", ".codex");
        vec![PluginMark::There(
            folder.join("plugins/cache/lancet/lancet"),
        )]
    },
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let user = place.folder_from_variable("CODEX_HOME", ".codex");
    let (folder, memory) = match request.scope {
        InstallScope::User => (user.clone(), user.join("AGENTS.md")),
        InstallScope::Project => (
            place.project.join(".codex"),
            place.project.join("AGENTS.md"),
        ),
    };
    let mut entry = request.launch.command_members();
    if request.writes == WriteConsent::Allow {
        entry.insert("default_tools_approval_mode".to_owned(), json!("approve"));
    }
    let mut plan = Installation::default();
    let server = Entry::member(&["mcp_servers", "lancet"], Value::Object(entry));
    plan.add_file(folder.join("config.toml"), Form::Toml, vec![server]);
    let hooks = hooks::hook_entries(request, "codex", Timeout::Seconds, &EVENTS);
    plan.add_note("Codex asks about its new hooks at its next start, and runs them once you have trusted them (later: /hooks).");
    plan.add_file(folder.join("hooks.json"), Form::Json, hooks);
    plan.plan_memory_lines(request, memory, "mcp__lancet__");
    if request.writes == WriteConsent::Ask {
        plan.add_note("`codex exec` declines what it would have to ask about: writes need --writes allow there.");
    }
    if request.own_tools == OwnTools::Off {
        plan.add_note("Codex has no setting that switches apply_patch off; its own tools stay.");
    }
    if request.scope == InstallScope::Project {
        plan.add_note("Codex reads .codex/config.toml in projects that you have trusted.");
    }
    Ok(plan)
}
