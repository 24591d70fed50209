//! The records of operations in SQLite: each method runs its statements on the open database. Only rows and the files
//! of the state folder are touched, never a file of the user. `upkeep.rs` has the contents and the upkeep.

use std::path::{Path, PathBuf};

use lancet_local_state::process;
use rusqlite::params;

use super::error::not_writable_error;
use super::events::MadeChange;
use super::facts::Facts;
use super::stops::Admission;
use super::transaction::WriteTransaction;
use super::{
    HistoryError, SaveOutcome, Store, approvals, blobs, chain, contents, events, ids, log,
    made_folders, prune, records, settle, statistics, stops, workspaces,
};
use crate::activity::SessionStop;
use crate::entry::Revision;
use crate::error::AnnounceConflict;
use crate::event::EventStore as _;
use crate::operation::{
    ALREADY_UNDONE_MARK, ConfirmOutcome, IdMatch, LaterState, LogQuery, Operation, OperationDraft,
    OperationKind, OperationState, PruneResult, RecordStore, ReversedChange, RivalState,
    Statistics, StatisticsQuery,
};
use crate::workspace::KnownWorkspace;

/// The outcome of announcing an operation.
enum AnnounceOutcome {
    Announced,
    /// Another operation has the id.
    Taken,
    /// The approval of this question does not exist, or was used.
    UsedUp(String),
    /// The user has stopped the session's writes.
    Stopped(SessionStop),
}

impl RecordStore for Store {
    fn begin(&self, draft: &OperationDraft<'_>) -> Result<SaveOutcome, HistoryError> {
        self.write_content_files(draft)?;
        let (begun, set_aside) = self.run_on(|opened| {
            let (transaction, mut facts) = opened.begin_change()?;
            // The stop is checked before the approval is used up, so that the approval still exists when the session
            // may write again.
            let sequence = match stops::admit_operation(&transaction, draft, &mut facts)? {
                Admission::Granted(sequence) => sequence,
                Admission::Stopped(stop) => return Ok(AnnounceOutcome::Stopped(stop)),
            };
            if let Some(question) = draft.question
                && !approvals::use_up_approval(&transaction, question, draft.id)?
            {
                return Ok(AnnounceOutcome::UsedUp(question.to_owned()));
            }
            match records::insert_operation(
                &transaction,
                self.folder(),
                draft,
                sequence,
                &mut facts,
            ) {
                Err(error) if records::is_id_taken(&error) => return Ok(AnnounceOutcome::Taken),
                other => other?,
            }
            transaction
                .prepare_cached("INSERT INTO begun (id, process) VALUES (?1, ?2)")?
                .execute(params![draft.id, self.process_name()])?;
            transaction.commit()?;
            opened.note(facts);
            Ok(AnnounceOutcome::Announced)
        })?;
        match begun {
            AnnounceOutcome::Announced => Ok(SaveOutcome::new(set_aside)),
            AnnounceOutcome::Taken => Err(HistoryError::Conflict(AnnounceConflict::Taken(
                draft.id.to_owned(),
            ))),
            AnnounceOutcome::UsedUp(question) => {
                Err(HistoryError::Conflict(AnnounceConflict::UsedUp(question)))
            }
            AnnounceOutcome::Stopped(stop) => Err(HistoryError::Conflict(
                AnnounceConflict::Stopped(Box::new(stop)),
            )),
        }
    }

