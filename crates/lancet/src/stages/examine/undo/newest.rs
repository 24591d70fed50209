//! Queries for the changes that a request may undo, and for the newest of them.

use lancet_history::{CallerFilter, FilesBelow, LogQuery, ReversalDirection};

use super::kept::unreadable_refusal;
use crate::refusal::Refusal;
use crate::request::UndoScope;
use crate::stages::context::CallContext;
use crate::undo::{Direction, UndoRequest, UnknownCallers};

/// Returns the query for all operations that the caller may undo, or redo.
pub(super) fn reversible_query(
    context: &CallContext<'_>,
    asked: &UndoRequest,
    whose: UndoScope,
) -> Result<LogQuery, Refusal> {
    let reversible = match asked.direction {
        Direction::Undo => ReversalDirection::Undoable,
        Direction::Redo => ReversalDirection::Redoable,
    };
    Ok(LogQuery {
        session: (whose == UndoScope::Own).then(|| context.session.key().to_owned()),
        reversible: Some(reversible),
        ..project_query(context, asked)?
    })
}

/// Returns the query for all operations of the project that a request is about.
pub(super) fn project_query(
    context: &CallContext<'_>,
    asked: &UndoRequest,
) -> Result<LogQuery, Refusal> {
    let (below, files_below) = match asked.project.as_slice() {
        [] => (context.engine().roots(), FilesBelow::All),
        project => (project, FilesBelow::Any),
    };
    Ok(LogQuery {
        below: below.to_vec(),
        files_below,
        without: context
            .other_workspaces()
            .map_err(unreadable_refusal)?
            .ids(),
        ..LogQuery::default()
    })
}

/// Returns the query without changes whose caller is not known, unless the request includes them.
pub(super) fn included_callers(query: LogQuery, asked: &UndoRequest) -> LogQuery {
    let callers = match asked.unknown_callers {
        UnknownCallers::LeaveOut => CallerFilter::Known,
        UnknownCallers::Include => CallerFilter::All,
    };
    LogQuery { callers, ..query }
}

/// Returns the query for the newest changes. The newest one may be a redo, and undoing it undoes the changes that it
/// restored. A model may undo only changes of its own session.
pub(super) fn with_redos(query: LogQuery, asked: &UndoRequest, whose: UndoScope) -> LogQuery {
    let query = included_callers(query, asked);
    match (asked.direction, whose) {
        (Direction::Undo, UndoScope::Everyone) => LogQuery {
            reversible: Some(ReversalDirection::UndoableOrRedone),
            ..query
        },
        _ => query,
    }
}
