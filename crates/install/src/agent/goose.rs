//! goose: extensions in `~/.config/goose/config.yaml`. In its usual mode it asks about nothing, so lancet itself
//! asks.

use serde_json::json;

use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, WriteConsent,
    no_plugin,
};
use crate::entry::{Entry, Form};

pub(super) const AGENT: Agent = Agent {
    name: "goose",
    title: "goose",
    other_names: &[],
    program: Some("goose"),
    marks: |place| vec![place.config.join("goose")],
    plan,
    plugin: no_plugin,
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    if request.scope == InstallScope::Project {
        return Err("goose has extensions of the user only; leave --project out".to_owned());
    }
    let launch = match request.writes {
        WriteConsent::Allow => request.launch.clone(),
        WriteConsent::Ask => request
            .launch
            .with_arguments(&["--mode", "ask", "--ask", "elicit"]),
    };
    let extension = json!({
        "enabled": true,
        "type": "stdio",
        "name": "lancet",
        "description": "File tools that land every edit where it was meant",
        "cmd": launch.command,
        "args": launch.arguments,
        "timeout": 300,
    });
    let folder = place.config.join("goose");
    let mut plan = Installation::default();
    let entry = Entry::member(&["extensions", "lancet"], extension);
    plan.add_file(folder.join("config.yaml"), Form::Yaml, vec![entry]);
    plan.plan_memory_lines(request, folder.join(".goosehints"), "lancet__");
    if request.writes == WriteConsent::Ask {
        plan.add_note("Without a terminal goose ends its run at a question: writes need --writes allow there.");
    }
    if request.own_tools == OwnTools::Off {
        plan.add_note(
            "The file tools of goose's developer extension cannot be switched off separately; they stay.",
        );
    }
    Ok(plan)
}
