//! What a message adds if no change has a typed id: the flag that is meant instead, or ids that are nearly the same.

use std::path::Path;

use lancet::history::{History, LogQuery};

use super::who;
use crate::terminal::escape_line_for_terminal;

/// The shortest id for which similar ones are searched: nearly every pair of ids shares two characters.
const MIN_COMPARED_LENGTH: usize = 3;
/// The most ids that are named.
const MAX_NAMED: usize = 3;

/// Returns a hint with the right flag, if a session, a client or a file was typed in place of an id; otherwise the ids
/// that are nearly the typed one, if there are some.
pub(super) fn hint_for_wrong_id(history: &History, typed: &str) -> Option<String> {
    let query = LogQuery {
        session: Some(typed.to_owned()),
        limit: Some(1),
        ..LogQuery::default()
    };
    let shown = escape_line_for_terminal(typed);
    if history.log(&query).is_ok_and(|found| !found.is_empty()) {
        return Some(format!(
            "; for the session of that name use --session {shown} (log, undo)"
        ));
    }
    if who::check_client(history, typed).is_ok() {
        return Some(format!(
            "; for the client of that name use --client {shown} (log, undo)"
        ));
    }
    match Path::new(typed).exists() {
        true => Some(format!(
            "; for the file use `lancet log {shown}` or `lancet undo --file {shown}`"
        )),
        false => similar_ids(history, typed),
    }
}

/// Names the changes whose ids are nearly a typed one.
fn similar_ids(history: &History, typed: &str) -> Option<String> {
    if typed.len() < MIN_COMPARED_LENGTH {
        return None;
    }
    let similar = history.with_similar_ids(typed, MAX_NAMED).ok()?;
    let short = history.short_ids(&similar).ok()?;
    let named: Vec<&str> = short.iter().map(|short| short.shown).collect();
    (!named.is_empty()).then(|| format!("; similar: {}", named.join(", ")))
}
