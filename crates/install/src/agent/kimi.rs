//! Kimi Code: servers in `~/.kimi-code/mcp.json`. The user chooses in its window what runs without a question.

use serde_json::Value;

use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, WriteConsent,
    no_plugin,
};
use crate::entry::{Entry, Form};

pub(super) const AGENT: Agent = Agent {
    name: "kimi",
    title: "Kimi Code",
    other_names: &["kimi-code"],
    program: Some("kimi"),
    marks: |place| vec![place.folder_from_variable("KIMI_CODE_HOME", ".kimi-code")],
    plan,
    plugin: no_plugin,
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let folder = match request.scope {
        InstallScope::User => place.folder_from_variable("KIMI_CODE_HOME", ".kimi-code"),
        InstallScope::Project => place.project.join(".kimi-code"),
    };
    let mut plan = Installation::default();
    let server = Value::Object(request.launch.command_members());
    let entry = Entry::member(&["mcpServers", "lancet"], server);
    plan.add_file(folder.join("mcp.json"), Form::Json, vec![entry]);
    plan.plan_memory_lines(request, folder.join("AGENTS.md"), "mcp__lancet__");
    if request.writes == WriteConsent::Allow {
        plan.add_note("Kimi Code asks about the tools of a server; answer with \"for this session\", or start it as `kimi --yolo`.");
    }
    if request.own_tools == OwnTools::Off {
        plan.add_note("Kimi Code has no setting that switches its own tools off; they stay.");
    }
    Ok(plan)
}
