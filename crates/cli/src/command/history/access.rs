//! Opens the engine and the history for the commands on the history.

use lancet::Lancet;
use lancet::history::{History, HistoryError};

use crate::arguments::WorkArguments;
use crate::failure::Failure;
use crate::opening::{ApproverKind, OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::TerminalApprover;

/// Opens an engine for a command on the history. Without an approver there is no prompt: the command only reads.
pub(in crate::command) fn open_engine(
    place: &WorkArguments,
    reach: RootHint<'_>,
    approver: Option<TerminalApprover>,
    around: &Surroundings,
) -> Result<Lancet, Failure> {
    let request = OpenRequest {
        approver: approver.map_or(ApproverKind::Nobody, ApproverKind::Terminal),
        ..OpenRequest::for_command(place, reach, WriteAuthor::Person)
    };
    Ok(request.open(around)?.lancet)
}

/// Opens the history of the files below the roots.
pub(crate) fn open_history(
    place: &WorkArguments,
    reach: RootHint<'_>,
    around: &Surroundings,
) -> Result<History, Failure> {
    project_history(&open_engine(place, reach, None, around)?)
}

/// Returns the history of an open engine. A change of files of several projects belongs to each of them.
pub(in crate::command) fn project_history(lancet: &Lancet) -> Result<History, Failure> {
    let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
    let history = lancet.history().ok_or_else(without)?;
    Ok(history.with_changes_across_projects())
}

/// Returns the failure of a command that cannot read the history.
pub(in crate::command) fn unreadable_failure(error: HistoryError) -> Failure {
    Failure::system(format!(
        "the history cannot be read: {error}; `lancet doctor` says more"
    ))
}
