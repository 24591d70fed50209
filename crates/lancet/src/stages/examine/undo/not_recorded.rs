//! Changed files whose content was not recorded: an undo leaves them as they are, and names them in its question and in its
//! answer.

use std::collections::HashSet;
use std::path::PathBuf;

use lancet_history::{LogQuery, Operation, OperationStore};

use super::head::is_open_ended;
use super::kept::unreadable_refusal;
use super::nothing::nothing_selected_refusal;
use super::select::FileRow;
use crate::message::{Message, OPERATION_CAPITALIZED, message, verbatim};
use crate::refusal::Refusal;
use crate::stages::context::CallContext;
use crate::stages::plan::Plan;
use crate::undo::{Direction, Selection, UndoRequest};
use crate::wording::{QuotedPath, quote_path};

/// The longest list of paths in a sentence, in characters.
const MAX_LIST_LENGTH: usize = 4_000;

/// Names the files of the undone calls that are not restored.
pub(super) fn add_notice(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    rows: &[FileRow],
    plan: &mut Plan,
    asked: &UndoRequest,
) -> Result<(), Refusal> {
    if asked.direction == Direction::Redo {
        return Ok(());
    }
    let taken = plan.origin.takes_back.iter();
    let ids: HashSet<&str> = taken.map(|taken| taken.operation.as_str()).collect();
    let undone = rows.iter().filter(|row| ids.contains(&*row.operation));
    let mut files: Vec<PathBuf> = undone
        .clone()
        .flat_map(|row| row.not_kept.clone())
        .collect();
    for call in calls_without_files(context, store, undone, &asked.selection)? {
        files.extend(call.recorded.unwrap_or_default().not_kept);
    }
    files.sort();
    files.dedup();
    if files.is_empty() {
        return Ok(());
    }
    let names = names(&files);
    match (plan.files.first_mut(), &mut plan.origin.lead) {
        (Some(first), _) => {
            let notice = message!("not recorded, so left as they are: {}", names);
            first.view.notices.push(notice);
        }
        (None, Some(lead)) => lead.push(message!(" Not recorded, so left as they are: {}.", names)),
        (None, None) => {}
    }
    Ok(())
}

/// Returns the calls of which nothing was recorded, and which an undo of some changes passes over.
fn calls_without_files<'r>(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    undone: impl Iterator<Item = &'r FileRow> + Clone,
    selection: &Selection,
) -> Result<Vec<Operation>, Refusal> {
    let oldest = undone.clone().map(|row| row.sequence).min();
    let is_newest = matches!(selection, Selection::Newest | Selection::Last(_));
    let Some(oldest) = oldest.filter(|_| is_newest || is_open_ended(selection)) else {
        return Ok(Vec::new());
    };
    let sessions: HashSet<&str> = undone.map(|row| row.session.as_str()).collect();
    let query = LogQuery {
        below: context.engine().roots().to_vec(),
        without: context
            .other_workspaces()
            .map_err(unreadable_refusal)?
            .ids(),
        after: Some(oldest - 1),
        without_files: true,
        ..LogQuery::default()
    };
    let mut operations = store.query_log(&query).map_err(unreadable_refusal)?;
    operations.retain(|operation| {
        is_only_not_recorded(operation) && (is_newest || sessions.contains(&*operation.session))
    });
    Ok(operations)
}

/// Returns the refusal to undo a call of which nothing was recorded; none for any other.
pub(super) fn nothing_recorded_refusal(operation: &Operation) -> Option<Refusal> {
    let call = operation.recorded.as_ref()?;
    is_only_not_recorded(operation).then(|| {
        nothing_selected_refusal(message!(
            "{} {} cannot be undone: the content of what it changed was not recorded ({})",
            OPERATION_CAPITALIZED,
            verbatim(operation),
            names(&call.not_kept)
        ))
    })
}

/// Returns whether a call changed files, and none of them can be restored.
fn is_only_not_recorded(operation: &Operation) -> bool {
    let call = operation.recorded.as_ref();
    operation.files.is_empty() && call.is_some_and(|call| !call.not_kept.is_empty())
}

fn names(files: &[PathBuf]) -> Message {
    let files: Vec<QuotedPath> = files.iter().map(|file| quote_path(file)).collect();
    Message::joined(&files, ", ").truncate(MAX_LIST_LENGTH)
}
