//! `lancet log --checkpoints`: the checkpoints of the project, newest first.

use lancet::recording::Checkpoint;
use serde_json::json;

use crate::arguments::LogArguments;
use crate::command::history::access::{open_engine, unreadable_failure};
use crate::command::history::time;
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{escape_for_terminal, print, print_error, print_paged};

/// Lists the checkpoints.
pub(in crate::command) fn list_checkpoints(
    arguments: &LogArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let lancet = open_engine(&arguments.place, RootHint::Project, None, around)?;
    let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
    let recording = lancet.recording().ok_or_else(without)?;
    let found = recording
        .checkpoints(arguments.number)
        .map_err(unreadable_failure)?;
    if arguments.json {
        let mut out: String = found
            .iter()
            .map(|one| format!("{}\n", checkpoint_json(one)))
            .collect();
        out.push_str(&format!("{}\n", json!({ "total": found.len() })));
        print(&out)?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        print_error("lancet: no checkpoint of this project yet\n");
    }
    let line = |one: &Checkpoint| {
        let called = one.name.as_deref().unwrap_or_default();
        format!(
            "{}  {}  {:<7}  {} files  {}\n",
            one.id,
            time::format_local(one.time),
            one.kind.as_str(),
            one.files,
            escape_for_terminal(called)
        )
    };
    let text: String = found.iter().map(line).collect();
    print_paged(&text, around)?;
    Ok(Exit::Done)
}

fn checkpoint_json(one: &Checkpoint) -> serde_json::Value {
    json!({
        "checkpoint": one.id,
        "name": one.name,
        "time": time::format_rfc3339(one.time),
        "kind": one.kind.as_str(),
        "session": one.session,
        "files": one.files,
    })
}
