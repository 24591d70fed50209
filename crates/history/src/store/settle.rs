//! Settles an operation that another process had announced and not finished.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use super::events::MadeChange;
use super::facts::Facts;
use super::transaction::WriteTransaction;
use super::{approvals, events, log, made_folders, prune, records};
use crate::entry::Revision;
use crate::operation::{Operation, OperationState, PruneResult};

/// Removes the files that were not written from the record of an announced operation, or the whole operation if none
/// was written. Returns the contents whose files can be removed, and the folders in which no other change has a file.
pub(super) fn settle_operation(
    connection: &mut Connection,
    folder: &Path,
    operation: &Operation,
    state: OperationState,
    written: &[usize],
) -> rusqlite::Result<(Vec<Revision>, Vec<PathBuf>)> {
    let transaction = WriteTransaction::begin(connection)?;
    let begun = transaction.execute("DELETE FROM begun WHERE id = ?1", [&operation.id])?;
    // Another process has settled it.
    if begun == 0 {
        return Ok((Vec::new(), Vec::new()));
    }
    let named = prune::content_ids_of_operation(&transaction, &operation.id)?;
    let (mut folders, mut unclaimed) = (Vec::new(), Vec::new());
    for file in operation
        .files
        .iter()
        .filter(|file| !written.contains(&file.at))
    {
        folders.extend(made_folders::created_folders(
            &transaction,
            &operation.id,
            file.at,
        )?);
        transaction.execute(
            "DELETE FROM files WHERE operation = ?1 AND at = ?2",
            params![operation.id, file.at as i64],
        )?;
        transaction.execute(
            "DELETE FROM taken_back WHERE operation = ?1 AND file = ?2",
            params![operation.id, file.at as i64],
        )?;
    }
    if written.is_empty() {
        records::remove_operation(&transaction, &operation.id)?;
        approvals::restore_approval(&transaction, &operation.id)?;
    } else {
        transaction.execute(
            "UPDATE operations SET state = ?2 WHERE id = ?1",
            params![operation.id, state.database_number()],
        )?;
        let files = operation.files.iter().map(|file| file.at);
        let files = files
            .filter(|at| written.contains(at))
            .map(MadeChange::from);
        let (id, kind) = (&operation.id, operation.kind);
        events::append_changes(&transaction, id, kind, files, &mut Facts::default())?;
        for taken in log::reversed_changes(&transaction, &operation.id)? {
            records::mark_undone(
                &transaction,
                &taken.operation,
                taken.at,
                Some(&operation.id),
                0,
                &mut unclaimed,
            )?;
        }
    }
    unclaimed.extend(made_folders::pass_on_folders(&transaction, &folders)?);
    let removed = &mut PruneResult::default();
    let files = prune::release_contents(&transaction, folder, named, removed)?;
    transaction.commit()?;
    Ok((files, unclaimed))
}
