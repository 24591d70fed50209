//! Windsurf: servers in `~/.codeium/windsurf/mcp_config.json`.

use serde_json::Value;

use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, WriteConsent,
    no_plugin,
};
use crate::entry::{Entry, Form};

pub(super) const AGENT: Agent = Agent {
    name: "windsurf",
    title: "Windsurf",
    other_names: &[],
    program: Some("windsurf"),
    marks: |place| vec![place.home.join(".codeium/windsurf")],
    plan,
    plugin: no_plugin,
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    if request.scope == InstallScope::Project {
        return Err("Windsurf has servers of the user only; leave --project out".to_owned());
    }
    let folder = place.home.join(".codeium/windsurf");
    let mut plan = Installation::default();
    let server = Value::Object(request.launch.command_members());
    let entry = Entry::member(&["mcpServers", "lancet"], server);
    plan.add_file(folder.join("mcp_config.json"), Form::Json, vec![entry]);
    plan.plan_memory_lines(request, folder.join("memories/global_rules.md"), "");
    if request.writes == WriteConsent::Allow {
        plan.add_note("Windsurf has no setting for this; its own window decides what is asked.");
    }
    if request.own_tools == OwnTools::Off {
        plan.add_note("Windsurf has no setting that switches its own tools off; they stay.");
    }
    Ok(plan)
}
