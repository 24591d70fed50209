//! Cline: the CLI has its servers in `~/.cline/data/settings`, the VS Code extension in a folder of VS Code's
//! settings.

use serde_json::{Value, json};

use super::{
    Agent, AgentFolders, InstallRequest, InstallScope, Installation, OwnTools, READING_TOOLS,
    WRITING_TOOLS, WriteConsent, no_plugin,
};
use crate::entry::{Entry, Form};

/// The folder of the extension's settings, below those of VS Code.
const EXTENSION_FOLDER: &str = "Code/User/globalStorage/saoudrizwan.claude-dev/settings";

pub(super) const AGENT: Agent = Agent {
    name: "cline",
    title: "Cline",
    other_names: &[],
    program: Some("cline"),
    marks: |place| {
        vec![
            place.home.join(".cline"),
            place.applications.join(EXTENSION_FOLDER),
        ]
    },
    plan,
    plugin: no_plugin,
};

fn plan(request: &InstallRequest, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let mut plan = Installation::default();
    if request.scope == InstallScope::Project {
        return Err("Cline has servers of the user only; leave --project out".to_owned());
    }
    let path = ["mcpServers", "lancet"];
    let mut transport = request.launch.command_members();
    transport.insert("type".to_owned(), json!("stdio"));
    let server = Entry::member(&path, json!({ "transport": transport }));
    let settings = place
        .home
        .join(".cline/data/settings/cline_mcp_settings.json");
    plan.add_file(settings, Form::Json, vec![server]);
    let extension = place.applications.join(EXTENSION_FOLDER);
    if (place.exists)(&extension) {
        let approved = match request.writes {
            WriteConsent::Allow => [&READING_TOOLS[..], &WRITING_TOOLS[..]].concat(),
            WriteConsent::Ask => READING_TOOLS.to_vec(),
        };
        let mut entry = request.launch.command_members();
        entry.insert("disabled".to_owned(), json!(false));
        entry.insert("autoApprove".to_owned(), json!(approved));
        let server = Entry::member(&path, Value::Object(entry));
        plan.add_file(
            extension.join("cline_mcp_settings.json"),
            Form::Json,
            vec![server],
        );
    }
    let rules = place.home.join("Documents/Cline/Rules/lancet.md");
    plan.plan_memory_file(request, rules, "", "lancet__");
    if request.writes == WriteConsent::Ask {
        plan.add_note(
            "Cline's CLI asks about no tool; --writes ask holds for its extension in VS Code.",
        );
    }
    if request.own_tools == OwnTools::Off {
        plan.add_note("Cline has no setting that switches its own tools off; they stay.");
    }
    Ok(plan)
}