    fn finish(&self, draft: &OperationDraft<'_>) -> Result<SaveOutcome, HistoryError> {
        self.write_content_files(draft)?;
        let (completed, mut set_aside) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let begun = transaction
                .prepare_cached("DELETE FROM begun WHERE id = ?1")?
                .execute([draft.id])?;
            if begun == 0 && !records::operation_exists(&transaction, draft.id)? {
                return Ok(None);
            }
            let unclaimed = records::complete_operation(&transaction, self.folder(), draft)?;
            // If another process settled the operation, that process has recorded its events.
            if begun > 0 {
                append_file_events(&transaction, draft)?;
            }
            transaction.commit()?;
            Ok(Some(unclaimed))
        })?;
        let unclaimed = if let Some(unclaimed) = completed {
            unclaimed
        } else {
            let (unclaimed, moved) = self.run_on_database(|connection| {
                let transaction = WriteTransaction::begin(connection)?;
                let sequence = records::newest_sequence(&transaction)? + 1;
                let facts = &mut Facts::default();
                records::insert_operation(&transaction, self.folder(), draft, sequence, facts)?;
                let unclaimed = records::complete_operation(&transaction, self.folder(), draft)?;
                append_file_events(&transaction, draft)?;
                transaction.commit()?;
                Ok(unclaimed)
            })?;
            set_aside = moved.or(set_aside);
            unclaimed
        };
        Ok(SaveOutcome {
            set_aside,
            unclaimed,
        })
    }

    fn confirm(
        &self,
        id: &str,
        kind: OperationKind,
        inodes: &[Option<u64>],
    ) -> Result<ConfirmOutcome, HistoryError> {
        let (begun, set_aside) = self.run_on(|opened| {
            let (transaction, mut facts) = opened.begin_change()?;
            let begun = transaction
                .prepare_cached("DELETE FROM begun WHERE id = ?1")?
                .execute([id])?;
            if begun > 0 {
                let files = inodes.iter().enumerate();
                let files = files.map(|(at, inode)| MadeChange { at, inode: *inode });
                events::append_changes(&transaction, id, kind, files, &mut facts)?;
            }
            transaction.commit()?;
            opened.note(facts);
            Ok(begun)
        })?;
        Ok(if begun == 0 {
            ConfirmOutcome::Missing(SaveOutcome::new(set_aside))
        } else {
            ConfirmOutcome::Done
        })
    }

    fn remove_not_carried_out(&self, id: &str) -> Result<Vec<PathBuf>, HistoryError> {
        let ((files, unclaimed), _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let needless = prune::content_ids_of_operation(&transaction, id)?;
            let folders = made_folders::all_created_folders(&transaction, id)?;
            records::remove_operation(&transaction, id)?;
            let unclaimed = made_folders::pass_on_folders(&transaction, &folders)?;
            approvals::restore_approval(&transaction, id)?;
            let removed = &mut PruneResult::default();
            let files = prune::release_contents(&transaction, self.folder(), needless, removed)?;
            transaction.commit()?;
            Ok((files, unclaimed))
        })?;
        prune::remove_files(self.folder(), &files);
        Ok(unclaimed)
    }

    fn unfinished_operations(&self) -> Result<Vec<Operation>, HistoryError> {
        blobs::remove_temporaries(self.folder());
        process::remove_ended_processes(self.folder());
        // If the store cannot be written now, the end is recorded later.
        let _ = self.end_sessions_of_ended_processes();
        let (begun, _) = self.run_on_database(|connection| {
            let mut statement = connection.prepare_cached("SELECT id, process FROM begun")?;
            let rows = statement.query_map([], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let left: Vec<String> = begun
            .into_iter()
            .filter(|(_, name)| !process::is_alive(self.folder(), name))
            .map(|(id, _)| id)
            .collect();
        if left.is_empty() {
            return Ok(Vec::new());
        }
        let (found, _) = self.run_on_database(|connection| {
            let found = left.iter().map(|id| log::find_operation(connection, id));
            found.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(found.into_iter().flatten().collect())
    }

    fn later_states(
        &self,
        operation: &Operation,
        at: usize,
        path: &Path,
    ) -> Result<Vec<LaterState>, HistoryError> {
        Ok(self
            .run_on_database(|connection| {
                chain::find_later_states(connection, operation, at, path)
            })?
            .0)
    }

    fn rival_states(
        &self,
        operation: &Operation,
        at: usize,
        path: &Path,
    ) -> Result<Vec<RivalState>, HistoryError> {
        Ok(self
            .run_on_database(|connection| {
                chain::find_rival_states(connection, operation, at, path)
            })?
            .0)
    }

    fn settle_unfinished(
        &self,
        operation: &Operation,
        state: OperationState,
        written: &[usize],
    ) -> Result<Vec<PathBuf>, HistoryError> {
        let ((files, unclaimed), _) = self.run_on_database(|connection| {
            settle::settle_operation(connection, self.folder(), operation, state, written)
        })?;
        prune::remove_files(self.folder(), &files);
        Ok(unclaimed)
    }

    fn add_made_folder(&self, folder: &Path) -> Result<(), HistoryError> {
        self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            made_folders::assign_folder(&transaction, folder)?;
            transaction.commit()
        })?;
        Ok(())
    }

    fn query_log(&self, query: &LogQuery) -> Result<Vec<Operation>, HistoryError> {
        Ok(self
            .run_on_database(|connection| log::query_log(connection, query))?
            .0)
    }

    fn find(&self, part: &str, below: &[PathBuf]) -> Result<IdMatch, HistoryError> {
        Ok(self
            .run_on_database(|connection| ids::match_id(connection, part, below))?
            .0)
    }

    fn shortest_unique_endings(&self, ids: &[&str]) -> Result<Vec<usize>, HistoryError> {
        let (lengths, _) = self.run_on_database(|connection| {
            let transaction = connection.transaction()?;
            ids::unique_ending_lengths(&transaction, ids)
        })?;
        Ok(lengths)
    }

    fn reversed_changes(&self, operation: &str) -> Result<Vec<ReversedChange>, HistoryError> {
        Ok(self
            .run_on_database(|connection| log::reversed_changes(connection, operation))?
            .0)
    }

    fn mark_already_undone(&self, files: &[(String, usize)]) -> Result<(), HistoryError> {
        self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            for (operation, at) in files {
                // The caller removes those folders that are empty.
                let by = Some(ALREADY_UNDONE_MARK);
                records::mark_undone(&transaction, operation, *at, by, 0, &mut Vec::new())?;
            }
            transaction.commit()
        })?;
        Ok(())
    }

    fn has_later_changes(
        &self,
        paths: &[PathBuf],
        after: &str,
        except: &[String],
        without: &[[u8; 32]],
    ) -> Result<bool, HistoryError> {
        Ok(self
            .run_on_database(|connection| {
                log::find_later_changes(connection, paths, after, except, without)
            })?
            .0)
    }

    fn recorded_workspaces(
        &self,
        folders: &[PathBuf],
    ) -> Result<Vec<KnownWorkspace>, HistoryError> {
        Ok(self
            .run_on_database(|connection| workspaces::workspaces_near(connection, folders))?
            .0)
    }

    fn record_broken_link(&self, operation: &str, at: usize) -> Result<(), HistoryError> {
        self.run_on_database(|connection| records::record_broken_link(connection, operation, at))?;
        Ok(())
    }

    fn broken_links(&self, operation: &str) -> Result<Vec<usize>, HistoryError> {
        Ok(self
            .run_on_database(|connection| records::broken_links(connection, operation))?
            .0)
    }

    fn count_refusal(
        &self,
        session: &str,
        tool: &str,
        name: &str,
        folder: &Path,
    ) -> Result<(), HistoryError> {
        self.run_on_database(|connection| {
            statistics::count_refusal(connection, session, tool, name, folder)
        })?;
        Ok(())
    }

    fn statistics(&self, query: &StatisticsQuery) -> Result<Statistics, HistoryError> {
        Ok(self
            .run_on_database(|connection| statistics::compute_statistics(connection, query))?
            .0)
    }
}

/// Adds the events of all files of an operation.
fn append_file_events(
    transaction: &WriteTransaction<'_>,
    draft: &OperationDraft<'_>,
) -> rusqlite::Result<()> {
    let files = (0..draft.files.len()).map(MadeChange::from);
    let facts = &mut Facts::default();
    events::append_changes(transaction, draft.id, draft.kind, files, facts)
}

impl Store {
    pub(super) fn write_content_files(
        &self,
        draft: &OperationDraft<'_>,
    ) -> Result<(), HistoryError> {
        let is_known = |revision: &Revision| {
            self.run_on_database(|connection| {
                contents::is_readable(connection, self.folder(), revision)
            })
            .is_ok_and(|(kept, _)| kept)
        };
        contents::write_content_files(self.folder(), draft, &is_known)
            .map_err(|source| not_writable_error(self.folder(), source))
    }
}
