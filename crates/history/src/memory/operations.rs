//! The steps of operations, each in one transaction: announced, completed, marked as undone, removed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{OperationRow, SharedState};
use crate::error::{AnnounceConflict, HistoryError};
use crate::operation::{
    CallerFilter, ChangeKind, DraftState, FileChange, FileDraft, FilesBelow, LogQuery, Operation,
    OperationDraft, OperationKind, OperationState, RecordedState, ReversalDirection,
};

/// The length of a chain of undo and redo after which marking stops.
const MAX_UNDO_CHAIN: usize = 1_000;

impl SharedState {
    /// Announces an operation of a process. If it may not be announced, nothing changes.
    pub(super) fn announce_operation(
        &mut self,
        draft: &OperationDraft<'_>,
        process: u64,
    ) -> Result<(), HistoryError> {
        let asked_by = draft.question.and_then(|id| self.session_of_question(id));
        let stop = self.stops.iter().find(|stop| {
            stop.session == draft.author.session || asked_by == Some(stop.session.as_str())
        });
        if let Some(stop) = stop.filter(|_| draft.kind != OperationKind::Late) {
            return Err(HistoryError::Conflict(AnnounceConflict::Stopped(Box::new(
                stop.clone(),
            ))));
        }
        if self.find_operation(draft.id).is_some() {
            return Err(HistoryError::Conflict(AnnounceConflict::Taken(
                draft.id.to_owned(),
            )));
        }
        if let Some(question) = draft.question
            && !self.use_up_approval(question, draft.id)
        {
            return Err(HistoryError::Conflict(AnnounceConflict::UsedUp(
                question.to_owned(),
            )));
        }
        self.insert(draft, Some(process));
        Ok(())
    }

    pub(super) fn insert(&mut self, draft: &OperationDraft<'_>, announced_by: Option<u64>) {
        for file in &draft.files {
            for state in file.before.iter().chain(&file.after) {
                self.store_content(state);
            }
        }
        self.sequence += 1;
        let mut operation = to_operation(draft);
        operation.sequence = self.sequence;
        self.operations.push(OperationRow {
            operation,
            announced_by,
            takes_back: draft.takes_back.clone(),
            broken_links: BTreeSet::new(),
        });
    }

    /// Records what is known only after the write, and marks the changes that the operation reverses. Returns the
    /// folders of these changes in which no change has a file.
    pub(super) fn complete_operation(&mut self, draft: &OperationDraft<'_>) -> Vec<PathBuf> {
        for after in draft.files.iter().filter_map(|file| file.after.as_ref()) {
            self.store_content(after);
        }
        if let Some(kept) = self.find_operation(draft.id) {
            kept.announced_by = None;
            for file in &mut kept.operation.files {
                let Some(drafted) = draft.files.get(file.at) else {
                    continue;
                };
                if let Some(after) = &drafted.after {
                    file.after = Some(to_recorded_state(after));
                    file.inode = after.inode.or(file.inode);
                }
                for folder in &drafted.folders {
                    if !file.folders.contains(folder) {
                        file.folders.push(folder.clone());
                    }
                }
            }
        }
        let mut unclaimed = Vec::new();
        for taken in &draft.takes_back {
            let by = Some(draft.id);
            self.mark_undone(&taken.operation, taken.at, by, 0, &mut unclaimed);
        }
        unclaimed
    }

