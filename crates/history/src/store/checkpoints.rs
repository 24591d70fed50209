//! The tables `checkpoints` and `checkpoint_files`: an entry has a row for each span of checkpoints in which it did
//! not change.

mod entry_writer;
mod rows;

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension as _, params};

use self::entry_writer::{EntryWriter, stored_content};
use self::rows::{checkpoint_entry_from_row, checkpoints};
use super::contents::{self, INLINE_LIMIT};
use super::error::not_writable_error;
use super::records::newest_sequence;
use super::transaction::WriteTransaction;
use super::{
    HistoryError, Store, blobs, clock, deltas, events, facts, recorded_calls, records, workspaces,
};
use crate::checkpoint::{
    Checkpoint, CheckpointDraft, CheckpointEntry, CheckpointKind, CheckpointOutcome,
    CheckpointQuery, CheckpointStore, ContentIdentity, IdentifiedBlob,
};
use crate::entry::Revision;
use crate::git_head::GitHead;
use crate::operation::{ContentDraft, DraftState, OperationDraft};
use crate::recorded_call::RecordedCall;

const SELECT_ENTRIES: &str = "SELECT name, kind, mode, size, identity, link, stamp FROM checkpoint_files
     WHERE workspace = (SELECT number FROM workspaces WHERE id = ?1) AND since <= ?2 AND (until IS NULL OR until > ?2)";

impl CheckpointStore for Store {
    fn checkpoints(&self, query: &CheckpointQuery) -> Result<Vec<Checkpoint>, HistoryError> {
        Ok(self
            .run_on_database(|connection| checkpoints(connection, self.folder(), query))?
            .0)
    }

