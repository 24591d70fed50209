//! `lancet checkpoint`: records the state of the project's files.

use lancet::recording::CheckpointKind;
use serde_json::json;

use super::recording_failure;
use crate::arguments::CheckpointArguments;
use crate::command::history::access::open_engine;
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{ElapsedTimeLine, print};

/// Runs `lancet checkpoint`.
pub(in crate::command) fn checkpoint(
    arguments: &CheckpointArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let lancet = open_engine(&arguments.place, RootHint::Project, None, around)?;
    let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
    let recording = lancet.recording().ok_or_else(without)?;
    let name = arguments.name.as_deref();
    let working = ElapsedTimeLine::begin("looking at the files");
    let look = recording.set_checkpoint(CheckpointKind::ByHand, name, &lancet.new_session());
    drop(working);
    let look = look.map_err(|error| recording_failure(&error))?;
    if arguments.json {
        let data = json!({ "checkpoint": look.id, "name": name, "files": look.files });
        print(&format!("{data}\n"))?;
        return Ok(Exit::Done);
    }
    let shown = name.unwrap_or(&look.id);
    print(&format!("checkpoint {shown}: {} files\n", look.files))?;
    Ok(Exit::Done)
}
