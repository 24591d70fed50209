//! opencode: servers and permissions in `opencode.json` or `opencode.jsonc`, and a plugin that reports its calls.

use serde_json::json;

use super::declaration::OPENCODE_PLUGIN;
use super::hooks::hook_command;
use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, WRITING_TOOLS,
    WriteConsent, no_plugin,
};
use crate::entry::{Entry, Form};

/// Its own tools for files, by the names of their permissions; `edit` covers write and patch.
const OWN_FILE_TOOLS: [&str; 4] = ["edit", "read", "grep", "glob"];

pub(super) const AGENT: Agent = Agent {
    name: "opencode",
    title: "opencode",
    other_names: &["open-code"],
    program: Some("opencode"),
    marks: |place| vec![place.config.join("opencode")],
    plan,
    plugin: no_plugin,
};

/// The plugin, with a placeholder for the command that it runs.
const PLUGIN: &str = include_str!("opencode_plugin.js");
/// The placeholder.
const COMMAND: &str = "\"{COMMAND}\"";

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let mut plan = plan_like(request, place, "opencode");
    let folder = match request.scope {
        InstallScope::User => place.config.join("opencode"),
        InstallScope::Project => place.project.join(".opencode"),
    };
    // A text of JSON is also one of JavaScript.
    let command = json!(hook_command(&request.launch, "opencode")).to_string();
    let text = PLUGIN.replace(COMMAND, &command);
    plan.add_file(
        folder.join(OPENCODE_PLUGIN),
        Form::Text,
        vec![Entry::Whole { text }],
    );
    Ok(plan)
}

/// Returns the plan for opencode, or for an agent derived from it, whose folder and files have another name.
pub(super) fn plan_like(
    request: &InstallRequest,
    place: &AgentFolders<'_>,
    name: &str,
) -> Installation {
    let folder = match request.scope {
        InstallScope::User => place.config.join(name),
        InstallScope::Project => place.project.clone(),
    };
    let with_comments = folder.join(format!("{name}.jsonc"));
    let settings = match (place.exists)(&with_comments) {
        true => with_comments,
        false => folder.join(format!("{name}.json")),
    };
    let mut command = vec![request.launch.command.clone()];
    command.extend(request.launch.arguments.iter().cloned());
    let server = json!({ "type": "local", "command": command, "enabled": true });
    let mut entries = vec![Entry::member(&["mcp", "lancet"], server)];
    let rule = |name: &str, word: &str| Entry::member(&["permission", name], json!(word));
    if request.writes == WriteConsent::Ask {
        entries.extend(WRITING_TOOLS.map(|name| rule(&format!("lancet_{name}"), "ask")));
    }
    if request.own_tools == OwnTools::Off {
        entries.extend(OWN_FILE_TOOLS.map(|name| rule(name, "deny")));
    }
    let mut plan = Installation::default();
    plan.add_file(settings, Form::Json, entries);
    plan.plan_memory_lines(request, folder.join("AGENTS.md"), "lancet_");
    plan
}
