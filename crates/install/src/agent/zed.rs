//! Zed: servers and permissions in `settings.json`.

use serde_json::{Value, json};

use super::{
    Agent, AgentFolders, InstallScope, Installation, Memory, OwnTools, READS, Request, WRITES,
    WriteConsent, no_plugin,
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

fn plan(request: &Request, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let settings = match request.scope {
        InstallScope::User => place.config.join("zed/settings.json"),
        InstallScope::Project => place.project.join(".zed/settings.json"),
    };
    let server = Value::Object(request.launch.members());
    let mut entries = vec![Entry::member(&["context_servers", "lancet"], server)];
    if request.scope == InstallScope::User {
        let allowed = match request.writes {
            WriteConsent::Allow => [&READS[..], &WRITES[..]].concat(),
            WriteConsent::Ask => READS.to_vec(),
        };
        entries.extend(allowed.iter().map(|name| {
            let tool = format!("mcp:lancet:{name}");
            let path = ["agent", "tool_permissions", "tools", &tool];
            Entry::member(&path, json!({ "default": "allow" }))
        }));
    }
    let mut plan = Installation::default();
    plan.push(settings, Form::Json, entries);
    match request.scope {
        InstallScope::Project => plan.remember(request, place.project.join("AGENTS.md"), ""),
        InstallScope::User if request.memory == Memory::Write => {
            plan.note("Zed's rules for all projects are in its window; --project writes lines to AGENTS.md.");
        }
        InstallScope::User => {}
    }
    if request.own_tools == OwnTools::Off {
        plan.note("In Zed its own tools are switched off in a profile of the agent panel.");
    }
    Ok(plan)
}
