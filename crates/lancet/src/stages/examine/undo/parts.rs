//! Hunks of a change that a person has undone: they lie between the state that the change left and the present one.
//! Undoing the change passes through them, and so undoes the rest of it.

use std::path::Path;

use lancet_history::{OperationStore, PartialUndo, ReversedChange, Revision};

use super::kept::unreadable_refusal;
use super::select::FileRow;
use crate::refusal::Refusal;

/// Returns the operations that undid hunks and lead from the state that a change left to the content that was found,
/// newest first; none where something else was written in between.
pub(super) fn hunk_undos_between(
    store: &dyn OperationStore,
    path: &Path,
    found: Option<Revision>,
    left: Option<Revision>,
) -> Result<Option<Vec<PartialUndo>>, Refusal> {
    let mut parts = store
        .partial_undos(path)
        .map_err(unreadable_refusal)?
        .into_iter();
    let mut at = found;
    let mut through = Vec::new();
    while at != left {
        let Some(part) = parts.find(|part| part.after == at) else {
            return Ok(None);
        };
        at = part.before;
        through.push(part);
    }
    Ok((!through.is_empty()).then_some(through))
}

/// Returns whether every change that the hunks belong to is among these rows.
pub(super) fn are_all_selected(parts: &[PartialUndo], rows: &[FileRow]) -> bool {
    let of_request: Vec<ReversedChange> = rows
        .iter()
        .map(|row| ReversedChange {
            by: None,
            operation: row.operation.clone(),
            at: row.change.at,
        })
        .collect();
    parts.iter().all(|part| part.is_covered_by(&of_request))
}
