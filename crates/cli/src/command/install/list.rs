//! `lancet install` without a name: lists the agents on this machine, and whether lancet is installed in them.

use lancet_install::{Agent, Entry, InstallRequest, Presence, all_agents, entry_presence};
use serde_json::json;

use super::work::find_plugin;
use super::{InstallContext, disk};
use crate::failure::{Exit, Failure};
use crate::surroundings::program_on_path;
use crate::terminal::print;

/// The state of lancet in one agent.
enum InstalledState {
    /// lancet is installed as this program would install it.
    Installed,
    /// lancet is installed with other settings.
    Differs,
    /// lancet is not installed.
    Absent,
    /// lancet is installed as a plugin.
    Plugin(String),
    /// The settings cannot be read, or the agent has none of that scope.
    Unknown(String),
}

impl InstalledState {
    fn name(&self) -> &'static str {
        match self {
            InstalledState::Installed => "installed",
            InstalledState::Differs => "differs",
            InstalledState::Absent => "not installed",
            InstalledState::Plugin(_) => "plugin",
            InstalledState::Unknown(_) => "unknown",
        }
    }

    fn description(&self) -> String {
        match self {
            InstalledState::Installed => "installed".to_owned(),
            InstalledState::Differs => {
                "installed otherwise; `lancet install` brings it up to date".to_owned()
            }
            InstalledState::Absent => "not installed".to_owned(),
            InstalledState::Plugin(sign) => format!("installed as a plugin ({sign})"),
            InstalledState::Unknown(words) => words.clone(),
        }
    }
}

/// Lists the agents.
pub(super) fn list_agents(
    here: &InstallContext<'_>,
    request: &InstallRequest,
    as_json: bool,
) -> Result<Exit, Failure> {
    let mut text = String::new();
    let mut objects = Vec::new();
    for agent in all_agents() {
        let is_found = agent
            .detection_marks(&here.folders)
            .iter()
            .any(|path| path.exists())
            || agent
                .program
                .is_some_and(|name| program_on_path(name).is_some());
        let state = installed_state(agent, here, request);
        let found = if is_found { "found" } else { "-" };
        text += &format!("{:<15} {found:<6} {}\n", agent.name, state.description());
        objects.push(json!({
            "agent": agent.name,
            "title": agent.title,
            "found": is_found,
            "state": state.name(),
            "detail": state.description(),
        }));
    }
    match as_json {
        true => print(&format!("{}\n", json!({ "agents": objects, "text": text })))?,
        false => print(&text)?,
    }
    Ok(Exit::Done)
}

fn installed_state(
    agent: &Agent,
    here: &InstallContext<'_>,
    request: &InstallRequest,
) -> InstalledState {
    if let Some(sign) = find_plugin(agent, here) {
        return InstalledState::Plugin(sign);
    }
    let plan = match agent.plan(request, &here.folders) {
        Ok(plan) => plan,
        Err(words) => return InstalledState::Unknown(words),
    };
    // The first entry of the first file is the one that starts lancet.
    let Some((file, entry)) = plan
        .files
        .first()
        .and_then(|file| Some((file, file.entries.first()?)))
    else {
        return InstalledState::Absent;
    };
    let text = match disk::read(&file.path) {
        Ok(text) => text,
        Err(failure) => return InstalledState::Unknown(failure.message),
    };
    let Some(text) = text else {
        return InstalledState::Absent;
    };
    match entry_presence(file.form, &text, entry) {
        Ok(Presence::Missing) => InstalledState::Absent,
        Ok(Presence::Same) => InstalledState::Installed,
        Ok(Presence::Other) if starts_same_program(&text, file.form, entry, request) => {
            InstalledState::Installed
        }
        Ok(Presence::Other) => InstalledState::Differs,
        Err(error) => InstalledState::Unknown(format!("{}: {error}", file.path.display())),
    }
}

/// Reports whether the entry starts the same program, so that it differs only in what may be written without a
/// question.
fn starts_same_program(
    text: &str,
    form: lancet_install::Form,
    entry: &Entry,
    request: &InstallRequest,
) -> bool {
    let Entry::Member { path, .. } = entry else {
        return false;
    };
    let Some(found) = lancet_install::parse_value_at(form, text, path) else {
        return false;
    };
    let found = found.to_string();
    let quoted = json!(request.launch.command).to_string();
    found.contains(&quoted)
}
