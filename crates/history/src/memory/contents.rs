//! The contents of files, by their hashes.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{MemoryHistory, SharedState, unsupported_query};
use crate::content::apply_changes;
use crate::entry::Revision;
use crate::error::{HistoryError, StorePlace};
use crate::kept::StoredContent;
use crate::operation::{CheckedContents, ContentDraft, ContentStore, DraftState};

impl SharedState {
    /// Stores the bytes of a state. If its base is missing, the content has no bytes.
    pub(super) fn store_content(&mut self, state: &DraftState<'_>) {
        if matches!(self.contents.get(&state.revision), Some(Some(_))) {
            return;
        }
        let bytes = match &state.content {
            ContentDraft::Whole(bytes) => Some(Arc::new(bytes.to_vec())),
            ContentDraft::Spans { base, changes } => {
                let base = self.contents.get(base).cloned().flatten();
                base.and_then(|mut bytes| {
                    apply_changes(&mut bytes, changes).is_ok().then_some(bytes)
                })
            }
            ContentDraft::Displaced => None,
        };
        self.contents.insert(state.revision, bytes);
    }

    /// Drops the contents that no operation names.
    pub(super) fn release_contents(&mut self) {
        let operations = &self.operations;
        self.contents.retain(|revision, _| {
            let mut files = operations.iter().flat_map(|kept| &kept.operation.files);
            files.any(|file| {
                let mut states = file.before.iter().chain(&file.after);
                states.any(|state| state.revision == *revision)
            })
        });
    }
}

impl ContentStore for MemoryHistory {
    fn content(&self, revision: &Revision) -> Result<Option<Vec<u8>>, HistoryError> {
        let kept = self.lock_state();
        let bytes = kept.contents.get(revision).cloned().flatten();
        let is_it = |bytes: &Arc<Vec<u8>>| blake3::hash(bytes).as_bytes() == revision;
        Ok(bytes.filter(is_it).map(|bytes| bytes.to_vec()))
    }

    fn open_content(&self, _revision: &Revision) -> Result<Option<StoredContent>, HistoryError> {
        unsupported_query("a content in parts")
    }

    fn check_contents(
        &self,
        _after: i64,
        _budget: Duration,
    ) -> Result<CheckedContents, HistoryError> {
        unsupported_query("whether contents have their hashes")
    }

    fn adopt_file(&self, revision: &Revision, file: &Path) -> Result<(), HistoryError> {
        let failed = |source| HistoryError::Unavailable {
            store: StorePlace::from(file),
            source,
        };
        let mut kept = self.lock_state();
        let Some(content) = kept.contents.get_mut(revision) else {
            return Ok(());
        };
        if content.is_none() {
            *content = Some(Arc::new(fs::read(file).map_err(failed)?));
        }
        fs::remove_file(file).map_err(failed)
    }
}
