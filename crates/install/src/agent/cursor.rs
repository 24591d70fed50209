//! Cursor: servers in `~/.cursor/mcp.json`. The user chooses in its window what runs without a question; a
//! `permissions.json` would override that choice.

use serde_json::Value;

use super::{Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, no_plugin};
use crate::entry::{Entry, Form};

pub(super) const AGENT: Agent = Agent {
    name: "cursor",
    title: "Cursor",
    other_names: &[],
    program: Some("cursor"),
    marks: |place| vec![place.home.join(".cursor")],
    plan,
    plugin: no_plugin,
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let folder = match request.scope {
        InstallScope::User => place.home.join(".cursor"),
        InstallScope::Project => place.project.join(".cursor"),
    };
    let launch = request
        .launch
        .with_arguments(&["--root", "${workspaceFolder}"]);
    let mut plan = Installation::default();
    let server = Entry::member(
        &["mcpServers", "lancet"],
        Value::Object(launch.command_members()),
    );
    plan.add_file(folder.join("mcp.json"), Form::Json, vec![server]);
    match request.scope {
        InstallScope::User => plan.add_note("Cursor's rules for all projects are in its window, under Rules; --project writes one to .cursor/rules."),
        InstallScope::Project => {
            let head = "---\ndescription: Which tools read and change files\nalwaysApply: true\n---\n";
            plan.plan_memory_file(request, folder.join("rules/lancet.mdc"), head, "");
        }
    }
    plan.add_note("What runs without a question is chosen in Cursor's window, under Auto-Run: allow lancet's Read, Glob and Grep there.");
    if request.own_tools == OwnTools::Off {
        plan.add_note("Cursor has no setting that switches its own tools off; they stay.");
    }
    Ok(plan)
}
