//! The changes since a checkpoint, for `undo --to-checkpoint`.

use lancet::history::{LogQuery, Operation, ReversalDirection};

use super::access::{open_engine, project_history, unreadable_failure};
use super::unattributed::tell_left_out;
use crate::arguments::UndoArguments;
use crate::failure::Failure;
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::escape_for_terminal;

/// Returns the ids of the changes since a checkpoint that are not undone. Those whose caller is not known are counted and
/// left out.
pub(super) fn change_ids_since(
    called: &str,
    arguments: &UndoArguments,
    around: &Surroundings,
) -> Result<Vec<String>, Failure> {
    let lancet = open_engine(&arguments.flags.place, RootHint::Project, None, around)?;
    let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
    let recording = lancet.recording().ok_or_else(without)?;
    let history = project_history(&lancet)?;
    let found = recording.find(called).map_err(unreadable_failure)?;
    let found = found.ok_or_else(|| {
        Failure::refused(format!(
            "there is no checkpoint {}; `lancet log --checkpoints` lists them",
            escape_for_terminal(called)
        ))
    })?;
    let query = LogQuery {
        after: Some(found.sequence),
        reversible: Some(ReversalDirection::Undoable),
        ..LogQuery::default()
    };
    let changes = history.log(&query).map_err(unreadable_failure)?;
    let is_known = |change: &Operation| arguments.include_unattributed || change.has_known_caller();
    let (known, unknown): (Vec<Operation>, Vec<Operation>) =
        changes.into_iter().partition(is_known);
    if !unknown.is_empty() {
        tell_left_out(unknown.len());
    }
    if known.is_empty() {
        return Err(Failure::refused(format!(
            "nothing to undo since the checkpoint {}",
            escape_for_terminal(called)
        )));
    }
    Ok(known.into_iter().map(|change| change.id).collect())
}
