//! Selects the files of the operations that a request selects, newest first.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lancet_history::{
    ALREADY_UNDONE_MARK, FileChange, LogQuery, Operation, OperationKind, OperationStore,
    ParentFilter, RecordedState,
};

use super::by_id::{find_by_partial_id, find_not_undone, own_operation};
use super::kept::unreadable_refusal;
use super::not_recorded::nothing_recorded_refusal;
use super::nothing::{
    nothing_selected_refusal, nothing_to_take_back_refusal, nothing_to_undo_refusal,
};
use super::{head, hooks, newest};
use crate::message::{OPERATION, OPERATION_CAPITALIZED, SEND_AGAIN, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::UndoScope;
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, locate};
use crate::undo::{Direction, Selection, UndoRequest};
use crate::wording::quote_path;

/// How many operations of a file are read from the log at a time.
const OPERATIONS_PER_READ: usize = 50;
/// The most pages of the log in which changes under another name of the file (a hard link) are searched for.
const MAX_LINKED_READS: usize = 40;

/// One file of one operation.
pub(super) struct FileRow {
    pub(super) operation: String,
    /// Its place in the order of recording.
    pub(super) sequence: i64,
    pub(super) kind: OperationKind,
    /// The operation whose hook made the change.
    pub(super) parent: Option<String>,
    pub(super) change: FileChange,
    /// The files of the operation that it cannot restore; only set on its first row.
    pub(super) not_kept: Vec<PathBuf>,
    /// The number of the checkpoint before the operation, if another program made it.
    pub(super) since: Option<i64>,
    /// The session of the operation.
    pub(super) session: String,
    /// The sessions of other calls that may have made the change instead.
    pub(super) shared_with: Vec<String>,
}

impl FileRow {
    /// Returns the name that the file had before the change.
    pub(super) fn old_name(&self) -> &Path {
        let moved_from = self.change.moved_from.as_deref();
        moved_from.unwrap_or(&self.change.path)
    }

    /// Returns the names of the file, the one after the change first.
    pub(super) fn names(&self) -> impl Iterator<Item = &Path> {
        let path = self.change.path.as_path();
        std::iter::once(path).chain(self.change.moved_from.as_deref())
    }

    /// Returns whether the change made, changed, replaced or removed a symbolic link.
    pub(super) fn concerns_link(&self) -> bool {
        let states = [&self.change.before, &self.change.after];
        let mut states = states.into_iter().flatten();
        states.any(|state| state.link.is_some())
    }

    /// Returns whether the change made, replaced or removed an empty folder.
    pub(super) fn concerns_folder(&self) -> bool {
        let states = [&self.change.before, &self.change.after];
        states.into_iter().flatten().any(RecordedState::is_folder)
    }

    /// Returns whether the change concerned nothing but an empty folder.
    pub(super) fn is_of_folder(&self) -> bool {
        let states = [&self.change.before, &self.change.after];
        let mut states = states.into_iter().flatten();
        states.all(RecordedState::is_folder)
    }

    /// Returns whether the change only gave the file another name.
    pub(super) fn moves_only(&self) -> bool {
        let (before, after) = (&self.change.before, &self.change.after);
        let revision = |state: &Option<RecordedState>| state.as_ref().map(|state| state.revision);
        self.change.moved_from.is_some() && revision(before) == revision(after)
    }
}

