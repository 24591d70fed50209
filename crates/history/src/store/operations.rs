//! The records of operations in SQLite: each method runs its statements on the open database. Only rows and the files
//! of the state folder are touched, never a file of the user. `upkeep.rs` has the contents and the upkeep.

use std::path::{Path, PathBuf};

use lancet_local_state::process;
use rusqlite::params;

use super::error::not_writable;
use super::events::MadeChange;
use super::facts::Facts;
use super::stops::Admission;
use super::transaction::WriteTransaction;
use super::{
    HistoryError, Saved, Store, blobs, chain, contents, events, ids, log, made_folders, prune,
    questions, records, statistics, stops, workspaces,
};
use crate::activity::SessionStop;
use crate::entry::Revision;
use crate::error::Conflict;
use crate::event::EventStore as _;
use crate::operation::{
    ALREADY_UNDONE, Confirmed, Draft, IdMatch, LaterState, LogQuery, Operation, OperationKind,
    OperationState, RecordStore, Removed, RivalState, Statistics, StatisticsQuery, TakenBack,
};
use crate::workspace::KnownWorkspace;

/// The outcome of announcing an operation.
enum Begun {
    Announced,
    /// Another operation has the id.
    Taken,
    /// The approval of this question does not exist, or was used.
    UsedUp(String),
    /// The user has stopped the session's writes.
    Stopped(SessionStop),
}

impl RecordStore for Store {
    fn begin(&self, draft: &Draft<'_>) -> Result<Saved, HistoryError> {
        self.put_files(draft)?;
        let (begun, set_aside) = self.run_on(|opened| {
            let (transaction, mut facts) = opened.begin_change()?;
            // The stop is checked before the approval is used up, so that the approval still exists when the session
            // may write again.
            let sequence = match stops::admit(&transaction, draft, &mut facts)? {
                Admission::Granted(sequence) => sequence,
                Admission::Stopped(stop) => return Ok(Begun::Stopped(stop)),
            };
            if let Some(question) = draft.question
                && !questions::use_up(&transaction, question, draft.id)?
            {
                return Ok(Begun::UsedUp(question.to_owned()));
            }
            match records::insert(&transaction, self.folder(), draft, sequence, &mut facts) {
                Err(error) if records::is_taken(&error) => return Ok(Begun::Taken),
                other => other?,
            }
            transaction
                .prepare_cached("INSERT INTO begun (id, process) VALUES (?1, ?2)")?
                .execute(params![draft.id, self.process()])?;
            transaction.commit()?;
            opened.note(facts);
            Ok(Begun::Announced)
        })?;
        match begun {
            Begun::Announced => Ok(Saved::new(set_aside)),
            Begun::Taken => Err(HistoryError::Conflict(Conflict::Taken(draft.id.to_owned()))),
            Begun::UsedUp(question) => Err(HistoryError::Conflict(Conflict::UsedUp(question))),
            Begun::Stopped(stop) => Err(HistoryError::Conflict(Conflict::Stopped(Box::new(stop)))),
        }
    }

