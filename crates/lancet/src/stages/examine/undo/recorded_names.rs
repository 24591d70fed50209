//! The names of an undo, redo or restore that another program changed. They are given to new files: the program may have
//! made a name a hard link of another file, which a rewrite in place would change too, and it may have taken away the
//! permission to write the file, which a file that is replaced does not need.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lancet_history::{IdMatch, OperationKind, OperationStore, RecordedCall};

use super::kept::unreadable_refusal;
use super::select::FileRow;
use crate::refusal::Refusal;

/// The longest chain of undos of undos that is followed.
const MAX_DEPTH: usize = 16;

/// Returns the names of the rows that recorded operations changed, directly or through the undos of such operations.
pub(super) fn recorded_names(
    store: &dyn OperationStore,
    rows: &[FileRow],
) -> Result<HashSet<PathBuf>, Refusal> {
    let mut names = HashSet::new();
    let mut previous: Option<(&str, bool)> = None;
    for row in rows {
        let is_recorded = match previous {
            Some((operation, is_recorded)) if operation == row.operation => is_recorded,
            _ => row.since.is_some() || reversed_call(store, row)?.is_some(),
        };
        previous = Some((&row.operation, is_recorded));
        if is_recorded {
            names.extend(row.names().map(Path::to_path_buf));
        }
    }
    Ok(names)
}

/// Returns the recorded call that an undo or redo reversed, directly or through other undos; none if it reversed no such
/// call, or is neither.
pub(super) fn reversed_call(
    store: &dyn OperationStore,
    row: &FileRow,
) -> Result<Option<RecordedCall>, Refusal> {
    if row.kind == OperationKind::Change {
        return Ok(None);
    }
    let mut ids = vec![row.operation.clone()];
    for _ in 0..MAX_DEPTH {
        let mut earlier = Vec::new();
        for id in &ids {
            let IdMatch::One(operation) = store.find(id, &[]).map_err(unreadable_refusal)? else {
                continue;
            };
            if operation.recorded.is_some() {
                return Ok(operation.recorded);
            }
            earlier.extend(operation.takes_back);
        }
        if earlier.is_empty() {
            break;
        }
        ids = earlier;
    }
    Ok(None)
}
