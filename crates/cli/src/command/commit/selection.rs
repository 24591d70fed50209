//! The changes that `lancet commit` is about.

use lancet::history::{History, LogQuery, Operation};

use crate::arguments::CommitArguments;
use crate::command::history::access::unreadable_failure;
use crate::command::history::{default_query, time, who};
use crate::failure::Failure;

/// The selected changes.
pub(super) struct SelectedChanges {
    pub(super) operations: Vec<Operation>,
    /// Which changes they are, for messages: "of claude-code".
    pub(super) description: String,
}

/// Selects the changes that the options name.
pub(super) fn select(
    arguments: &CommitArguments,
    history: &History,
) -> Result<SelectedChanges, Failure> {
    let all = LogQuery::default();
    let (query, description) = if let Some(session) = &arguments.session {
        who::check_session(history, session)?;
        let tree = Some(session.clone());
        (LogQuery { tree, ..all }, format!("of {session}"))
    } else if let Some(client) = &arguments.client {
        who::check_client(history, client)?;
        let name = Some(who::client_from_display_name(client));
        let query = LogQuery {
            client: name,
            ..all
        };
        (query, format!("of {client}"))
    } else if let Some(turn) = &arguments.turn {
        let query = LogQuery {
            turn: Some(turn.clone()),
            ..all
        };
        (query, format!("of turn {turn}"))
    } else if let Some(since) = &arguments.since {
        let since = time::parse_since(since)?;
        let query = LogQuery {
            since: Some(since),
            ..all
        };
        (query, format!("since {}", time::format_local(since)))
    } else {
        default_query(history)?
    };
    Ok(SelectedChanges {
        operations: history.log(&query).map_err(unreadable_failure)?,
        description,
    })
}