    fn finish(&self, draft: &Draft<'_>) -> Result<Saved, HistoryError> {
        self.put_files(draft)?;
        let (completed, mut set_aside) = self.run(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let begun = transaction
                .prepare_cached("DELETE FROM begun WHERE id = ?1")?
                .execute([draft.id])?;
            if begun == 0 && !records::is_there(&transaction, draft.id)? {
                return Ok(None);
            }
            let unclaimed = records::complete(&transaction, self.folder(), draft)?;
            // If another process settled the operation, that process has recorded its events.
            if begun > 0 {
                append_all(&transaction, draft)?;
            }
            transaction.commit()?;
            Ok(Some(unclaimed))
        })?;
        let unclaimed = if let Some(unclaimed) = completed {
            unclaimed
        } else {
            let (unclaimed, moved) = self.run(|connection| {
                let transaction = WriteTransaction::begin(connection)?;
                let sequence = records::newest_sequence(&transaction)? + 1;
                let facts = &mut Facts::default();
                records::insert(&transaction, self.folder(), draft, sequence, facts)?;
                let unclaimed = records::complete(&transaction, self.folder(), draft)?;
                append_all(&transaction, draft)?;
                transaction.commit()?;
                Ok(unclaimed)
            })?;
            set_aside = moved.or(set_aside);
            unclaimed
        };
        Ok(Saved {
            set_aside,
            unclaimed,
        })
    }

    fn confirm(
        &self,
        id: &str,
        kind: OperationKind,
        inodes: &[Option<u64>],
    ) -> Result<Confirmed, HistoryError> {
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
            Confirmed::Missing(Saved::new(set_aside))
        } else {
            Confirmed::Done
        })
    }

    fn abandon(&self, id: &str) -> Result<Vec<PathBuf>, HistoryError> {
        let ((files, unclaimed), _) = self.run(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let needless = prune::contents_of(&transaction, id)?;
            let folders = made_folders::all_made_folders(&transaction, id)?;
            records::remove(&transaction, id)?;
            let unclaimed = made_folders::hand_on_folders(&transaction, &folders)?;
            questions::give_back(&transaction, id)?;
            let removed = &mut Removed::default();
            let files = prune::release(&transaction, self.folder(), needless, removed)?;
            transaction.commit()?;
            Ok((files, unclaimed))
        })?;
        prune::remove_files(self.folder(), &files);
        Ok(unclaimed)
    }

    fn unfinished(&self) -> Result<Vec<Operation>, HistoryError> {
        blobs::remove_temporaries(self.folder());
        process::remove_ended(self.folder());
        // If the store cannot be written now, the end is recorded later.
        let _ = self.end_lost_sessions();
        let (begun, _) = self.run(|connection| {
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
        let (found, _) = self.run(|connection| {
            let found = left.iter().map(|id| log::one(connection, id));
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
            .run(|connection| chain::later_states(connection, operation, at, path))?
            .0)
    }

    fn rival_states(
        &self,
        operation: &Operation,
        at: usize,
        path: &Path,
    ) -> Result<Vec<RivalState>, HistoryError> {
        Ok(self
            .run(|connection| chain::rival_states(connection, operation, at, path))?
            .0)
    }

    fn settle(
        &self,
        operation: &Operation,
        state: OperationState,
        written: &[usize],
    ) -> Result<Vec<PathBuf>, HistoryError> {
        let ((files, unclaimed), _) = self.run(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let begun = transaction.execute("DELETE FROM begun WHERE id = ?1", [&operation.id])?;
            // Another process has settled it.
            if begun == 0 {
                return Ok((Vec::new(), Vec::new()));
            }
            let named = prune::contents_of(&transaction, &operation.id)?;
            let (mut folders, mut unclaimed) = (Vec::new(), Vec::new());
            for file in operation
                .files
                .iter()
                .filter(|file| !written.contains(&file.at))
            {
                folders.extend(made_folders::made_folders(
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
                records::remove(&transaction, &operation.id)?;
                questions::give_back(&transaction, &operation.id)?;
            } else {
                transaction.execute(
                    "UPDATE operations SET state = ?2 WHERE id = ?1",
                    params![operation.id, state.number()],
                )?;
                let files = operation.files.iter().map(|file| file.at);
                let files = files
                    .filter(|at| written.contains(at))
                    .map(MadeChange::from);
                let (id, kind) = (&operation.id, operation.kind);
                events::append_changes(&transaction, id, kind, files, &mut Facts::default())?;
                for taken in log::taken_back(&transaction, &operation.id)? {
                    records::mark(
                        &transaction,
                        &taken.operation,
                        taken.at,
                        Some(&operation.id),
                        0,
                        &mut unclaimed,
                    )?;
                }
            }
            unclaimed.extend(made_folders::hand_on_folders(&transaction, &folders)?);
            let removed = &mut Removed::default();
            let files = prune::release(&transaction, self.folder(), named, removed)?;
            transaction.commit()?;
            Ok((files, unclaimed))
        })?;
        prune::remove_files(self.folder(), &files);
        Ok(unclaimed)
    }

    fn add_made_folder(&self, folder: &Path) -> Result<(), HistoryError> {
        self.run(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            made_folders::add_folder(&transaction, folder)?;
            transaction.commit()
        })?;
        Ok(())
    }

    fn log(&self, query: &LogQuery) -> Result<Vec<Operation>, HistoryError> {
        Ok(self.run(|connection| log::log(connection, query))?.0)
    }

    fn find(&self, part: &str, below: &[PathBuf]) -> Result<IdMatch, HistoryError> {
        Ok(self.run(|connection| ids::find(connection, part, below))?.0)
    }

    fn shortest_endings(&self, ids: &[&str]) -> Result<Vec<usize>, HistoryError> {
        let (lengths, _) = self.run(|connection| {
            let transaction = connection.transaction()?;
            ids::shortest_endings(&transaction, ids)
        })?;
        Ok(lengths)
    }

    fn taken_back(&self, operation: &str) -> Result<Vec<TakenBack>, HistoryError> {
        Ok(self
            .run(|connection| log::taken_back(connection, operation))?
            .0)
    }

    fn mark_already_undone(&self, files: &[(String, usize)]) -> Result<(), HistoryError> {
        self.run(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            for (operation, at) in files {
                // The caller removes those folders that are empty.
                let by = Some(ALREADY_UNDONE);
                records::mark(&transaction, operation, *at, by, 0, &mut Vec::new())?;
            }
            transaction.commit()
        })?;
        Ok(())
    }

    fn is_changed_later(
        &self,
        paths: &[PathBuf],
        after: &str,
        except: &[String],
        without: &[[u8; 32]],
    ) -> Result<bool, HistoryError> {
        Ok(self
            .run(|connection| log::is_changed_later(connection, paths, after, except, without))?
            .0)
    }

    fn workspaces(&self, folders: &[PathBuf]) -> Result<Vec<KnownWorkspace>, HistoryError> {
        Ok(self
            .run(|connection| workspaces::around(connection, folders))?
            .0)
    }

    fn record_broken_link(&self, operation: &str, at: usize) -> Result<(), HistoryError> {
        self.run(|connection| records::record_broken_link(connection, operation, at))?;
        Ok(())
    }

    fn broken_links(&self, operation: &str) -> Result<Vec<usize>, HistoryError> {
        Ok(self
            .run(|connection| records::broken_links(connection, operation))?
            .0)
    }

    fn count_refusal(
        &self,
        session: &str,
        tool: &str,
        name: &str,
        folder: &Path,
    ) -> Result<(), HistoryError> {
        self.run(|connection| statistics::count_refusal(connection, session, tool, name, folder))?;
        Ok(())
    }

    fn statistics(&self, query: &StatisticsQuery) -> Result<Statistics, HistoryError> {
        Ok(self
            .run(|connection| statistics::sum_up(connection, query))?
            .0)
    }
}

/// Adds the events of all files of an operation.
fn append_all(transaction: &WriteTransaction<'_>, draft: &Draft<'_>) -> rusqlite::Result<()> {
    let files = (0..draft.files.len()).map(MadeChange::from);
    let facts = &mut Facts::default();
    events::append_changes(transaction, draft.id, draft.kind, files, facts)
}

impl Store {
    pub(super) fn put_files(&self, draft: &Draft<'_>) -> Result<(), HistoryError> {
        let is_known = |revision: &Revision| {
            self.run(|connection| contents::is_kept(connection, self.folder(), revision))
                .is_ok_and(|(kept, _)| kept)
        };
        contents::put_files(self.folder(), draft, &is_known)
            .map_err(|source| not_writable(self.folder(), source))
    }
}
