//! The records of operations.

use std::path::{Path, PathBuf};

use super::{Kept, KeptOperation, MemoryHistory, unanswered};
use crate::error::HistoryError;
use crate::operation::{
    ALREADY_UNDONE, Confirmed, Draft, IdMatch, LaterState, LogQuery, Operation, OperationKind,
    OperationState, RecordStore, RivalState, Statistics, StatisticsQuery, TakenBack,
};
use crate::store::Saved;
use crate::workspace::KnownWorkspace;

/// The largest number of operations returned for an ambiguous id.
const MOST_NAMED: usize = 10;

impl RecordStore for MemoryHistory {
    fn begin(&self, draft: &Draft<'_>) -> Result<Saved, HistoryError> {
        self.lock_state().announce(draft, self.process)?;
        Ok(Saved::default())
    }

    fn finish(&self, draft: &Draft<'_>) -> Result<Saved, HistoryError> {
        let mut kept = self.lock_state();
        let was_announced = kept
            .operation(draft.id)
            .map(|found| found.announced_by.is_some());
        if was_announced.is_none() {
            kept.insert(draft, None);
        }
        let unclaimed = kept.complete(draft);
        // If another process settled the operation, that process has recorded its events.
        if was_announced != Some(false) {
            let files: Vec<usize> = (0..draft.files.len()).collect();
            kept.append_changes(draft.id, draft.kind, &files);
        }
        Ok(Saved {
            unclaimed,
            ..Saved::default()
        })
    }

    fn confirm(
        &self,
        id: &str,
        kind: OperationKind,
        inodes: &[Option<u64>],
    ) -> Result<Confirmed, HistoryError> {
        let mut kept = self.lock_state();
        let announced = kept.operation(id);
        let Some(found) = announced.filter(|found| found.announced_by.is_some()) else {
            return Ok(Confirmed::Missing(Saved::default()));
        };
        found.announced_by = None;
        for (file, inode) in found.operation.files.iter_mut().zip(inodes) {
            file.inode = inode.or(file.inode);
        }
        let files: Vec<usize> = (0..inodes.len()).collect();
        kept.append_changes(id, kind, &files);
        Ok(Confirmed::Done)
    }

    fn abandon(&self, id: &str) -> Result<Vec<PathBuf>, HistoryError> {
        Ok(self.lock_state().remove(id))
    }

    fn unfinished(&self) -> Result<Vec<Operation>, HistoryError> {
        let kept = self.lock_state();
        let left = kept.operations.iter().filter(|found| {
            let by = found.announced_by;
            by.is_some_and(|process| !kept.alive.contains(&process))
        });
        Ok(left.map(read).collect())
    }

    fn later_states(
        &self,
        _operation: &Operation,
        _at: usize,
        _path: &Path,
    ) -> Result<Vec<LaterState>, HistoryError> {
        unanswered("what later operations found")
    }

    fn rival_states(
        &self,
        _operation: &Operation,
        _at: usize,
        _path: &Path,
    ) -> Result<Vec<RivalState>, HistoryError> {
        unanswered("what others made of a state")
    }

    fn settle(
        &self,
        operation: &Operation,
        state: OperationState,
        written: &[usize],
    ) -> Result<Vec<PathBuf>, HistoryError> {
        let mut kept = self.lock_state();
        let announced = kept.operation(&operation.id);
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
        unclaimed.extend(folders.filter(|folder| !kept.hand_on(folder, None)));
        kept.release_contents();
        Ok(unclaimed)
    }

    fn add_made_folder(&self, folder: &Path) -> Result<(), HistoryError> {
        self.lock_state().hand_on(folder, None);
        Ok(())
    }

    fn log(&self, query: &LogQuery) -> Result<Vec<Operation>, HistoryError> {
        let kept = self.lock_state();
        let newest_first = kept.operations.iter().rev();
        let matching = newest_first.filter(|found| kept.matches(found, query));
        let most = query.limit.unwrap_or(usize::MAX);
        Ok(matching.take(most).map(read).collect())
    }

    fn find(&self, part: &str, below: &[PathBuf]) -> Result<IdMatch, HistoryError> {
        let kept = self.lock_state();
        let near = LogQuery {
            below: below.to_vec(),
            ..LogQuery::default()
        };
        for query in [near, LogQuery::default()] {
            for fits in [str::ends_with::<&str>, str::starts_with::<&str>] {
                let found = with_id(&kept, &query, |id| fits(id, part));
                match &found[..] {
                    [] => {}
                    [one] => return Ok(IdMatch::One(Box::new(one.clone()))),
                    _ => return Ok(IdMatch::Several(found)),
                }
            }
        }
        Ok(IdMatch::None)
    }

    fn shortest_endings(&self, ids: &[&str]) -> Result<Vec<usize>, HistoryError> {
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

    fn taken_back(&self, operation: &str) -> Result<Vec<TakenBack>, HistoryError> {
        let mut kept = self.lock_state();
        let found = kept.operation(operation);
        Ok(found.map_or_else(Vec::new, |found| found.takes_back.clone()))
    }

    fn mark_already_undone(&self, files: &[(String, usize)]) -> Result<(), HistoryError> {
        let mut kept = self.lock_state();
        for (operation, at) in files {
            let by = Some(ALREADY_UNDONE);
            kept.mark_undone(operation, *at, by, 0, &mut Vec::new());
        }
        Ok(())
    }

    fn workspaces(&self, _folders: &[PathBuf]) -> Result<Vec<KnownWorkspace>, HistoryError> {
        unanswered("the roots of changes")
    }

    fn is_changed_later(
        &self,
        _paths: &[PathBuf],
        _after: &str,
        _except: &[String],
        _without: &[[u8; 32]],
    ) -> Result<bool, HistoryError> {
        unanswered("whether files were changed later")
    }

    fn record_broken_link(&self, operation: &str, at: usize) -> Result<(), HistoryError> {
        if let Some(found) = self.lock_state().operation(operation) {
            found.broken_links.insert(at);
        }
        Ok(())
    }

    fn broken_links(&self, operation: &str) -> Result<Vec<usize>, HistoryError> {
        let mut kept = self.lock_state();
        let found = kept.operation(operation);
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
        unanswered("how often a call was refused")
    }

    fn statistics(&self, _query: &StatisticsQuery) -> Result<Statistics, HistoryError> {
        unanswered("totals")
    }
}

/// Returns the record as a reader gets it.
fn read(kept: &KeptOperation) -> Operation {
    let mut operation = kept.operation.clone();
    if kept.announced_by.is_some() {
        operation.state = OperationState::Begun;
    }
    operation
}

fn with_id(kept: &Kept, query: &LogQuery, fits: impl Fn(&str) -> bool) -> Vec<Operation> {
    let newest_first = kept.operations.iter().rev();
    let matching = newest_first.filter(|found| kept.matches(found, query));
    let named = matching.filter(|found| fits(&found.operation.id));
    named.take(MOST_NAMED).map(read).collect()
}
