//! The records of operations.

use std::path::{Path, PathBuf};

use super::{MemoryHistory, OperationRow, SharedState, unsupported_query};
use crate::error::HistoryError;
use crate::operation::{
    ALREADY_UNDONE_MARK, ConfirmOutcome, IdMatch, LaterState, LogQuery, Operation, OperationDraft,
    OperationKind, OperationState, RecordStore, ReversedChange, RivalState, Statistics,
    StatisticsQuery,
};
use crate::store::SaveOutcome;
use crate::workspace::KnownWorkspace;

/// The largest number of operations returned for an ambiguous id.
const MAX_AMBIGUOUS_IDS: usize = 10;

impl RecordStore for MemoryHistory {
    fn begin(&self, draft: &OperationDraft<'_>) -> Result<SaveOutcome, HistoryError> {
        self.lock_state().announce_operation(draft, self.process)?;
        Ok(SaveOutcome::default())
    }

    fn finish(&self, draft: &OperationDraft<'_>) -> Result<SaveOutcome, HistoryError> {
        let mut kept = self.lock_state();
        let was_announced = kept
            .find_operation(draft.id)
            .map(|found| found.announced_by.is_some());
        if was_announced.is_none() {
            kept.insert(draft, None);
        }
        let unclaimed = kept.complete_operation(draft);
        // If another process settled the operation, that process has recorded its events.
        if was_announced != Some(false) {
            let files: Vec<usize> = (0..draft.files.len()).collect();
            kept.append_changes(draft.id, draft.kind, &files);
        }
        Ok(SaveOutcome {
            unclaimed,
            ..SaveOutcome::default()
        })
    }

    fn confirm(
        &self,
        id: &str,
        kind: OperationKind,
        inodes: &[Option<u64>],
    ) -> Result<ConfirmOutcome, HistoryError> {
        let mut kept = self.lock_state();
        let announced = kept.find_operation(id);
        let Some(found) = announced.filter(|found| found.announced_by.is_some()) else {
            return Ok(ConfirmOutcome::Missing(SaveOutcome::default()));
        };
        found.announced_by = None;
        for (file, inode) in found.operation.files.iter_mut().zip(inodes) {
            file.inode = inode.or(file.inode);
        }
        let files: Vec<usize> = (0..inodes.len()).collect();
        kept.append_changes(id, kind, &files);
        Ok(ConfirmOutcome::Done)
    }

    fn remove_not_carried_out(&self, id: &str) -> Result<Vec<PathBuf>, HistoryError> {
        Ok(self.lock_state().remove(id))
    }

    fn unfinished_operations(&self) -> Result<Vec<Operation>, HistoryError> {
        let kept = self.lock_state();
        let left = kept.operations.iter().filter(|found| {
            let by = found.announced_by;
            by.is_some_and(|process| !kept.alive.contains(&process))
        });
        Ok(left.map(to_operation).collect())
    }

    fn later_states(
        &self,
        _operation: &Operation,
        _at: usize,
        _path: &Path,
    ) -> Result<Vec<LaterState>, HistoryError> {
        unsupported_query("what later operations found")
    }

    fn rival_states(
        &self,
        _operation: &Operation,
        _at: usize,
        _path: &Path,
    ) -> Result<Vec<RivalState>, HistoryError> {
        unsupported_query("what others made of a state")
    }

    fn settle_unfinished(
        &self,
        operation: &Operation,
        state: OperationState,
        written: &[usize],
    ) -> Result<Vec<PathBuf>, HistoryError> {
        let mut kept = self.lock_state();
        let announced = kept.find_operation(&operation.id);
        let Some(found) = announced.filter(|found| found.announced_by.is_some()) else {
            return Ok(Vec::new());
        };
        if written.is_empty() {
            return Ok(kept.remove(&operation.id));
        }
        found.announced_by = None;
        found.operation.state = state;
        let files = std::mem::take(&mut found.operation.files);
        let (stays, goes): (Vec<_>, Vec<_>) = files
            .into_iter()
            .partition(|file| written.contains(&file.at));
        found.operation.files = stays;
        let is_written = |by: Option<usize>| by.is_none_or(|by| written.contains(&by));
        found.takes_back.retain(|taken| is_written(taken.by));
        let takes_back = found.takes_back.clone();
        kept.append_changes(&operation.id, operation.kind, written);
        let mut unclaimed = Vec::new();
        for taken in takes_back {
            let by = Some(operation.id.as_str());
            kept.mark_undone(&taken.operation, taken.at, by, 0, &mut unclaimed);
        }
        let folders = goes.into_iter().flat_map(|file| file.folders);
        unclaimed.extend(folders.filter(|folder| !kept.pass_on_folder(folder, None)));
        kept.release_contents();
        Ok(unclaimed)
    }

