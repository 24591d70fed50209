//! VS Code: servers in `mcp.json` of its user folder. It asks about tools that are not marked as read-only.

use serde_json::{Value, json};

use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, WriteConsent,
    no_plugin,
};
use crate::entry::{Entry, Form};

pub(super) const AGENT: Agent = Agent {
    name: "vscode",
    title: "VS Code",
    other_names: &["vs-code", "code"],
    program: Some("code"),
    marks: |place| vec![place.applications.join("Code/User")],
    plan,
    plugin: no_plugin,
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let user = place.applications.join("Code/User");
    let (servers, memory) = match request.scope {
        InstallScope::User => (
            user.join("mcp.json"),
            user.join("prompts/lancet.instructions.md"),
        ),
        InstallScope::Project => (
            place.project.join(".vscode/mcp.json"),
            place
                .project
                .join(".github/instructions/lancet.instructions.md"),
        ),
    };
    let launch = request
        .launch
        .with_arguments(&["--root", "${workspaceFolder}"]);
    let mut entry = launch.command_members();
    entry.insert("type".to_owned(), json!("stdio"));
    let mut plan = Installation::default();
    let server = Entry::member(&["servers", "lancet"], Value::Object(entry));
    plan.add_file(servers, Form::Json, vec![server]);
    plan.plan_memory_file(request, memory, "---\napplyTo: '**'\n---\n", "");
    if request.writes == WriteConsent::Allow {
        plan.add_note(
            "VS Code has no setting for one server: answer its first question with \"always\".",
        );
    }
    if request.own_tools == OwnTools::Off {
        plan.add_note("In VS Code its own tools are switched off in the tool picker of the chat.");
    }
    Ok(plan)
}
