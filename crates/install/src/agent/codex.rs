//! Codex: servers in `~/.codex/config.toml`, each with a separate approval mode.

use serde_json::{Value, json};

use super::hooks::{self, HookedEvent, Timeout};
use super::{
    Agent, AgentFolders, InstallScope, Installation, OwnTools, PluginMark, Request, WriteConsent,
};
use crate::entry::{Entry, Form};

/// The events that Codex's hooks report. Its patterns have no look-ahead, so they cannot exclude lancet's reading
/// tools.
const EVENTS: [HookedEvent; 5] = [
    hooks::event("SessionStart"),
    hooks::event("UserPromptSubmit"),
    hooks::event("Stop"),
    hooks::of_tools("PreToolUse", "^(Bash|apply_patch)$"),
    hooks::of_tools("PostToolUse", "^((Bash|apply_patch)$|mcp__lancet__)"),
];

pub(super) const AGENT: Agent = Agent {
    name: "codex",
    title: "Codex",
    other_names: &["codex-cli"],
    program: Some("codex"),
    marks: |place| vec![place.folder("CODEX_HOME", ".codex")],
    plan,
    plugin: |place| {
        let folder = place.folder("CODEX_HOME", ".codex");
        vec![PluginMark::There(
            folder.join("plugins/cache/lancet/lancet"),
        )]
    },
};

fn plan(request: &Request, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let user = place.folder("CODEX_HOME", ".codex");
    let (folder, memory) = match request.scope {
        InstallScope::User => (user.clone(), user.join("AGENTS.md")),
        InstallScope::Project => (
            place.project.join(".codex"),
            place.project.join("AGENTS.md"),
        ),
    };
    let mut entry = request.launch.members();
    if request.writes == WriteConsent::Allow {
        entry.insert("default_tools_approval_mode".to_owned(), json!("approve"));
    }
    let mut plan = Installation::default();
    let server = Entry::member(&["mcp_servers", "lancet"], Value::Object(entry));
    plan.push(folder.join("config.toml"), Form::Toml, vec![server]);
    let hooks = hooks::entries(request, "codex", Timeout::Seconds, &EVENTS);
    plan.note("Codex asks about its new hooks at its next start, and runs them once you have trusted them (later: /hooks).");
    plan.push(folder.join("hooks.json"), Form::Json, hooks);
    plan.remember(request, memory, "mcp__lancet__");
    if request.writes == WriteConsent::Ask {
        plan.note("`codex exec` declines what it would have to ask about: writes need --writes allow there.");
    }
    if request.own_tools == OwnTools::Off {
        plan.note("Codex has no setting that switches apply_patch off; its own tools stay.");
    }
    if request.scope == InstallScope::Project {
        plan.note("Codex reads .codex/config.toml in projects that you have trusted.");
    }
    Ok(plan)
}
