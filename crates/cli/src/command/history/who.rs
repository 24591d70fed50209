//! The author of a change, as `log` shows it and as `--client` and `--session` name it.

use lancet::history::{History, LogQuery, Operation, StatisticsQuery};

use super::access::unreadable_failure;
use crate::failure::Failure;

/// The client that the history records for commands of the shell, and the name that users see for it.
const SHELL: (&str, &str) = ("lancet", "shell");
/// The most names that a refusal lists.
const MAX_LISTED_NAMES: usize = 10;

/// Returns the displayed name of an operation's client.
pub(super) fn operation_client(operation: &Operation) -> &str {
    match operation.client.as_deref() {
        Some(client) => client_display_name(client),
        None => "-",
    }
}

/// Returns the tool of an operation, as the name of the command if it was one.
pub(super) fn operation_tool(operation: &Operation) -> &str {
    match (operation.client.as_deref(), operation.tool.as_str()) {
        (Some(client), "ApplyPatch") if client == SHELL.0 => "Apply",
        (_, tool) => tool,
    }
}

/// Returns the client that a typed name means.
pub(in crate::command) fn client_from_display_name(typed: &str) -> String {
    match typed == SHELL.1 {
        true => SHELL.0.to_owned(),
        false => typed.to_owned(),
    }
}

/// Returns the displayed name of a client in the history.
pub(in crate::command) fn client_display_name(client: &str) -> &str {
    match client == SHELL.0 {
        true => SHELL.1,
        false => client,
    }
}

/// Refuses a session that has no change in the project, with the names of those that have.
pub(in crate::command) fn check_session(history: &History, typed: &str) -> Result<(), Failure> {
    let query = LogQuery {
        session: Some(typed.to_owned()),
        limit: Some(1),
        ..LogQuery::default()
    };
    if !history.log(&query).map_err(unreadable_failure)?.is_empty() {
        return Ok(());
    }
    let known = history.statistics(&StatisticsQuery::default());
    let known = known.map_err(unreadable_failure)?;
    let mut clients = known
        .clients
        .iter()
        .map(|(name, _)| client_display_name(name));
    if clients.any(|name| name == typed || client_from_display_name(typed) == name) {
        return Err(Failure::refused(format!(
            "{typed} is a client, not a session: use --client {typed}"
        )));
    }
    let names = known.sessions.iter().map(|(name, _)| name.as_str());
    let named = names.filter(|name| !is_unnamed(name)).collect::<Vec<_>>();
    Err(Failure::refused(format!(
        "no session {typed} has changed a file of this project; {}",
        match named.as_slice() {
            [] => "no session here has a name (--client selects by agent)".to_owned(),
            named => format!("there is {}", join_names(named)),
        }
    )))
}

/// Refuses a client that has no change in the project, with the names of those that have.
pub(in crate::command) fn check_client(history: &History, typed: &str) -> Result<(), Failure> {
    let query = LogQuery {
        client: Some(client_from_display_name(typed)),
        limit: Some(1),
        ..LogQuery::default()
    };
    if !history.log(&query).map_err(unreadable_failure)?.is_empty() {
        return Ok(());
    }
    let known = history.statistics(&StatisticsQuery::default());
    let known = known.map_err(unreadable_failure)?;
    if known.sessions.iter().any(|(name, _)| name == typed) {
        return Err(Failure::refused(format!(
            "{typed} is a session, not a client: use --session {typed}"
        )));
    }
    let names: Vec<&str> = known
        .clients
        .iter()
        .map(|(name, _)| client_display_name(name))
        .collect();
    Err(Failure::refused(match names.as_slice() {
        [] => "there is no change in this project yet".to_owned(),
        names => format!(
            "no client {typed} has changed a file of this project; there is {}",
            join_names(names)
        ),
    }))
}

/// Reports whether lancet made up the name of a session; users do not type such a name.
pub(in crate::command) fn is_unnamed(session: &str) -> bool {
    session.starts_with("unnamed-")
}

fn join_names(names: &[&str]) -> String {
    let shown = names
        .iter()
        .take(MAX_LISTED_NAMES)
        .copied()
        .collect::<Vec<_>>();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
