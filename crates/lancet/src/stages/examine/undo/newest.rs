//! Queries for the newest changes.

use lancet_history::{CallerFilter, LogQuery, ReversalDirection};

use crate::request::UndoScope;
use crate::undo::{Direction, UndoRequest, UnknownCallers};

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
