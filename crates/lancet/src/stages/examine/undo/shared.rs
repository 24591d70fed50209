//! Files that two recorded calls may both have changed, because these ran at the same time. Undoing one of the calls
//! might undo what the other one did, so the files are left out unless a person was asked about them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lancet_history::{OperationStore, SubAgent};

use super::kept::unreadable_refusal;
use super::select::FileRow;
use crate::message::{Message, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::plan::ConflictingFile;
use crate::undo::{Direction, Selection, SharedChanges, UndoRequest};
use crate::wording::{quote_path, truncate};

/// The longest name of a session in a sentence, in characters.
const LONGEST: usize = 64;

/// Takes out the rows of files that another call, which the request does not cover, may have changed. Each of these
/// files is left out.
pub(super) fn set_apart(
    store: &dyn OperationStore,
    rows: Vec<FileRow>,
    asked: &UndoRequest,
) -> Result<(Vec<FileRow>, Vec<ConflictingFile>), Refusal> {
    let is_any = rows.iter().any(|row| !row.shared_with.is_empty());
    if !is_any || asked.shared == SharedChanges::Include || asked.direction == Direction::Redo {
        return Ok((rows, Vec::new()));
    }
    let covered = covered_sessions(store, &rows, &asked.selection)?;
    let is_unsure = |row: &&FileRow| {
        let mut sessions = row.shared_with.iter();
        sessions.any(|session| !covered.contains(session))
    };
    let mut left_out: Vec<ConflictingFile> = Vec::new();
    for row in rows.iter().filter(is_unsure) {
        let path = &row.change.path;
        if left_out.iter().all(|left| left.path != *path) {
            left_out.push(ConflictingFile {
                path: path.clone(),
                operation: row.operation.clone(),
                refusal: refusal(path, &row.shared_with),
            });
        }
    }
    let unsure: HashSet<PathBuf> = left_out.iter().map(|left| left.path.clone()).collect();
    let is_sure = |row: &FileRow| !row.names().any(|name| unsure.contains(name));
    let sure = rows.into_iter().filter(is_sure).collect();
    Ok((sure, left_out))
}

/// Returns the sessions all of whose changes a selection covers.
fn covered_sessions(
    store: &dyn OperationStore,
    rows: &[FileRow],
    selection: &Selection,
) -> Result<HashSet<String>, Refusal> {
    let top = match selection {
        Selection::Session(name) => name,
        Selection::SincePrompt(mark) => &mark.session,
        Selection::Newest | Selection::Last(_) | Selection::Operation(_) | Selection::File(_) => {
            return Ok(HashSet::new());
        }
        _ => return Ok(rows.iter().map(|row| row.session.clone()).collect()),
    };
    let sub_agents = store.sub_agents().map_err(unreadable_refusal)?;
    Ok(tree(top, &sub_agents))
}

/// Returns a session with its sub-agents, and theirs.
fn tree(top: &str, sub_agents: &[SubAgent]) -> HashSet<String> {
    let mut found = HashSet::from([top.to_owned()]);
    let mut next = vec![top.to_owned()];
    while let Some(parent) = next.pop() {
        for sub_agent in sub_agents.iter().filter(|one| one.parent == parent) {
            if found.insert(sub_agent.session.clone()) {
                next.push(sub_agent.session.clone());
            }
        }
    }
    found
}

fn refusal(path: &Path, sessions: &[String]) -> Refusal {
    let text = message!(
        "{} was changed while another call ran, of {}, which may have changed it instead. It was left as it is; a person at a terminal is asked about it.",
        quote_path(path),
        sessions_named(sessions)
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", quote_path(path))
}

/// The notice for a file that another call may have changed.
pub(super) fn notice(rows: &[&FileRow]) -> Option<Message> {
    let row = rows.iter().find(|row| !row.shared_with.is_empty())?;
    Some(message!(
        "another call, of {}, ran at the same time and may have made this change",
        sessions_named(&row.shared_with)
    ))
}

fn sessions_named(sessions: &[String]) -> Message {
    let first = sessions.first().map_or("", String::as_str);
    let first = verbatim(format!("the session {:?}", truncate(first, LONGEST)));
    match sessions.len().saturating_sub(1) {
        0 => message!("{}", first),
        more => message!("{} and {} more", first, more),
    }
}
