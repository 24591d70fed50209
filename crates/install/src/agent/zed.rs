//! Zed: servers and permissions in `settings.json`.

use serde_json::{Value, json};

use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, MemoryUse, OwnTools,
    READING_TOOLS, WRITING_TOOLS, WriteConsent, no_plugin,
};
use crate::entry::{Entry, Form};

pub(super) const AGENT: Agent = Agent {
    name: "zed",
    title: "Zed",
    other_names: &[],
    program: Some("zed"),
    marks: |place| vec![place.config.join("zed")],
    plan,
    plugin: no_plugin,
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let settings = match request.scope {
        InstallScope::User => place.config.join("zed/settings.json"),
        InstallScope::Project => place.project.join(".zed/settings.json"),
    };
    let server = Value::Object(request.launch.command_members());
    let mut entries = vec![Entry::member(&["context_servers", "lancet"], server)];
    if request.scope == InstallScope::User {
        let allowed = match request.writes {
            WriteConsent::Allow => [&READING_TOOLS[..], &WRITING_TOOLS[..]].concat(),
            WriteConsent::Ask => READING_TOOLS.to_vec(),
        };
        entries.extend(allowed.iter().map(|name| {
            let tool = format!("mcp:lancet:{name}");
            let path = ["agent", "tool_permissions", "tools", &tool];
            Entry::member(&path, json!({ "default": "allow" }))
        }));
    }
    let mut plan = Installation::default();
    plan.add_file(settings, Form::Json, entries);
    match request.scope {
        InstallScope::Project => {
            plan.plan_memory_lines(request, place.project.join("AGENTS.md"), "")
        }
        InstallScope::User if request.memory == MemoryUse::Write => {
            plan.add_note("Zed's rules for all projects are in its window; --project writes lines to AGENTS.md.");
        }
        InstallScope::User => {}
    }
    if request.own_tools == OwnTools::Off {
        plan.add_note("In Zed its own tools are switched off in a profile of the agent panel.");
    }
    Ok(plan)
}
