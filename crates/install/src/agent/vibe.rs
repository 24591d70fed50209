//! Mistral Vibe: a list of servers in `~/.vibe/config.toml`. Its model calls tools from TypeScript, where data is
//! more useful than text, and it sends no client name by which a server could recognise that.

use serde_json::json;

use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, WriteConsent,
    no_plugin,
};
use crate::entry::{Entry, Form};

pub(super) const AGENT: Agent = Agent {
    name: "vibe",
    title: "Mistral Vibe",
    other_names: &["mistral-vibe"],
    program: Some("vibe"),
    marks: |place| vec![place.folder_from_variable("VIBE_HOME", ".vibe")],
    plan,
    plugin: no_plugin,
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let user = place.folder_from_variable("VIBE_HOME", ".vibe");
    let (folder, memory) = match request.scope {
        InstallScope::User => (user.clone(), user.join("AGENTS.md")),
        InstallScope::Project => (place.project.join(".vibe"), place.project.join("AGENTS.md")),
    };
    let launch = request.launch.with_arguments(&["--structured"]);
    let server = json!({
        "name": "lancet",
        "transport": "stdio",
        "command": launch.command,
        "args": launch.arguments,
    });
    let mut plan = Installation::default();
    let entry = Entry::Item {
        path: vec!["mcp_servers".to_owned()],
        value: server,
    };
    plan.add_file(folder.join("config.toml"), Form::Toml, vec![entry]);
    plan.plan_memory_lines(request, memory, "mcp_lancet.");
    if request.writes == WriteConsent::Allow {
        plan.add_note("Vibe asks about the tools of a server; answer with \"always\", or start it as `vibe --auto-approve`.");
    }
    if request.own_tools == OwnTools::Off {
        plan.add_note(
            "Vibe's own tools stay; `disabled_tools` in its config.toml switches them off.",
        );
    }
    if request.scope == InstallScope::Project {
        plan.add_note("Vibe reads .vibe/config.toml in folders that you have trusted.");
    }
    Ok(plan)
}
