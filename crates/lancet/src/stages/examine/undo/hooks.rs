//! Changes that hooks made after an operation are undone together with it.

use std::collections::HashSet;

use lancet_history::{
    IdMatch, LogQuery, Operation, OperationStore, ParentFilter, ReversalDirection,
};

use super::kept::unreadable_refusal;
use super::select::{FileRow, rows_not_undone};
use crate::refusal::Refusal;

/// Adds the changes that hooks of the operations made, before the operations themselves, since they are newer.
pub(super) fn with_hook_changes(
    log: &dyn Fn(LogQuery) -> Result<Vec<Operation>, Refusal>,
    rows: Vec<FileRow>,
) -> Result<Vec<FileRow>, Refusal> {
    let known: HashSet<(String, usize)> = rows.iter().map(row_key).collect();
    let mut all = Vec::with_capacity(rows.len());
    let mut looked_up: HashSet<String> = HashSet::new();
    for row in rows {
        if looked_up.insert(row.operation.clone()) {
            let children = log(LogQuery {
                parentage: Some(ParentFilter::Of(row.operation.clone())),
                reversible: Some(ReversalDirection::Undoable),
                ..LogQuery::default()
            })?;
            let children = children.into_iter().flat_map(rows_not_undone);
            all.extend(children.filter(|child| !known.contains(&row_key(child))));
        }
        all.push(row);
    }
    Ok(all)
}

/// Adds, to the change that a hook made in a file, the change that the hook followed.
pub(super) fn with_change_before_hook(
    store: &dyn OperationStore,
    mut rows: Vec<FileRow>,
) -> Result<Vec<FileRow>, Refusal> {
    let Some(row) = rows.last() else {
        return Ok(rows);
    };
    let find = |parent: &String| match store.find(parent, &[]).map_err(unreadable_refusal)? {
        IdMatch::One(operation) => Ok(Some(*operation)),
        IdMatch::None | IdMatch::Several(_) => Ok(None),
    };
    let parent = row.parent.as_ref().map(find).transpose()?.flatten();
    let path = row.change.path.clone();
    let of_file = parent.into_iter().flat_map(rows_not_undone);
    rows.extend(of_file.filter(|row| row.change.path == path));
    Ok(rows)
}

fn row_key(row: &FileRow) -> (String, usize) {
    (row.operation.clone(), row.change.at)
}
