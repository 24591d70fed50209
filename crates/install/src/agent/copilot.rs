//! Copilot CLI: servers in `~/.copilot/mcp-config.json`. Flags determine what may run without a question.

use serde_json::{Value, json};

use super::declaration::COPILOT_HOOKS;
use super::hooks;
use super::{
    Agent, AgentFolders, InstallScope, Installation, OwnTools, Request, WriteConsent, no_plugin,
};
use crate::entry::{Entry, Form};

pub(super) const AGENT: Agent = Agent {
    name: "copilot",
    title: "Copilot CLI",
    other_names: &["copilot-cli", "github-copilot"],
    program: Some("copilot"),
    marks: |place| vec![place.folder("COPILOT_HOME", ".copilot")],
    plan,
    plugin: no_plugin,
};

fn plan(request: &Request, place: &AgentFolders<'_>) -> Result<Installation, String> {
    if request.scope == InstallScope::Project {
        return Err(
            "lancet knows the user's servers of Copilot CLI only; leave --project out".to_owned(),
        );
    }
    let folder = place.folder("COPILOT_HOME", ".copilot");
    let mut entry = request.launch.members();
    entry.insert("type".to_owned(), json!("local"));
    entry.insert("tools".to_owned(), json!(["*"]));
    let mut plan = Installation::default();
    let server = Entry::member(&["mcpServers", "lancet"], Value::Object(entry));
    plan.push(folder.join("mcp-config.json"), Form::Json, vec![server]);
    let text = hooks::copilot_file(&hooks::command(&request.launch, "copilot"));
    let hooks = vec![Entry::Whole { text }];
    plan.push(folder.join(COPILOT_HOOKS), Form::Text, hooks);
    plan.remember(request, folder.join("copilot-instructions.md"), "lancet-");
    if request.writes == WriteConsent::Allow {
        plan.note(
            "Copilot CLI has no setting for this: start it as `copilot --allow-tool lancet`.",
        );
    }
    if request.own_tools == OwnTools::Off {
        plan.note(
            "Copilot CLI has no setting for this: start it as `copilot --excluded-tools=edit,create,view,grep,glob`.",
        );
    }
    Ok(plan)
}
