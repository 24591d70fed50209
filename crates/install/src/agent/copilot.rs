//! Copilot CLI: servers in `~/.copilot/mcp-config.json`. Flags determine what may run without a question.

use serde_json::{Value, json};

use super::declaration::COPILOT_HOOKS;
use super::hooks;
use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, WriteConsent,
    no_plugin,
};
use crate::entry::{Entry, Form};

pub(super) const AGENT: Agent = Agent {
    name: "copilot",
    title: "Copilot CLI",
    other_names: &["copilot-cli", "github-copilot"],
    program: Some("copilot"),
    marks: |place| vec![place.folder_from_variable("COPILOT_HOME", ".copilot")],
    plan,
    plugin: no_plugin,
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    if request.scope == InstallScope::Project {
        return Err(
            "lancet knows the user's servers of Copilot CLI only; leave --project out".to_owned(),
        );
    }
    let folder = place.folder_from_variable("COPILOT_HOME", ".copilot");
    let mut entry = request.launch.command_members();
    entry.insert("type".to_owned(), json!("local"));
    entry.insert("tools".to_owned(), json!(["*"]));
    let mut plan = Installation::default();
    let server = Entry::member(&["mcpServers", "lancet"], Value::Object(entry));
    plan.add_file(folder.join("mcp-config.json"), Form::Json, vec![server]);
    let text = hooks::copilot_hooks_file(&hooks::hook_command(&request.launch, "copilot"));
    let hooks = vec![Entry::Whole { text }];
    plan.add_file(folder.join(COPILOT_HOOKS), Form::Text, hooks);
    plan.plan_memory_lines(request, folder.join("copilot-instructions.md"), "lancet-");
    if request.writes == WriteConsent::Allow {
        plan.add_note(
            "Copilot CLI has no setting for this: start it as `copilot --allow-tool lancet`.",
        );
    }
    if request.own_tools == OwnTools::Off {
        plan.add_note(
            "Copilot CLI has no setting for this: start it as `copilot --excluded-tools=edit,create,view,grep,glob`.",
        );
    }
    Ok(plan)
}