/// Selects the rows that a request covers; the list is never empty.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
pub(super) fn select_rows(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    asked: &UndoRequest,
    whose: UndoScope,
) -> Result<Vec<FileRow>, Refusal> {
    let query = newest::reversible_query(context, asked, whose)?;
    let log = |query: LogQuery| store.query_log(&query).map_err(unreadable_refusal);
    let operations = match &asked.selection {
        Selection::Newest => log(LogQuery {
            limit: Some(1),
            parentage: Some(ParentFilter::None),
            ..newest::with_redos(query.clone(), asked, whose)
        })?,
        Selection::Last(number) => {
            let query = LogQuery {
                parentage: Some(ParentFilter::None),
                ..newest::with_redos(query, asked, whose)
            };
            let rows = select_newest(store, &log, &query, *number)?;
            return hooks::with_hook_changes(&log, rows);
        }
        Selection::Operation(id) => {
            let operation = own_operation(context, store, id, whose)?;
            let refusal = head::only_moved_refusal(context, &operation);
            if let Some(refusal) = refusal.or_else(|| nothing_recorded_refusal(&operation)) {
                return Err(refusal);
            }
            let resolved = resolve_operation(context, store, operation, asked.direction)?;
            vec![resolved]
        }
        Selection::File(path) if whose == UndoScope::Own => {
            // A model writes the path as in any other call.
            let target = locate(context.engine(), &path.to_string_lossy(), Intent::Edit)?;
            let rows = newest_change_of_file(context, &log, query, target.path())?;
            return hooks::with_change_before_hook(store, rows);
        }
        Selection::File(path) => {
            let rows = newest_change_of_file(context, &log, query, path)?;
            return hooks::with_change_before_hook(store, rows);
        }
        Selection::Session(name) => log(LogQuery {
            tree: Some(name.clone()),
            ..query
        })?,
        Selection::Client(name) => log(LogQuery {
            client: Some(name.clone()),
            limit: (asked.direction == Direction::Redo).then_some(1),
            ..query
        })?,
        Selection::Turn(turn) => log(LogQuery {
            turn: Some(turn.clone()),
            ..query
        })?,
        Selection::These(ids) => find_not_undone(context, store, ids)?,
        Selection::Since(time) => log(LogQuery {
            since: Some(*time),
            ..newest::included_callers(query, asked)
        })?,
        Selection::SincePrompt(mark) => log(LogQuery {
            tree: Some(mark.session.clone()),
            after: Some(mark.sequence),
            ..query
        })?,
        _ => return Err(Refusal::unknown_request()),
    };
    let rows: Vec<FileRow> = operations.into_iter().flat_map(rows_not_undone).collect();
    let rows = match asked.direction {
        Direction::Undo => hooks::with_hook_changes(&log, rows)?,
        Direction::Redo => rows,
    };
    if rows.is_empty() {
        return Err(nothing_to_take_back_refusal(asked));
    }
    Ok(rows)
}

/// Selects the newest operations. A change that a redo among them restored is undone with the redo, and does not count
/// separately.
fn select_newest(
    store: &dyn OperationStore,
    log: &dyn Fn(LogQuery) -> Result<Vec<Operation>, Refusal>,
    query: &LogQuery,
    number: usize,
) -> Result<Vec<FileRow>, Refusal> {
    let taken_back = |operation: &str| {
        store
            .reversed_changes(operation)
            .map_err(unreadable_refusal)
    };
    let mut put_back: HashSet<(String, usize)> = HashSet::new();
    let mut rows = Vec::new();
    let mut before = None;
    let mut left = number;
    while left > 0 {
        let page = log(LogQuery {
            before,
            limit: Some(OPERATIONS_PER_READ),
            ..query.clone()
        })?;
        let Some(oldest) = page.last() else { break };
        before = Some(oldest.id.clone());
        for operation in page {
            if operation.kind == OperationKind::Redo {
                for undo in taken_back(&operation.id)? {
                    let changes = taken_back(&undo.operation)?.into_iter();
                    let changes = changes.filter(|change| change.by == Some(undo.at));
                    put_back.extend(changes.map(|change| (change.operation, change.at)));
                }
            }
            let mut standing = rows_not_undone(operation);
            standing.retain(|row| !put_back.contains(&(row.operation.clone(), row.change.at)));
            if standing.is_empty() {
                continue;
            }
            rows.extend(standing);
            left -= 1;
            if left == 0 {
                break;
            }
        }
    }
    match rows.is_empty() {
        true => Err(nothing_to_undo_refusal(&Selection::Last(number))),
        false => Ok(rows),
    }
}

/// Refuses to continue with operations other than those in the question to the person: the history may have changed
/// while the question was open.
pub(super) fn require_same_choice(
    context: &CallContext<'_>,
    rows: &[FileRow],
) -> Result<(), Refusal> {
    let mut chosen = context.chosen.borrow_mut();
    if chosen.is_empty() || context.waited.get().is_zero() {
        *chosen = rows.iter().map(|row| row.operation.clone()).collect();
        return Ok(());
    }
    match rows.iter().find(|row| !chosen.contains(&row.operation)) {
        None => Ok(()),
        Some(row) => Err(Refusal::from_message(
            RefusalKind::Stale,
            message!(
                "The history changed while this was asked: {} {} would be next now. Nothing was changed; {} to be asked about that one.",
                OPERATION,
                verbatim(&row.operation),
                SEND_AGAIN
            ),
        )),
    }
}

