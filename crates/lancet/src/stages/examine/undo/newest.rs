//! Queries for the newest changes.

use lancet_history::{LogQuery, ReversalDirection, UNATTRIBUTED_TOOL};

use crate::request::UndoScope;
use crate::undo::Direction;

/// Returns the query without changes whose call is not known: they are undone only if the user names them.
pub(super) fn only_known_calls(query: LogQuery) -> LogQuery {
    LogQuery {
        without_tool: Some(UNATTRIBUTED_TOOL.to_owned()),
        ..query
    }
}

/// Returns the query for the newest changes. The newest one may be a redo, and undoing it undoes the changes that it
/// restored. A model may undo only changes of its own session.
pub(super) fn with_redos(query: LogQuery, direction: Direction, whose: UndoScope) -> LogQuery {
    let query = only_known_calls(query);
    match (direction, whose) {
        (Direction::Undo, UndoScope::Everyone) => LogQuery {
            reversible: Some(ReversalDirection::UndoableOrRedone),
            ..query
        },
        _ => query,
    }
}