    /// Marks a file change as undone by an operation, or as in effect again. The changes that it had itself reversed
    /// get the opposite mark.
    pub(super) fn mark_undone(
        &mut self,
        id: &str,
        at: usize,
        by: Option<&str>,
        depth: usize,
        unclaimed: &mut Vec<PathBuf>,
    ) {
        let Some(kept) = self.find_operation(id).filter(|_| depth <= MAX_UNDO_CHAIN) else {
            return;
        };
        let takes_back = kept.takes_back.clone();
        let mut folders = (Vec::new(), PathBuf::new());
        if let Some(file) = kept.operation.files.iter_mut().find(|file| file.at == at) {
            file.undone_by = by.map(str::to_owned);
            folders = (file.folders.clone(), file.path.clone());
        }
        if by.is_some() {
            let (folders, path) = folders;
            let alone = folders.into_iter();
            let alone = alone.filter(|folder| !self.pass_on_folder(folder, Some(&path)));
            unclaimed.extend(alone.collect::<Vec<_>>());
        }
        let opposite = by.is_none().then_some(id);
        for taken in takes_back.iter().filter(|taken| taken.by == Some(at)) {
            self.mark_undone(&taken.operation, taken.at, opposite, depth + 1, unclaimed);
        }
    }

    /// Passes a folder to the change that created a file in it: one that is being made first, then the oldest.
    /// Returns false if there is none.
    pub(super) fn pass_on_folder(&mut self, folder: &Path, except: Option<&Path>) -> bool {
        let is_in = |file: &FileChange| {
            let made = file.kind == ChangeKind::Create || file.moved_from.is_some();
            let below = file.path != folder && file.path.starts_with(folder);
            made && below && file.undone_by.is_none() && except != Some(&*file.path)
        };
        let changes = self.operations.iter_mut();
        let claims = changes.filter(|kept| kept.operation.files.iter().any(is_in));
        let first = claims.min_by_key(|kept| {
            let (is_begun, is_undo) = (kept.announced_by.is_some(), !kept.takes_back.is_empty());
            (!is_begun, is_undo, kept.operation.sequence)
        });
        let Some(claim) = first else {
            return false;
        };
        if let Some(file) = claim.operation.files.iter_mut().find(|file| is_in(file))
            && !file.folders.iter().any(|known| known == folder)
        {
            file.folders.push(folder.to_owned());
        }
        true
    }

    /// Removes an operation that was not carried out. Returns its folders in which no change has a file.
    pub(super) fn remove(&mut self, id: &str) -> Vec<PathBuf> {
        let mut all = self.operations.iter();
        let Some(at) = all.position(|kept| kept.operation.id == id) else {
            return Vec::new();
        };
        let removed = self.operations.remove(at);
        self.restore_approval(id);
        self.release_contents();
        let files = removed.operation.files.into_iter();
        let folders = files.flat_map(|file| file.folders);
        folders
            .filter(|folder| !self.pass_on_folder(folder, None))
            .collect()
    }

    /// Returns whether an operation matches the parts of a query that this store knows.
    pub(super) fn matches_query(&self, kept: &OperationRow, query: &LogQuery) -> bool {
        let operation = &kept.operation;
        let touches = |path: &PathBuf| {
            let mut files = operation.files.iter();
            files.any(|file| {
                let from = file.moved_from.as_ref();
                file.path.starts_with(path) || from.is_some_and(|from| from.starts_with(path))
            })
        };
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        kept.announced_by.is_none()
            && is(&query.session, Some(&operation.session))
            && (query.callers == CallerFilter::All || operation.has_known_caller())
            && is(&query.client, operation.client.as_deref())
            && is(&query.turn, operation.turn.as_deref())
            && query.since.is_none_or(|since| operation.time >= since)
            && query.until.is_none_or(|until| operation.time <= until)
            && query.after.is_none_or(|after| operation.sequence > after)
            && query
                .before_sequence
                .is_none_or(|before| operation.sequence < before)
            && query.path.as_ref().is_none_or(touches)
            && match query.files_below {
                FilesBelow::All => is_below(operation, &query.below),
                FilesBelow::Any => has_file_below(operation, &query.below),
            }
            && (!query.moves_head || moves_head(operation))
            && (!query.without_files || operation.recorded.is_some() && operation.files.is_empty())
            && query
                .reversible
                .is_none_or(|reversible| self.is_reversible(operation, reversible))
    }

