//! Kimi Code: servers in `~/.kimi-code/mcp.json`. The user chooses in its window what runs without a question.

use serde_json::Value;

use super::{
    Agent, AgentFolders, InstallScope, Installation, OwnTools, Request, WriteConsent, no_plugin,
};
use crate::entry::{Entry, Form};

pub(super) const AGENT: Agent = Agent {
    name: "kimi",
    title: "Kimi Code",
    other_names: &["kimi-code"],
    program: Some("kimi"),
    marks: |place| vec![place.folder("KIMI_CODE_HOME", ".kimi-code")],
    plan,
    plugin: no_plugin,
};

fn plan(request: &Request, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let folder = match request.scope {
        InstallScope::User => place.folder("KIMI_CODE_HOME", ".kimi-code"),
        InstallScope::Project => place.project.join(".kimi-code"),
    };
    let mut plan = Installation::default();
    let server = Value::Object(request.launch.members());
    let entry = Entry::member(&["mcpServers", "lancet"], server);
    plan.push(folder.join("mcp.json"), Form::Json, vec![entry]);
    plan.remember(request, folder.join("AGENTS.md"), "mcp__lancet__");
    if request.writes == WriteConsent::Allow {
        plan.note("Kimi Code asks about the tools of a server; answer with \"for this session\", or start it as `kimi --yolo`.");
    }
    if request.own_tools == OwnTools::Off {
        plan.note("Kimi Code has no setting that switches its own tools off; they stay.");
    }
    Ok(plan)
}
