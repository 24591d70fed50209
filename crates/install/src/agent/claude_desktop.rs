//! Claude Desktop: servers in `claude_desktop_config.json`. It has no project, so lancet gets its root as an
//! argument.

use serde_json::Value;

use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, WriteConsent,
    no_plugin,
};
use crate::entry::{Entry, Form};

pub(super) const AGENT: Agent = Agent {
    name: "claude-desktop",
    title: "Claude Desktop",
    other_names: &["desktop"],
    program: None,
    marks: |place| vec![place.applications.join("Claude")],
    plan,
    plugin: no_plugin,
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    if request.scope == InstallScope::Project {
        return Err("Claude Desktop has no projects; leave --project out".to_owned());
    }
    let root = &place.project;
    if *root == place.home || root.parent().is_none() {
        return Err(
            "Claude Desktop has no projects, and lancet works in the folder where this is run: go to a project first"
                .to_owned(),
        );
    }
    let Some(root) = root.to_str() else {
        return Err("the path of this folder is not UTF-8; settings cannot name it".to_owned());
    };
    let launch = request.launch.with_arguments(&["--root", root]);
    let mut plan = Installation::default();
    let server = Value::Object(launch.command_members());
    let entry = Entry::member(&["mcpServers", "lancet"], server);
    let settings = place.applications.join("Claude/claude_desktop_config.json");
    plan.add_file(settings, Form::Json, vec![entry]);
    plan.add_note(&format!("In Claude Desktop lancet works in {root} alone."));
    if request.writes == WriteConsent::Allow {
        plan.add_note("Claude Desktop asks in its own window; answer with \"always\".");
    }
    if request.own_tools == OwnTools::Off {
        plan.add_note("Claude Desktop has no built-in file tools.");
    }
    Ok(plan)
}
