//! The parts of the recorded operations that the lives of files need, read in pages. Whole operations would take 2 kB
//! each, 10 MB in all.

use std::path::PathBuf;

use lancet_history::{
    FileChange, HistoryError, LogQuery, Operation, OperationKind, OperationStore,
};

/// How many operations are read at once.
const OPERATIONS_PER_READ: usize = 250;

/// An operation that changed files.
#[derive(Debug)]
pub(super) struct RecordedOperation {
    pub(super) id: String,
    pub(super) files: Vec<RecordedChange>,
}

/// A change of one file.
#[derive(Debug)]
pub(super) struct RecordedChange {
    /// The index of the file in the operation.
    pub(super) at: usize,
    pub(super) path: PathBuf,
    pub(super) moved_from: Option<PathBuf>,
    /// The revision before the change; none if there was no file.
    pub(super) before: Option<[u8; 32]>,
    pub(super) before_inode: Option<u64>,
    /// The state that the change left; none if there is no file.
    pub(super) after: Option<StateAfterChange>,
    pub(super) inode: Option<u64>,
}

/// The state that a change left.
#[derive(Debug)]
pub(super) struct StateAfterChange {
    pub(super) revision: [u8; 32],
    pub(super) size: u64,
    pub(super) is_link: bool,
}

/// Reads the newest operations that a query finds, newest first.
pub(super) fn read_operations(
    store: &dyn OperationStore,
    query: &LogQuery,
    most: usize,
) -> Result<Vec<RecordedOperation>, HistoryError> {
    let mut recorded = Vec::new();
    let (mut before_sequence, mut left) = (None, most);
    while left > 0 {
        let limit = left.min(OPERATIONS_PER_READ);
        let page = store.query_log(&LogQuery {
            before_sequence,
            limit: Some(limit),
            ..query.clone()
        })?;
        let is_last = page.len() < limit;
        left -= page.len();
        before_sequence = page.last().map(|operation| operation.sequence);
        // Bytes that a late writer wrote into an old version were never in the file.
        let page = page.into_iter();
        let page = page.filter(|operation| operation.kind != OperationKind::Late);
        recorded.extend(page.map(RecordedOperation::from));
        if is_last {
            break;
        }
    }
    Ok(recorded)
}

impl From<Operation> for RecordedOperation {
    fn from(operation: Operation) -> Self {
        RecordedOperation {
            id: operation.id,
            files: operation
                .files
                .into_iter()
                .map(RecordedChange::from)
                .collect(),
        }
    }
}

impl From<FileChange> for RecordedChange {
    fn from(change: FileChange) -> Self {
        RecordedChange {
            at: change.at,
            path: change.path,
            moved_from: change.moved_from,
            before: change.before.map(|state| state.revision),
            before_inode: change.before_inode,
            after: change.after.map(|state| StateAfterChange {
                revision: state.revision,
                size: state.size,
                is_link: state.link.is_some(),
            }),
            inode: change.inode,
        }
    }
}
