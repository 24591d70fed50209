//! The stores of an engine: the records, and the part of the state folder that belongs to this machine.

use std::path::Path;
use std::sync::Arc;

use lancet_history::{LedgerStore, OperationStore, Store};
use lancet_local_state::LocalState;
use lancet_workspace::{Disk, Workspace};

use crate::journal::CombinedJournal;

/// The stores of an engine. Without a state folder and a store of records nothing is stored.
pub(super) struct Stores {
    records: Option<RecordStores>,
    local: Option<Arc<dyn LocalState>>,
}

/// One store of records, as the store of ledgers and as the store of operations.
pub(super) struct RecordStores {
    ledgers: Arc<dyn LedgerStore>,
    operations: Arc<dyn OperationStore>,
}

impl RecordStores {
    pub(super) fn new(store: Arc<impl LedgerStore + OperationStore + 'static>) -> RecordStores {
        RecordStores {
            ledgers: Arc::clone(&store) as Arc<dyn LedgerStore>,
            operations: store,
        }
    }
}

impl Stores {
    /// Opens the stores of a state folder. `records` replaces the records in its database.
    pub(super) fn new(state: Option<&Path>, records: Option<RecordStores>) -> Stores {
        let database = state.map(|folder| Arc::new(Store::new(folder)));
        Stores {
            records: records.or_else(|| database.clone().map(RecordStores::new)),
            local: database.map(|database| -> Arc<dyn LocalState> { database }),
        }
    }

    /// Adds the journal of the write to a workspace, if the machine's part is stored.
    pub(super) fn add_journal(
        &self,
        workspace: Workspace,
        state: Option<&Path>,
        disk: &Arc<dyn Disk>,
    ) -> Workspace {
        let (Some(state), Some(local), Some(records)) = (state, &self.local, &self.records) else {
            return workspace;
        };
        workspace.with_journal(Arc::new(CombinedJournal::new(
            Arc::clone(local),
            Arc::clone(&records.operations),
            Arc::clone(disk),
            state.join("journal"),
        )))
    }

    /// Returns the store of named ledgers, opened at its first use. `None` without a state folder: sessions then last
    /// as long as the process.
    pub(super) fn ledgers(&self) -> Option<&Arc<dyn LedgerStore>> {
        Some(&self.records.as_ref()?.ledgers)
    }

    /// Returns the store of operations. `None` without a state folder: then nothing can be undone.
    pub(super) fn operations(&self) -> Option<&Arc<dyn OperationStore>> {
        Some(&self.records.as_ref()?.operations)
    }

    /// Returns the machine's part of the state folder: unfinished writes and displaced files. `None` without a state
    /// folder.
    pub(super) fn local(&self) -> Option<&Arc<dyn LocalState>> {
        self.local.as_ref()
    }
}