    fn checkpoint_entries(
        &self,
        workspace: &[u8; 32],
        number: i64,
    ) -> Result<Vec<CheckpointEntry>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            let mut statement =
                connection.prepare_cached(&format!("{SELECT_ENTRIES} ORDER BY name"))?;
            let rows =
                statement.query_map(params![workspace, number], checkpoint_entry_from_row)?;
            rows.collect()
        })?;
        Ok(found)
    }

    fn checkpoint_entry(
        &self,
        workspace: &[u8; 32],
        number: i64,
        name: &[u8],
    ) -> Result<Option<CheckpointEntry>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            connection
                .prepare_cached(&format!("{SELECT_ENTRIES} AND name = ?3"))?
                .query_row(params![workspace, number, name], checkpoint_entry_from_row)
                .optional()
        })?;
        Ok(found)
    }

    fn checkpoint_entries_named(
        &self,
        workspace: &[u8; 32],
        number: i64,
        names: &BTreeSet<Vec<u8>>,
    ) -> Result<Vec<CheckpointEntry>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            let mut statement =
                connection.prepare_cached(&format!("{SELECT_ENTRIES} AND name = ?3"))?;
            let mut found = Vec::with_capacity(names.len());
            for name in names {
                let row = statement
                    .query_row(params![workspace, number, name], checkpoint_entry_from_row);
                found.extend(row.optional()?);
            }
            Ok(found)
        })?;
        Ok(found)
    }

    fn checkpoint_names_below(
        &self,
        workspace: &[u8; 32],
        number: i64,
        folder: &[u8],
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, HistoryError> {
        let bound = |end: u8| [folder, &[end]].concat();
        let (found, _) = self.run_on_database(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT name FROM checkpoint_files
                 WHERE workspace = (SELECT number FROM workspaces WHERE id = ?1) AND since <= ?2
                   AND (until IS NULL OR until > ?2) AND name > ?3 AND name < ?4 ORDER BY name LIMIT ?5",
            )?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let rows = statement.query_map(
                params![workspace, number, bound(b'/'), bound(b'/' + 1), limit],
                |row| row.get(0),
            )?;
            rows.collect()
        })?;
        Ok(found)
    }

    fn has_content(&self, revision: &Revision) -> Result<bool, HistoryError> {
        let kept = self.run_on_database(|connection| {
            contents::is_readable(connection, self.folder(), revision)
        })?;
        Ok(kept.0)
    }

    fn store_contents(&self, new: &[(Revision, &[u8])]) -> Result<(), HistoryError> {
        for (revision, bytes) in new {
            if bytes.len() as u64 > INLINE_LIMIT && !self.has_content(revision)? {
                blobs::write_content(self.folder(), revision, &|file| file.write_all(bytes))
                    .map_err(|source| not_writable_error(self.folder(), source))?;
            }
        }
        self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            for (revision, bytes) in new {
                if contents::content_id(&transaction, revision)?.is_some() {
                    continue;
                }
                let id = contents::store_content(
                    &transaction,
                    self.folder(),
                    &whole_content_state(revision, bytes),
                )?;
                transaction
                    .prepare_cached("INSERT OR REPLACE INTO loose_contents VALUES (?1, ?2)")?
                    .execute([id, clock::now()])?;
            }
            transaction.commit()
        })?;
        Ok(())
    }

    fn identify_blobs(
        &self,
        workspace: &[u8; 32],
        blobs: &[IdentifiedBlob],
    ) -> Result<(), HistoryError> {
        if blobs.is_empty() {
            return Ok(());
        }
        self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            for IdentifiedBlob { name, blob, revision } in blobs {
                let content = stored_content(&transaction, &ContentIdentity::Revision(*revision))?;
                if content.is_none() {
                    continue;
                }
                transaction
                    .prepare_cached(
                        "UPDATE checkpoint_files SET identity = ?4, content = ?5
                         WHERE workspace = (SELECT number FROM workspaces WHERE id = ?1) AND name = ?2 AND identity = ?3",
                    )?
                    .execute(params![workspace, name, blob, revision, content])?;
            }
            transaction.commit()
        })?;
        Ok(())
    }

    fn store_checkpoint(
        &self,
        draft: &CheckpointDraft<'_>,
        operations: &[(OperationDraft<'_>, RecordedCall)],
    ) -> Result<CheckpointOutcome, HistoryError> {
        for (operation, _) in operations {
            self.write_content_files(operation)?;
        }
        let (outcome, _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let workspace = workspaces::workspace_number(&transaction, &draft.workspace)?;
            if newest_checkpoint_number(&transaction, workspace)? != draft.previous {
                return Ok(CheckpointOutcome::Overtaken);
            }
            for (operation, call) in operations {
                let sequence = newest_sequence(&transaction)? + 1;
                let facts = &mut facts::Facts::default();
                records::insert_operation(&transaction, self.folder(), operation, sequence, facts)?;
                recorded_calls::insert_call(&transaction, operation.id, workspace, call)?;
                deltas::store_as_deltas(&transaction, self.folder(), operation.id)?;
                let files = (0..operation.files.len()).map(events::MadeChange::from);
                let (id, kind) = (operation.id, operation.kind);
                events::append_changes(&transaction, id, kind, files, facts)?;
            }
            let process = (draft.kind == CheckpointKind::Before).then(|| self.process_name());
            let number = insert_checkpoint(&transaction, workspace, draft, process.as_deref())?;
            let mut entries = EntryWriter::prepare(&transaction, workspace, number)?;
            entries.apply_all(draft.changes)?;
            drop(entries);
            transaction.commit()?;
            Ok(CheckpointOutcome::Recorded(number))
        })?;
        Ok(outcome)
    }
}

fn whole_content_state<'a>(revision: &Revision, bytes: &'a [u8]) -> DraftState<'a> {
    DraftState {
        revision: *revision,
        size: bytes.len() as u64,
        mode: 0,
        link: None,
        inode: None,
        content: ContentDraft::Whole(bytes),
    }
}

fn newest_checkpoint_number(
    connection: &Connection,
    workspace: i64,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT max(number) FROM checkpoints WHERE workspace = ?1")?
        .query_row([workspace], |row| row.get(0))
}

fn insert_checkpoint(
    transaction: &WriteTransaction<'_>,
    workspace: i64,
    draft: &CheckpointDraft<'_>,
    process: Option<&str>,
) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(
            "INSERT INTO checkpoints (id, workspace, time, kind, name, session, sequence, files, process, head)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            draft.id,
            workspace,
            draft.time,
            draft.kind.database_number(),
            draft.name,
            draft.session,
            newest_sequence(transaction)?,
            draft.files as i64,
            process,
            draft.head.map(GitHead::encode)
        ])?;
    Ok(transaction.last_insert_rowid())
}
