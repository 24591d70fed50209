//! Finds operations by their ids.

use std::path::Path;

use lancet_history::{IdMatch, Operation, OperationKind, OperationStore};

use super::described::described;
use super::kept::unreadable;
use super::select::none;
use crate::history::SHORTEST_ID;
use crate::message::{FileText, OPERATION, OPERATION_FIRST, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::Whose;
use crate::stages::context::CallContext;
use crate::wording::quote_path;

/// Returns the operation with an id. A model may undo only those of its own session.
pub(super) fn own_operation(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    id: &str,
    whose: Whose,
) -> Result<Operation, Refusal> {
    let operation = one(context, store, id)?;
    if whose == Whose::Own && operation.session != context.session.key() {
        return Err(none(message!(
            "{} {} is not of this session",
            OPERATION_FIRST,
            verbatim(&operation)
        )));
    }
    Ok(operation)
}

/// Finds the operation whose id has this prefix.
pub(super) fn one(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    beginning: &str,
) -> Result<Operation, Refusal> {
    if beginning.len() < SHORTEST_ID {
        let text = message!(
            "{} is too short for an operation: give at least {} characters of its id.",
            verbatim(format!("{:?}", beginning)),
            SHORTEST_ID
        );
        return Err(Refusal::stating(RefusalKind::Invalid, text));
    }
    let below = context.engine().workspace.roots();
    match store.find(beginning, below).map_err(unreadable)? {
        IdMatch::One(operation) => {
            let others = context.other_workspaces().map_err(unreadable)?;
            match others.first_replaced(&operation) {
                None => Ok(*operation),
                Some(path) => Err(elsewhere(&operation, path)),
            }
        }
        IdMatch::None => Err(none(message!(
            "There is no {} {}",
            OPERATION,
            verbatim(beginning)
        ))),
        IdMatch::Several(found) => {
            let lines: String = found.iter().map(described).collect();
            let text = message!(
                "{} is the ending or beginning of several ids. Give more of one of these:\n{}",
                verbatim(beginning),
                FileText(lines.trim_end().to_owned())
            );
            let ids: Vec<String> = found.into_iter().map(|operation| operation.id).collect();
            Err(Refusal::stating(RefusalKind::Ambiguous, text).with("operations", ids))
        }
    }
}

/// Returns the operations of these ids that are not undone, newest first.
pub(super) fn these(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    ids: &[String],
) -> Result<Vec<Operation>, Refusal> {
    let mut operations = Vec::with_capacity(ids.len());
    for id in ids {
        let operation = one(context, store, id)?;
        if !operation.is_undone() && operation.kind == OperationKind::Change {
            operations.push(operation);
        }
    }
    operations.sort_by_key(|operation| std::cmp::Reverse(operation.sequence));
    Ok(operations)
}

/// Refuses an operation that changed a file of another folder with the same path.
fn elsewhere(operation: &Operation, path: &Path) -> Refusal {
    none(message!(
        "{} {} changed {} in another folder that had the same path (in another container, or before the folder was recreated), so there is nothing of it to undo here. `lancet show {}` shows it",
        OPERATION_FIRST,
        verbatim(operation),
        quote_path(path),
        verbatim(operation)
    ))
}
