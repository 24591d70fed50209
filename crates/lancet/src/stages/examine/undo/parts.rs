//! Hunks of a change that a person has undone: they lie between the state that the change left and the present one.
//! Undoing the change passes through them, and so undoes the rest of it.

use std::path::Path;

use lancet_history::{OperationStore, PartTakenBack, Revision, TakenBack};

use super::kept::unreadable;
use super::select::FileRow;
use crate::refusal::Refusal;

/// Returns the operations that undid hunks and lead from the state that a change left to the content that was found,
/// newest first; none where something else was written in between.
pub(super) fn between(
    store: &dyn OperationStore,
    path: &Path,
    found: Option<Revision>,
    left: Option<Revision>,
) -> Result<Option<Vec<PartTakenBack>>, Refusal> {
    let mut parts = store
        .parts_taken_back(path)
        .map_err(unreadable)?
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
pub(super) fn are_within(parts: &[PartTakenBack], rows: &[FileRow]) -> bool {
    let of_request: Vec<TakenBack> = rows
        .iter()
        .map(|row| TakenBack {
            by: None,
            operation: row.operation.clone(),
            at: row.change.at,
        })
        .collect();
    parts.iter().all(|part| part.is_part_of(&of_request))
}
