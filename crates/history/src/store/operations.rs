//! Operations on their way into the database: announced with all that it takes to go back, then finished. Rows only;
//! nothing here looks at the user's files.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, params};

use super::open::{file_in, not_writable};
use super::{Saved, Store, StoreError, contents, log, process, prune, statistics};
use crate::entry::Revision;
use crate::operation::{
    Draft, FileDraft, Found, Limits, LogQuery, Operation, OperationState, OperationStore, Removed,
    Sealed, Statistics, StatisticsQuery, TakenBack,
};

impl OperationStore for Store {
    fn begin(&self, draft: &Draft<'_>) -> Result<Saved, StoreError> {
        self.put_files(draft)?;
        let (taken, set_aside) = self.run(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            match insert(&transaction, self.folder(), draft) {
                Err(error) if is_taken(&error) => return Ok(true),
                other => other?,
            }
            transaction
                .prepare_cached("INSERT INTO begun (id, process) VALUES (?1, ?2)")?
                .execute(params![draft.id, self.process()])?;
            transaction.commit()?;
            Ok(false)
        })?;
        if taken {
            return Err(StoreError::Taken {
                path: file_in(self.folder()),
                id: draft.id.to_owned(),
            });
        }
        Ok(Saved { set_aside })
    }

    fn finish(&self, draft: &Draft<'_>) -> Result<Saved, StoreError> {
        let (missing, mut set_aside) = self.run(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let begun = transaction
                .prepare_cached("DELETE FROM begun WHERE id = ?1")?
                .execute([draft.id])?;
            if begun == 0 && !is_there(&transaction, draft.id)? {
                return Ok(true);
            }
            complete(&transaction, self.folder(), draft)?;
            transaction.commit()?;
            Ok(false)
        })?;
        if missing {
            self.put_files(draft)?;
            let ((), moved) = self.run(|connection| {
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                insert(&transaction, self.folder(), draft)?;
                complete(&transaction, self.folder(), draft)?;
                transaction.commit()
            })?;
            set_aside = moved.or(set_aside);
        }
        Ok(Saved { set_aside })
    }

    fn abandon(&self, id: &str) -> Result<(), StoreError> {
        self.run(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            remove(&transaction, id)?;
            transaction.commit()
        })?;
        Ok(())
    }

    fn unfinished(&self) -> Result<Vec<Operation>, StoreError> {
        let (begun, _) = self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT id, process FROM begun")?;
            let rows = statement.query_map([], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let left: Vec<String> = begun
            .into_iter()
            .filter(|(_, name)| !process::is_alive(name))
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

    fn settle(
        &self,
        operation: &Operation,
        state: OperationState,
        written: &[usize],
    ) -> Result<(), StoreError> {
        self.run(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let begun = transaction.execute("DELETE FROM begun WHERE id = ?1", [&operation.id])?;
            // Somebody else has settled it.
            if begun == 0 {
                return Ok(());
            }
            for file in operation
                .files
                .iter()
                .filter(|file| !written.contains(&file.at))
            {
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
                remove(&transaction, &operation.id)?;
            } else {
                transaction.execute(
                    "UPDATE operations SET state = ?2 WHERE id = ?1",
                    params![operation.id, state.number()],
                )?;
                for taken in log::taken_back(&transaction, &operation.id)? {
                    mark(
                        &transaction,
                        &taken.operation,
                        taken.at,
                        Some(&operation.id),
                        0,
                    )?;
                }
            }
            transaction.commit()
        })?;
        Ok(())
    }

    fn log(&self, query: &LogQuery) -> Result<Vec<Operation>, StoreError> {
        Ok(self.run(|connection| log::log(connection, query))?.0)
    }

    fn find(&self, beginning: &str) -> Result<Found, StoreError> {
        Ok(self.run(|connection| log::find(connection, beginning))?.0)
    }

    fn taken_back(&self, operation: &str) -> Result<Vec<TakenBack>, StoreError> {
        Ok(self
            .run(|connection| log::taken_back(connection, operation))?
            .0)
    }

    fn content(&self, revision: &Revision) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self
            .run(|connection| contents::get(connection, self.folder(), revision))?
            .0)
    }

    fn count_refusal(&self, session: &str, tool: &str, name: &str) -> Result<(), StoreError> {
        self.run(|connection| statistics::count_refusal(connection, session, tool, name))?;
        Ok(())
    }

    fn statistics(&self, query: &StatisticsQuery) -> Result<Statistics, StoreError> {
        Ok(self
            .run(|connection| statistics::sum_up(connection, query))?
            .0)
    }

    fn prune(&self, limits: &Limits, budget: Duration) -> Result<Removed, StoreError> {
        Ok(self
            .run(|connection| prune::prune(connection, self.folder(), limits, budget))?
            .0)
    }

    fn seal(&self, budget: Duration) -> Result<Sealed, StoreError> {
        Ok(self
            .run(|connection| prune::seal(connection, self.folder(), budget))?
            .0)
    }
}

