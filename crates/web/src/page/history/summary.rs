//! An operation as it is shown in lists.

use lancet::doors::escape_line_for_terminal;
use lancet::history::{
    FileChange, History, MarkQuery, Operation, OperationKind, OperationState, PromptMark,
    UNATTRIBUTED_TOOL,
};
use lancet::review::{PAGE_CLIENT, SHELL_CLIENT};

use super::change_facts::change_label;
use super::recorded_call::call_title;
use crate::page::links;
use crate::page::moment::Timestamp;

/// The number of an operation's files that a list names.
const MOST_FILES: usize = 4;
/// The prefix of the key of a session without a name.
const UNNAMED_PREFIX: &str = "unnamed-";
/// The number of characters of an id that are shown.
const SHOWN_ID_LENGTH: usize = 6;

/// One operation.
pub(super) struct Summary {
    pub(super) id: String,
    pub(super) short: String,
    pub(super) tool: String,
    /// The name or the command line, if another program made the change.
    pub(super) call: Option<String>,
    pub(super) time: Timestamp,
    /// The author: the agent's name, or the user.
    pub(super) who: String,
    /// The session if it has a name, with the link to its operations.
    pub(super) session: Option<(String, String)>,
    /// The kind of operation if it is not a plain change: "undo", "redo", "written late".
    pub(super) kind: Option<&'static str>,
    pub(super) is_unsure: bool,
    /// Whether all of it was undone, or a part.
    pub(super) undone: Option<&'static str>,
    pub(super) files: Vec<FileSummary>,
    pub(super) more_files: usize,
    pub(super) added: u64,
    pub(super) removed: u64,
}

/// One file of an operation.
pub(super) struct FileSummary {
    pub(super) path: String,
    pub(super) link: String,
    pub(super) kind: Option<&'static str>,
    pub(super) moved_from: Option<String>,
    pub(super) added: u64,
    pub(super) removed: u64,
}

impl Summary {
    pub(super) fn from_operation(operation: &Operation, history: &History) -> Self {
        let files = &operation.files;
        let undone = files.iter().filter(|file| file.undone_by.is_some()).count();
        Self {
            id: operation.id.clone(),
            short: shorten_id(&operation.id),
            tool: escape_line_for_terminal(&operation.tool).into_owned(),
            call: operation.recorded.as_ref().and_then(call_title),
            time: Timestamp(operation.time),
            who: author_name(operation),
            session: (!operation.session.starts_with(UNNAMED_PREFIX)).then(|| {
                let link =
                    links::address_with_query("/history", &[("session", &operation.session)]);
                (
                    escape_line_for_terminal(&operation.session).into_owned(),
                    link,
                )
            }),
            kind: match operation.kind {
                OperationKind::Undo => Some("undo"),
                OperationKind::Redo => Some("redo"),
                OperationKind::Late => Some("written late"),
                _ => None,
            },
            is_unsure: operation.state == OperationState::Unsure,
            undone: match undone {
                0 => None,
                all if all == files.len() => Some("undone"),
                _ => Some("partly undone"),
            },
            more_files: files.len().saturating_sub(MOST_FILES),
            added: files.iter().map(|file| file.added).sum(),
            removed: files.iter().map(|file| file.removed).sum(),
            files: files
                .iter()
                .take(MOST_FILES)
                .map(|file| FileSummary::from_change(file, history))
                .collect(),
        }
    }
}

impl FileSummary {
    pub(super) fn from_change(file: &FileChange, history: &History) -> Self {
        Self {
            path: links::display_path(history, &file.path),
            link: links::file_history_address(&file.path),
            kind: change_label(file),
            moved_from: file
                .moved_from
                .as_ref()
                .map(|old| links::display_path(history, old)),
            added: file.added,
            removed: file.removed,
        }
    }
}

/// Returns the last characters of an id.
pub(super) fn shorten_id(id: &str) -> String {
    let from = id.len().saturating_sub(SHOWN_ID_LENGTH);
    id.get(from..).unwrap_or(id).to_owned()
}

/// Returns the author of an operation.
pub(super) fn author_name(operation: &Operation) -> String {
    match operation.client.as_deref() {
        Some(SHELL_CLIENT) => "a person at the shell".to_owned(),
        Some(PAGE_CLIENT) => "a person on the page".to_owned(),
        Some(client) => match &operation.version {
            Some(version) => escape_line_for_terminal(&format!("{client} {version}")).into_owned(),
            None => escape_line_for_terminal(client).into_owned(),
        },
        None if operation.tool == UNATTRIBUTED_TOOL => {
            "a person or a program, not known".to_owned()
        }
        None => "a program without a name".to_owned(),
    }
}

/// Returns the prompts that led to operations, for each operation in order.
pub(super) fn prompts_of_operations(
    history: &History,
    operations: &[Operation],
) -> Vec<Option<String>> {
    let mut known: Vec<(&str, Vec<PromptMark>)> = Vec::new();
    let mut found = Vec::with_capacity(operations.len());
    for operation in operations {
        let session = operation.session.as_str();
        if !known.iter().any(|(name, _)| *name == session) {
            let query = MarkQuery {
                session: Some(session.to_owned()),
                ..MarkQuery::default()
            };
            // If the prompts cannot be read, the list is shown without them.
            known.push((
                session,
                history.recorded_prompts(&query).unwrap_or_default(),
            ));
        }
        let marks = known.iter().find(|(name, _)| *name == session);
        let mark = marks.and_then(|(_, marks)| {
            let later = marks.partition_point(|mark| mark.sequence >= operation.sequence);
            marks.get(later)
        });
        found.push(mark.map(|mark| escape_line_for_terminal(&mark.prompt).into_owned()));
    }
    found
}
