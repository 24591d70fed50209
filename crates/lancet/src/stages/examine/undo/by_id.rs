//! Finds operations by their ids.

use std::path::Path;

use lancet_history::{IdMatch, Operation, OperationKind, OperationStore};

use super::described::describe_operation;
use super::kept::unreadable_refusal;
use super::nothing::nothing_selected_refusal;
use crate::history::MIN_ACCEPTED_ID_LENGTH;
use crate::message::{FileText, OPERATION, OPERATION_CAPITALIZED, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::UndoScope;
use crate::stages::context::CallContext;
use crate::wording::quote_path;

/// Returns the operation with an id. A model may undo only those of its own session.
pub(super) fn own_operation(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    id: &str,
    whose: UndoScope,
) -> Result<Operation, Refusal> {
    let operation = find_by_partial_id(context, store, id)?;
    if whose == UndoScope::Own && operation.session != context.session.key() {
        return Err(nothing_selected_refusal(message!(
            "{} {} is not of this session",
            OPERATION_CAPITALIZED,
            verbatim(&operation)
        )));
    }
    Ok(operation)
}

/// Finds the operation by an ending of its id, or by a beginning of it.
pub(super) fn find_by_partial_id(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    part: &str,
) -> Result<Operation, Refusal> {
    if part.len() < MIN_ACCEPTED_ID_LENGTH {
        let text = message!(
            "{} is too short for an operation: give at least {} characters of its id.",
            verbatim(format!("{:?}", part)),
            MIN_ACCEPTED_ID_LENGTH
        );
        return Err(Refusal::from_message(RefusalKind::Invalid, text));
    }
    let below = context.engine().workspace.roots();
    match store.find(part, below).map_err(unreadable_refusal)? {
        IdMatch::One(operation) => {
            let others = context.other_workspaces().map_err(unreadable_refusal)?;
            match others.first_replaced(&operation) {
                None => Ok(*operation),
                Some(path) => Err(elsewhere_refusal(&operation, path)),
            }
        }
        IdMatch::None => Err(nothing_selected_refusal(message!(
            "There is no {} {}",
            OPERATION,
            verbatim(part)
        ))),
        IdMatch::Several(found) => {
            let lines: String = found.iter().map(describe_operation).collect();
            let text = message!(
                "{} is the ending or beginning of several ids. Give more of one of these:\n{}",
                verbatim(part),
                FileText(lines.trim_end().to_owned())
            );
            let ids: Vec<String> = found.into_iter().map(|operation| operation.id).collect();
            Err(Refusal::from_message(RefusalKind::Ambiguous, text).with_field("operations", ids))
        }
    }
}

/// Returns the operations of these ids that are not undone, newest first.
pub(super) fn find_not_undone(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    ids: &[String],
) -> Result<Vec<Operation>, Refusal> {
    let mut operations = Vec::with_capacity(ids.len());
    for id in ids {
        let operation = find_by_partial_id(context, store, id)?;
        if !operation.is_undone() && operation.kind == OperationKind::Change {
            operations.push(operation);
        }
    }
    operations.sort_by_key(|operation| std::cmp::Reverse(operation.sequence));
    Ok(operations)
}

/// Refuses an operation that changed a file of another folder with the same path.
fn elsewhere_refusal(operation: &Operation, path: &Path) -> Refusal {
    nothing_selected_refusal(message!(
        "{} {} changed {} in another folder that had the same path (in another container, or before the folder was recreated), so there is nothing of it to undo here. `lancet show {}` shows it",
        OPERATION_CAPITALIZED,
        verbatim(operation),
        quote_path(path),
        verbatim(operation)
    ))
}