    fn is_reversible(&self, operation: &Operation, reversible: ReversalDirection) -> bool {
        let kind = match reversible {
            ReversalDirection::Undoable | ReversalDirection::UndoableOrRedone => {
                OperationKind::Change
            }
            ReversalDirection::Redoable => OperationKind::Undo,
        };
        // A later change of the same file makes the undo impossible to redo.
        let is_followed = self.operations.iter().any(|later| {
            let later = &later.operation;
            later.kind == OperationKind::Change
                && later.sequence > operation.sequence
                && later.files.iter().any(|file| {
                    let mut files = operation.files.iter();
                    files.any(|own| own.path == file.path)
                })
        });
        operation.kind == kind
            && !operation.files.is_empty()
            && !operation.is_undone()
            && (reversible != ReversalDirection::Redoable || !is_followed)
    }
}

fn moves_head(operation: &Operation) -> bool {
    let call = operation.recorded.as_ref();
    call.is_some_and(|call| call.head.is_some())
}

/// Returns whether a file of an operation is, or was before it was moved, below one of the folders; true without
/// folders, and for a call that changed no file.
pub(super) fn has_file_below(operation: &Operation, folders: &[PathBuf]) -> bool {
    let below = |path: &Path| folders.iter().any(|folder| path.starts_with(folder));
    let is_below =
        |file: &FileChange| below(&file.path) || file.moved_from.as_deref().is_some_and(below);
    folders.is_empty() || operation.files.is_empty() || operation.files.iter().any(is_below)
}

/// Returns whether all files of an operation are below one of the folders; true without folders.
fn is_below(operation: &Operation, folders: &[PathBuf]) -> bool {
    let below = |path: &Path| folders.iter().any(|folder| path.starts_with(folder));
    folders.is_empty() || operation.files.iter().all(|file| below(&file.path))
}

fn to_operation(draft: &OperationDraft<'_>) -> Operation {
    let files = draft.files.iter().enumerate();
    let mut takes_back: Vec<String> = Vec::new();
    for taken in &draft.takes_back {
        if !takes_back.contains(&taken.operation) {
            takes_back.push(taken.operation.clone());
        }
    }
    Operation {
        id: draft.id.to_owned(),
        sequence: 0,
        time: draft.time,
        kind: draft.kind,
        state: OperationState::Done,
        session: draft.author.session.to_owned(),
        client: draft.author.client.map(str::to_owned),
        version: draft.author.version.map(str::to_owned),
        turn: draft.author.turn.map(str::to_owned),
        call: draft.author.call.map(str::to_owned),
        tool: draft.tool.to_owned(),
        rungs: draft.rungs.iter().map(|rung| (*rung).to_owned()).collect(),
        approved: draft.approved.map(str::to_owned),
        parent: draft.parent.map(str::to_owned),
        takes_back,
        files: files.map(|(at, file)| to_file_change(at, file)).collect(),
        recorded: None,
    }
}

fn to_file_change(at: usize, file: &FileDraft<'_>) -> FileChange {
    FileChange {
        at,
        path: file.path.to_owned(),
        kind: file.kind,
        moved_from: file.moved_from.map(Path::to_owned),
        before: file.before.as_ref().map(to_recorded_state),
        after: file.after.as_ref().map(to_recorded_state),
        added: file.added,
        removed: file.removed,
        folders: file.folders.clone(),
        undone_by: None,
        workspace: file
            .workspace
            .as_ref()
            .map(super::events::to_known_workspace),
        before_inode: file.before.as_ref().and_then(|state| state.inode),
        inode: file.after.as_ref().and_then(|state| state.inode),
        former_path: None,
    }
}

fn to_recorded_state(state: &DraftState<'_>) -> RecordedState {
    RecordedState {
        revision: state.revision,
        size: state.size,
        mode: state.mode,
        link: state.link.map(Path::to_owned),
    }
}
