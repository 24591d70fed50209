//! Checkpoints. Each stores all its entries, since tests have few.

use std::collections::BTreeSet;

use super::{MemoryHistory, SharedState};
use crate::checkpoint::{
    Checkpoint, CheckpointDraft, CheckpointEntry, CheckpointKind, CheckpointOutcome,
    CheckpointQuery, CheckpointStore, ContentIdentity, EntryChange, IdentifiedBlob,
};
use crate::entry::Revision;
use crate::error::HistoryError;
use crate::operation::{ContentDraft, DraftState, OperationDraft};
use crate::recorded_call::RecordedCall;
use crate::workspace::KnownWorkspace;

/// A checkpoint with the fields that its record does not have.
#[derive(Debug)]
pub(super) struct CheckpointRow {
    checkpoint: Checkpoint,
    /// Sorted by name.
    entries: Vec<CheckpointEntry>,
    /// The process that set it before a call.
    set_by: Option<u64>,
}

impl SharedState {
    fn find_checkpoint(&self, workspace: &[u8; 32], number: i64) -> Option<&CheckpointRow> {
        self.checkpoints.iter().find(|kept| {
            kept.checkpoint.number == number && kept.checkpoint.workspace.id == *workspace
        })
    }

    /// Returns the number of the newest checkpoint of a root.
    fn newest_checkpoint(&self, workspace: &[u8; 32]) -> Option<i64> {
        let of_root = self.checkpoints.iter().filter(|kept| {
            let root = &kept.checkpoint.workspace;
            root.id == *workspace
        });
        of_root.map(|kept| kept.checkpoint.number).max()
    }
}

impl CheckpointStore for MemoryHistory {
    fn checkpoints(&self, query: &CheckpointQuery) -> Result<Vec<Checkpoint>, HistoryError> {
        let kept = self.lock_state();
        let matching = kept.checkpoints.iter().rev().filter(|found| {
            let checkpoint = &found.checkpoint;
            let is_of_root = |id| checkpoint.workspace.id == id;
            let is_called = |called: &String| {
                checkpoint.name.as_ref() == Some(called) || checkpoint.id == *called
            };
            query.workspace.is_none_or(is_of_root)
                && query.called.as_ref().is_none_or(is_called)
                && query
                    .number
                    .is_none_or(|number| checkpoint.number == number)
        });
        let most = query.limit.unwrap_or(usize::MAX);
        let read = matching.take(most).map(|found| Checkpoint {
            is_left_open: found
                .set_by
                .is_some_and(|process| !kept.alive.contains(&process)),
            ..found.checkpoint.clone()
        });
        Ok(read.collect())
    }

    fn checkpoint_entries(
        &self,
        workspace: &[u8; 32],
        number: i64,
    ) -> Result<Vec<CheckpointEntry>, HistoryError> {
        let kept = self.lock_state();
        let found = kept.find_checkpoint(workspace, number);
        Ok(found.map_or_else(Vec::new, |found| found.entries.clone()))
    }

    fn checkpoint_entry(
        &self,
        workspace: &[u8; 32],
        number: i64,
        name: &[u8],
    ) -> Result<Option<CheckpointEntry>, HistoryError> {
        let entries = self.checkpoint_entries(workspace, number)?;
        Ok(entries.into_iter().find(|entry| entry.name == name))
    }

    fn checkpoint_entries_named(
        &self,
        workspace: &[u8; 32],
        number: i64,
        names: &BTreeSet<Vec<u8>>,
    ) -> Result<Vec<CheckpointEntry>, HistoryError> {
        let mut entries = self.checkpoint_entries(workspace, number)?;
        entries.retain(|entry| names.contains(&entry.name));
        Ok(entries)
    }

    fn checkpoint_names_below(
        &self,
        workspace: &[u8; 32],
        number: i64,
        folder: &[u8],
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, HistoryError> {
        let start = [folder, b"/"].concat();
        let entries = self.checkpoint_entries(workspace, number)?.into_iter();
        let below = entries.filter(|entry| entry.name.starts_with(&start));
        Ok(below.map(|entry| entry.name).take(limit).collect())
    }

    fn has_content(&self, revision: &Revision) -> Result<bool, HistoryError> {
        Ok(matches!(
            self.lock_state().contents.get(revision),
            Some(Some(_))
        ))
    }

    fn store_contents(&self, contents: &[(Revision, &[u8])]) -> Result<(), HistoryError> {
        let mut kept = self.lock_state();
        for (revision, bytes) in contents {
            kept.store_content(&DraftState {
                revision: *revision,
                size: bytes.len() as u64,
                mode: 0,
                link: None,
                inode: None,
                content: ContentDraft::Whole(bytes),
            });
        }
        Ok(())
    }

    fn identify_blobs(
        &self,
        workspace: &[u8; 32],
        blobs: &[IdentifiedBlob],
    ) -> Result<(), HistoryError> {
        let mut kept = self.lock_state();
        let of_root = kept.checkpoints.iter_mut();
        let of_root = of_root.filter(|row| row.checkpoint.workspace.id == *workspace);
        for entry in of_root.flat_map(|row| &mut row.entries) {
            let found = blobs.iter().find(|blob| {
                blob.name == entry.name && entry.identity == ContentIdentity::Blob(blob.blob)
            });
            if let Some(found) = found {
                entry.identity = ContentIdentity::Revision(found.revision);
            }
        }
        Ok(())
    }

    fn store_checkpoint(
        &self,
        draft: &CheckpointDraft<'_>,
        operations: &[(OperationDraft<'_>, RecordedCall)],
    ) -> Result<CheckpointOutcome, HistoryError> {
        let mut kept = self.lock_state();
        let workspace = KnownWorkspace {
            id: draft.workspace.id,
            root: draft.workspace.root.to_owned(),
        };
        let newest = kept.newest_checkpoint(&workspace.id);
        if newest != draft.previous {
            return Ok(CheckpointOutcome::Overtaken);
        }
        for (operation, call) in operations {
            kept.insert(operation, None);
            if let Some(found) = kept.find_operation(operation.id) {
                found.operation.recorded = Some(call.clone());
            }
            let files: Vec<usize> = (0..operation.files.len()).collect();
            kept.append_changes(operation.id, operation.kind, &files);
        }
        let previous = newest.and_then(|number| kept.find_checkpoint(&workspace.id, number));
        let mut entries = previous.map_or_else(Vec::new, |found| found.entries.clone());
        for change in draft.changes {
            let (EntryChange::Now(CheckpointEntry { name, .. })
            | EntryChange::Touched(CheckpointEntry { name, .. })
            | EntryChange::Gone(name)) = change;
            entries.retain(|entry| entry.name != *name);
            if let EntryChange::Now(entry) | EntryChange::Touched(entry) = change {
                entries.push(entry.clone());
            }
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        let numbers = kept.checkpoints.iter().map(|found| found.checkpoint.number);
        let number = numbers.max().unwrap_or(0) + 1;
        let checkpoint = Checkpoint {
            number,
            id: draft.id.to_owned(),
            time: draft.time,
            kind: draft.kind,
            name: draft.name.map(str::to_owned),
            session: draft.session.to_owned(),
            sequence: kept.sequence,
            workspace,
            files: draft.files,
            head: draft.head.cloned(),
            is_left_open: false,
        };
        kept.checkpoints.push(CheckpointRow {
            checkpoint,
            entries,
            set_by: (draft.kind == CheckpointKind::Before).then_some(self.process),
        });
        Ok(CheckpointOutcome::Recorded(number))
    }
}