    fn add_made_folder(&self, folder: &Path) -> Result<(), HistoryError> {
        self.lock_state().pass_on_folder(folder, None);
        Ok(())
    }

    fn query_log(&self, query: &LogQuery) -> Result<Vec<Operation>, HistoryError> {
        let kept = self.lock_state();
        let newest_first = kept.operations.iter().rev();
        let matching = newest_first.filter(|found| kept.matches_query(found, query));
        let most = query.limit.unwrap_or(usize::MAX);
        Ok(matching.take(most).map(to_operation).collect())
    }

    fn find(&self, part: &str, below: &[PathBuf]) -> Result<IdMatch, HistoryError> {
        let kept = self.lock_state();
        let near = LogQuery {
            below: below.to_vec(),
            ..LogQuery::default()
        };
        for query in [near, LogQuery::default()] {
            for fits in [str::ends_with::<&str>, str::starts_with::<&str>] {
                let found = operations_with_id(&kept, &query, |id| fits(id, part));
                match &found[..] {
                    [] => {}
                    [one] => return Ok(IdMatch::One(Box::new(one.clone()))),
                    _ => return Ok(IdMatch::Several(found)),
                }
            }
        }
        Ok(IdMatch::None)
    }

    fn shortest_unique_endings(&self, ids: &[&str]) -> Result<Vec<usize>, HistoryError> {
        let kept = self.lock_state();
        let shortest = |id: &&str| {
            let mut lengths = 1..=id.len();
            let is_unique = |length: &usize| {
                let ending = id.get(id.len() - length..).unwrap_or(id);
                let mut others = kept.operations.iter().map(|found| &found.operation.id);
                !others.any(|other| other != id && other.ends_with(ending))
            };
            lengths.find(is_unique).unwrap_or(id.len())
        };
        Ok(ids.iter().map(shortest).collect())
    }

    fn reversed_changes(&self, operation: &str) -> Result<Vec<ReversedChange>, HistoryError> {
        let mut kept = self.lock_state();
        let found = kept.find_operation(operation);
        Ok(found.map_or_else(Vec::new, |found| found.takes_back.clone()))
    }

    fn mark_already_undone(&self, files: &[(String, usize)]) -> Result<(), HistoryError> {
        let mut kept = self.lock_state();
        for (operation, at) in files {
            let by = Some(ALREADY_UNDONE_MARK);
            kept.mark_undone(operation, *at, by, 0, &mut Vec::new());
        }
        Ok(())
    }

    fn recorded_workspaces(
        &self,
        _folders: &[PathBuf],
    ) -> Result<Vec<KnownWorkspace>, HistoryError> {
        unsupported_query("the roots of changes")
    }

    fn has_later_changes(
        &self,
        _paths: &[PathBuf],
        _after: &str,
        _except: &[String],
        _without: &[[u8; 32]],
    ) -> Result<bool, HistoryError> {
        unsupported_query("whether files were changed later")
    }

    fn record_broken_link(&self, operation: &str, at: usize) -> Result<(), HistoryError> {
        if let Some(found) = self.lock_state().find_operation(operation) {
            found.broken_links.insert(at);
        }
        Ok(())
    }

    fn broken_links(&self, operation: &str) -> Result<Vec<usize>, HistoryError> {
        let mut kept = self.lock_state();
        let found = kept.find_operation(operation);
        Ok(found.map_or_else(Vec::new, |found| {
            found.broken_links.iter().copied().collect()
        }))
    }

    fn count_refusal(
        &self,
        _session: &str,
        _tool: &str,
        _name: &str,
        _folder: &Path,
    ) -> Result<(), HistoryError> {
        unsupported_query("how often a call was refused")
    }

    fn statistics(&self, _query: &StatisticsQuery) -> Result<Statistics, HistoryError> {
        unsupported_query("totals")
    }
}

/// Returns the record as a reader gets it.
fn to_operation(kept: &OperationRow) -> Operation {
    let mut operation = kept.operation.clone();
    if kept.announced_by.is_some() {
        operation.state = OperationState::Begun;
    }
    operation
}

fn operations_with_id(
    kept: &SharedState,
    query: &LogQuery,
    fits: impl Fn(&str) -> bool,
) -> Vec<Operation> {
    let newest_first = kept.operations.iter().rev();
    let matching = newest_first.filter(|found| kept.matches_query(found, query));
    let named = matching.filter(|found| fits(&found.operation.id));
    named.take(MAX_AMBIGUOUS_IDS).map(to_operation).collect()
}
