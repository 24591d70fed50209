//! Undoes the changes of a file where some of the selection were undone before, out of order: the walk passes through
//! those undos like through the changes, back to the state before all of them.

use std::path::Path;

use lancet_history::{
    ALREADY_UNDONE_MARK, IdMatch, LogQuery, Operation, OperationKind, OperationStore,
};

use super::kept::unreadable_refusal;
use super::newest::project_query;
use super::select::FileRow;
use crate::refusal::Refusal;
use crate::stages::context::CallContext;
use crate::undo::{Selection, UndoRequest};

/// The most operations of one file that the walk passes through.
const MAX_OPERATIONS: usize = 500;

/// Lists the changes of a file that the selection means, those already undone too, and the undos of these, newest
/// first. None where the selection has no such undo, or has one that also undid changes outside of it.
pub(super) fn rows_with_undos(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    path: &Path,
    asked: &UndoRequest,
) -> Result<Option<Vec<FileRow>>, Refusal> {
    let Some(query) = query_for_selection(&asked.selection) else {
        return Ok(None);
    };
    let of_project = project_query(context, asked)?;
    let query = LogQuery {
        below: of_project.below,
        files_below: of_project.files_below,
        without: of_project.without,
        path: Some(path.to_path_buf()),
        limit: Some(MAX_OPERATIONS),
        ..query
    };
    let mut changes = store.query_log(&query).map_err(unreadable_refusal)?;
    changes.retain(|operation| operation.kind == OperationKind::Change);
    let is_meant = |id: &String| changes.iter().any(|change| change.id == *id);
    let mut undos: Vec<Operation> = Vec::new();
    for file in changes.iter().flat_map(|change| &change.files) {
        let by = match &file.undone_by {
            Some(by) if file.path == path && by != ALREADY_UNDONE_MARK => by,
            _ => continue,
        };
        if undos.iter().any(|undo| undo.id == *by) {
            continue;
        }
        match store.find(by, &[]).map_err(unreadable_refusal)? {
            IdMatch::One(undo) if undo.takes_back.iter().all(is_meant) => undos.push(*undo),
            _ => return Ok(None),
        }
    }
    if undos.is_empty() || changes.len() == MAX_OPERATIONS {
        return Ok(None);
    }
    let mut walked: Vec<Operation> = changes.into_iter().chain(undos).collect();
    walked.sort_by_key(|operation| std::cmp::Reverse(operation.sequence));
    let rows = walked.into_iter().flat_map(|operation| {
        let (id, kind, parent) = (operation.id, operation.kind, operation.parent);
        let (session, sequence) = (operation.session, operation.sequence);
        let files = operation.files.into_iter();
        let files = files.filter(|change| change.path == path);
        files.map(move |change| FileRow {
            operation: id.clone(),
            sequence,
            kind,
            parent: parent.clone(),
            change,
            not_kept: Vec::new(),
            since: None,
            session: session.clone(),
            shared_with: Vec::new(),
        })
    });
    Ok(Some(rows.collect()))
}

/// Returns the query for the changes that a selection of many covers, whether or not they were undone.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn query_for_selection(selection: &Selection) -> Option<LogQuery> {
    let all = LogQuery::default();
    Some(match selection {
        Selection::Session(name) => LogQuery {
            tree: Some(name.clone()),
            ..all
        },
        Selection::Client(name) => LogQuery {
            client: Some(name.clone()),
            ..all
        },
        Selection::Turn(turn) => LogQuery {
            turn: Some(turn.clone()),
            ..all
        },
        Selection::Since(time) => LogQuery {
            since: Some(*time),
            ..all
        },
        Selection::SincePrompt(mark) => LogQuery {
            tree: Some(mark.session.clone()),
            after: Some(mark.sequence),
            ..all
        },
        Selection::Newest
        | Selection::Last(_)
        | Selection::Operation(_)
        | Selection::File(_)
        | Selection::These(_) => return None,
        _ => return None,
    })
}
