//! Cline: the CLI has its servers in `~/.cline/data/settings`, the VS Code extension in a folder of VS Code's
//! settings.

use serde_json::{Value, json};

use super::{
    Agent, AgentFolders, InstallScope, Installation, OwnTools, READS, Request, WRITES,
    WriteConsent, no_plugin,
};
use crate::entry::{Entry, Form};

/// The folder of the extension's settings, below those of VS Code.
const EXTENSION: &str = "Code/User/globalStorage/saoudrizwan.claude-dev/settings";

pub(super) const AGENT: Agent = Agent {
    name: "cline",
    title: "Cline",
    other_names: &[],
    program: Some("cline"),
    marks: |place| {
        vec![
            place.home.join(".cline"),
            place.applications.join(EXTENSION),
        ]
    },
    plan,
    plugin: no_plugin,
};

fn plan(request: &Request, place: &AgentFolders<'_>) -> Result<Installation, String> {
    let mut plan = Installation::default();
    if request.scope == InstallScope::Project {
        return Err("Cline has servers of the user only; leave --project out".to_owned());
    }
    let path = ["mcpServers", "lancet"];
    let mut transport = request.launch.members();
    transport.insert("type".to_owned(), json!("stdio"));
    let server = Entry::member(&path, json!({ "transport": transport }));
    let settings = place
        .home
        .join(".cline/data/settings/cline_mcp_settings.json");
    plan.push(settings, Form::Json, vec![server]);
    let extension = place.applications.join(EXTENSION);
    if (place.exists)(&extension) {
        let approved = match request.writes {
            WriteConsent::Allow => [&READS[..], &WRITES[..]].concat(),
            WriteConsent::Ask => READS.to_vec(),
        };
        let mut entry = request.launch.members();
        entry.insert("disabled".to_owned(), json!(false));
        entry.insert("autoApprove".to_owned(), json!(approved));
        let server = Entry::member(&path, Value::Object(entry));
        plan.push(
            extension.join("cline_mcp_settings.json"),
            Form::Json,
            vec![server],
        );
    }
    let rules = place.home.join("Documents/Cline/Rules/lancet.md");
    plan.remember_whole(request, rules, "", "lancet__");
    if request.writes == WriteConsent::Ask {
        plan.note(
            "Cline's CLI asks about no tool; --writes ask holds for its extension in VS Code.",
        );
    }
    if request.own_tools == OwnTools::Off {
        plan.note("Cline has no setting that switches its own tools off; they stay.");
    }
    Ok(plan)
}
