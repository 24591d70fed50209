//! The commands on the history: `log`, `show`, `stats`, `gc`, and `undo`, `redo` and `restore` (all three in `undo`).
//! This file has what they share.

mod attribution;
mod gc;

mod log;
mod owner;
mod patch;
mod show;
mod stats;
mod time;
mod undo;

pub(super) use gc::gc;
pub(super) use log::log;
pub(super) use show::show;
pub(super) use stats::stats;
pub(super) use undo::{redo, restore, undo};

use lancet::Lancet;
use lancet::history::{History, Operation, StoreError};
use lancet_mcp::Level;
use serde_json::{Value, json};

use crate::arguments::WorkArguments;
use crate::failure::Failure;
use crate::opening::{ApproverKind, Lifetime, Offer, OpenRequest, Writes};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::TerminalApprover;

/// Opens an engine for a command on the history.
fn open(
    place: &WorkArguments,
    reach: RootHint<'_>,
    approver: Option<TerminalApprover>,
    around: &Surroundings,
) -> Result<Lancet, Failure> {
    let request = OpenRequest {
        place,
        reach,
        mode: None,
        writes: Writes::Person,
        offer: Offer::All,
        approver: approver.map_or(ApproverKind::Nobody, ApproverKind::Terminal),
        answer_limit: lancet::tools::ANSWER_LIMIT,
        default_log_level: Level::Error,
        lifetime: Lifetime::OneCall,
    };
    Ok(request.open(around)?.lancet)
}

/// Opens the history of the files below the roots.
pub(super) fn history(
    place: &WorkArguments,
    reach: RootHint<'_>,
    around: &Surroundings,
) -> Result<History, Failure> {
    open(place, reach, None, around)?
        .history()
        .ok_or_else(|| Failure::usage("no state folder: there is neither a home nor --state-dir"))
}

fn unreadable(error: StoreError) -> Failure {
    Failure::system(format!(
        "the history cannot be read: {error}; `lancet doctor` says more"
    ))
}

/// Writes a number with its noun.
fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// An operation as JSON.
fn object(operation: &Operation) -> Value {
    let kept = |kept: &Option<lancet::history::RecordedState>| match kept {
        None => Value::Null,
        Some(kept) => json!({
            "revision": kept.revision.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>(),
            "size": kept.size,
            "mode": format!("{:o}", kept.mode & 0o7777),
        }),
    };
    let files: Vec<Value> = operation
        .files
        .iter()
        .map(|file| {
            json!({
                "file_path": file.path.display().to_string(),
                "type": file.kind.word(),
                "added": file.added,
                "removed": file.removed,
                "before": kept(&file.before),
                "after": kept(&file.after),
                "undoneBy": file.undone_by,
            })
        })
        .collect();
    json!({
        "operation": operation.id,
        "time": time::shown(operation.time),
        "kind": operation.kind.word(),
        "state": operation.state.word(),
        "tool": operation.tool,
        "session": operation.session,
        "client": operation.client,
        "clientVersion": operation.version,
        "turn": operation.turn,
        "call": operation.call,
        "rungs": operation.rungs,
        "approved": operation.approved,
        "takesBack": operation.takes_back,
        "files": files,
    })
}