/// Fails where the tables are not of the shape that the statements need.
pub(super) fn check(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .prepare_cached("SELECT id, revision, form, base, data FROM contents WHERE id = ?1")?;
    connection.prepare_cached("DELETE FROM begun WHERE id = ?1")?;
    log::check(connection)
}

impl Store {
    fn put_files(&self, draft: &Draft<'_>) -> Result<(), StoreError> {
        contents::put_files(self.folder(), draft)
            .map_err(|source| not_writable(self.folder(), source))
    }
}

/// Writes the rows of an operation.
fn insert(transaction: &Transaction<'_>, state: &Path, draft: &Draft<'_>) -> rusqlite::Result<()> {
    let by = &draft.by;
    transaction
        .prepare_cached(
            "INSERT INTO operations (id, time, kind, state, session, client, version, turn, call, tool, rungs, approved)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            draft.id,
            draft.time,
            draft.kind.number(),
            OperationState::Done.number(),
            by.session,
            by.client,
            by.version,
            by.turn,
            by.call,
            draft.tool,
            draft.rungs.join(","),
            draft.approved
        ])?;
    for (at, file) in draft.files.iter().enumerate() {
        insert_file(transaction, state, draft.id, at, file)?;
    }
    for taken in &draft.takes_back {
        transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO taken_back (operation, file, earlier, at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![
                draft.id,
                taken.by as i64,
                taken.operation,
                taken.at as i64
            ])?;
    }
    Ok(())
}

fn insert_file(
    transaction: &Transaction<'_>,
    state: &Path,
    id: &str,
    at: usize,
    file: &FileDraft<'_>,
) -> rusqlite::Result<()> {
    let put = |kept: &Option<crate::operation::State<'_>>| {
        kept.as_ref()
            .map(|kept| contents::put(transaction, state, kept))
            .transpose()
    };
    let (before, after) = (put(&file.before)?, put(&file.after)?);
    let mode =
        |kept: &Option<crate::operation::State<'_>>| kept.as_ref().map_or(0, |kept| kept.mode);
    transaction
        .prepare_cached(
            "INSERT INTO files (operation, at, path, kind, moved_from, before, before_mode, before_link,
                                after, after_mode, after_link, added, removed, folders)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params![
            id,
            at as i64,
            bytes_of(file.path),
            file.kind.number(),
            file.moved_from.map(bytes_of),
            before,
            mode(&file.before),
            file.before.as_ref().and_then(|kept| kept.link).map(bytes_of),
            after,
            mode(&file.after),
            file.after.as_ref().and_then(|kept| kept.link).map(bytes_of),
            file.added as i64,
            file.removed as i64,
            folders_of(&file.folders)
        ])?;
    Ok(())
}

/// What is known only now: modes, folders, and the content after a write that was streamed. Then the marks on what is
/// taken back.
fn complete(
    transaction: &Transaction<'_>,
    state: &Path,
    draft: &Draft<'_>,
) -> rusqlite::Result<()> {
    for (at, file) in draft.files.iter().enumerate() {
        let Some(after) = &file.after else {
            continue;
        };
        let content = contents::put(transaction, state, after)?;
        transaction
            .prepare_cached(
                "UPDATE files SET after = ?3, after_mode = ?4, folders = ?5 WHERE operation = ?1 AND at = ?2
                 AND (after IS NOT ?3 OR after_mode <> ?4 OR folders <> ?5)",
            )?
            .execute(params![
                draft.id,
                at as i64,
                content,
                after.mode,
                folders_of(&file.folders)
            ])?;
    }
    for taken in &draft.takes_back {
        mark(transaction, &taken.operation, taken.at, Some(draft.id), 0)?;
    }
    Ok(())
}

/// Marks one file of an operation as taken back, or as standing again. What that operation itself had taken back then
/// stands again, or is taken back again.
fn mark(
    transaction: &Transaction<'_>,
    operation: &str,
    at: usize,
    by: Option<&str>,
    depth: usize,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE files SET undone = ?3 WHERE operation = ?1 AND at = ?2")?
        .execute(params![operation, at as i64, by])?;
    // An undo of a redo of an undo …: each step is one operation, so the depth is theirs; the bound is for loops in a
    // database that somebody else wrote.
    if depth > 1_000 {
        return Ok(());
    }
    for taken in log::taken_back(transaction, operation)? {
        if taken.by == at {
            let by = by.is_none().then_some(operation);
            mark(transaction, &taken.operation, taken.at, by, depth + 1)?;
        }
    }
    Ok(())
}

fn remove(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<()> {
    for statement in [
        "DELETE FROM begun WHERE id = ?1",
        "DELETE FROM taken_back WHERE operation = ?1",
        "DELETE FROM operations WHERE id = ?1",
    ] {
        transaction.prepare_cached(statement)?.execute([id])?;
    }
    Ok(())
}

fn is_there(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM operations WHERE id = ?1)")?
        .query_row([id], |row| row.get(0))
}

fn is_taken(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
}

pub(super) fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

fn folders_of(folders: &[PathBuf]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for folder in folders {
        bytes.extend_from_slice(bytes_of(folder));
        bytes.push(0);
    }
    bytes
}