/// Returns the operation itself or, for a redo, the undo that undid it.
fn resolve_operation(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    operation: Operation,
    direction: Direction,
) -> Result<Operation, Refusal> {
    let undone_by = operation
        .files
        .iter()
        .find_map(|file| file.undone_by.clone());
    let found_back = undone_by.as_deref() == Some(ALREADY_UNDONE_MARK);
    match (direction, operation.kind, undone_by) {
        (Direction::Redo, OperationKind::Change | OperationKind::Redo, Some(_)) if found_back => {
            Err(nothing_selected_refusal(message!(
                "No undo took {} {} back: its files were found as they were before. `lancet restore FILE@{}` brings back what it left",
                OPERATION,
                verbatim(&operation),
                verbatim(&operation)
            )))
        }
        (_, _, Some(_)) if found_back && operation.is_undone() => {
            Err(nothing_selected_refusal(message!(
                "{} {} is undone already: its files were found as they were before",
                OPERATION_CAPITALIZED,
                verbatim(&operation)
            )))
        }
        (_, OperationKind::Late, _) => Err(nothing_selected_refusal(message!(
            "{} {} is what someone else wrote into an old version; it was never in the file, so there is nothing to undo. `lancet restore FILE@{}` brings it there",
            OPERATION_CAPITALIZED,
            verbatim(&operation),
            verbatim(&operation)
        ))),
        (Direction::Redo, OperationKind::Change | OperationKind::Redo, Some(by)) => {
            find_by_partial_id(context, store, &by)
        }
        (Direction::Redo, OperationKind::Change | OperationKind::Redo, None) => {
            Err(nothing_selected_refusal(message!(
                "{} {} is not undone, so there is nothing to redo",
                OPERATION_CAPITALIZED,
                verbatim(&operation)
            )))
        }
        (_, _, Some(by)) if operation.is_undone() => Err(nothing_selected_refusal(message!(
            "{} {} is undone already, by {}",
            OPERATION_CAPITALIZED,
            verbatim(&operation),
            verbatim(by)
        ))),
        _ => Ok(operation),
    }
}

/// Finds the newest change of one file, under any of its names, whichever other files its operation changed.
fn newest_change_of_file(
    context: &CallContext<'_>,
    log: &dyn Fn(LogQuery) -> Result<Vec<Operation>, Refusal>,
    query: LogQuery,
    path: &Path,
) -> Result<Vec<FileRow>, Refusal> {
    let inode = |path: &Path| {
        let located = context.engine().workspace.locate_as_spelled(path).ok()?;
        let stamp = located.stat().filter(|stamp| stamp.links > 1)?;
        Some((stamp.device, stamp.inode))
    };
    let links = inode(path);
    let mut before = None;
    for page in 0.. {
        // The log is searched by name; the other names of a file with hard links are unknown, so for those all
        // operations are read.
        let by_name = links.is_none() || page >= MAX_LINKED_READS;
        let page = log(LogQuery {
            path: by_name.then(|| path.to_path_buf()),
            before: before.clone(),
            limit: Some(OPERATIONS_PER_READ),
            ..query.clone()
        })?;
        let Some(last) = page.last() else {
            return Err(nothing_selected_refusal(message!(
                "There is nothing to undo of {}",
                quote_path(path)
            )));
        };
        before = Some(last.id.clone());
        for operation in page {
            let mut rows = rows_not_undone(operation);
            let has = |row: &FileRow, is_meant: &dyn Fn(&Path) -> bool| row.names().any(is_meant);
            let found = rows.iter().position(|row| has(row, &|name| name == path));
            // If the operation changed several names of the file, the name that was given is meant.
            let found = found.or_else(|| {
                let is_link = |name: &Path| !by_name && inode(name) == links;
                rows.iter().position(|row| has(row, &is_link))
            });
            if let Some(at) = found {
                return Ok(vec![rows.swap_remove(at)]);
            }
        }
    }
    Err(nothing_selected_refusal("There is no such change"))
}

/// Returns the files of an operation that have not been undone.
pub(super) fn rows_not_undone(operation: Operation) -> Vec<FileRow> {
    let recorded = operation.recorded.unwrap_or_default();
    let mut not_kept = Some(recorded.not_kept);
    let files = operation.files.into_iter();
    files
        .filter(|change| change.undone_by.is_none())
        .map(|change| FileRow {
            operation: operation.id.clone(),
            sequence: operation.sequence,
            kind: operation.kind,
            parent: operation.parent.clone(),
            not_kept: not_kept.take().unwrap_or_default(),
            since: recorded.since,
            session: operation.session.clone(),
            shared_with: match recorded.shared.contains(&change.path) {
                true => recorded.shared_with.clone(),
                false => Vec::new(),
            },
            change,
        })
        .collect()
}
