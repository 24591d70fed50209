//! The table `program_calls`: calls of other programs that have begun and whose end is not recorded.

use lancet_local_state::process;
use rusqlite::params;

use super::clock::now_in_milliseconds;
use super::made_folders::encode_paths;
use super::paths::path_from_bytes;
use super::transaction::WriteTransaction;
use super::{HistoryError, Store, workspaces};
use crate::program_call::{CallMaker, OpenCall, ProgramCallDraft, ProgramCallStore};

/// A call whose end was not reported after this time, in milliseconds, counts as ended.
const LONGEST: i64 = 24 * 60 * 60 * 1_000;

impl ProgramCallStore for Store {
    fn begin_program_call(&self, draft: &ProgramCallDraft<'_>) -> Result<i64, HistoryError> {
        let (number, _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let workspace = workspaces::workspace_number(&transaction, &draft.workspace)?;
            transaction
                .prepare_cached(
                    "INSERT INTO program_calls (workspace, key, session, tool, command, paths, time, process, looking)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                )?
                .execute(params![
                    workspace,
                    draft.key,
                    draft.session,
                    draft.tool,
                    draft.command,
                    encode_paths(draft.paths),
                    draft.time,
                    match draft.maker {
                        CallMaker::ThisProcess => Some(self.process_name()),
                        CallMaker::Another(process) => process.map(str::to_owned),
                    },
                    self.process_name()
                ])?;
            let number = transaction.last_insert_rowid();
            transaction.commit()?;
            Ok(number)
        })?;
        Ok(number)
    }

    fn program_call_begun(&self, number: i64, since: i64) -> Result<(), HistoryError> {
        self.update_calls(
            "UPDATE program_calls SET since = ?2, looking = NULL WHERE number = ?1",
            &[number, since],
        )
    }

    fn program_call_left(&self, number: i64, since: i64) -> Result<(), HistoryError> {
        self.update_calls(
            "UPDATE program_calls SET since = ?2, background = 1 WHERE number = ?1",
            &[number, since],
        )
    }

    fn open_program_calls(&self, workspace: &[u8; 32]) -> Result<Vec<OpenCall>, HistoryError> {
        let oldest = now_in_milliseconds() - LONGEST;
        let (found, _) = self.run_on_database(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT number, key, session, tool, command, paths, time, since, background, process, looking
                 FROM program_calls WHERE workspace = (SELECT number FROM workspaces WHERE id = ?1) ORDER BY number",
            )?;
            let rows = statement.query_map([workspace], |row| {
                let paths: Vec<u8> = row.get(5)?;
                let paths = paths.split(|byte| *byte == 0);
                let time = row.get(6)?;
                let is_gone = |process: Option<String>| {
                    process.is_some_and(|process| !process::is_alive(self.folder(), &process))
                };
                Ok(OpenCall {
                    number: row.get(0)?,
                    key: row.get(1)?,
                    session: row.get(2)?,
                    tool: row.get(3)?,
                    command: row.get(4)?,
                    paths: paths.filter(|path| !path.is_empty()).map(path_from_bytes).collect(),
                    time,
                    since: row.get(7)?,
                    is_in_background: row.get(8)?,
                    has_ended: time < oldest || is_gone(row.get(9)?) || is_gone(row.get(10)?),
                })
            })?;
            rows.collect()
        })?;
        Ok(found)
    }

    fn end_program_calls(&self, numbers: &[i64]) -> Result<(), HistoryError> {
        for number in numbers {
            self.update_calls("DELETE FROM program_calls WHERE number = ?1", &[*number])?;
        }
        Ok(())
    }

    fn changed_names(
        &self,
        workspace: &[u8; 32],
        after: i64,
        upto: i64,
    ) -> Result<Vec<Vec<u8>>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT DISTINCT name FROM checkpoint_files
                 WHERE workspace = (SELECT number FROM workspaces WHERE id = ?1)
                   AND ((since > ?2 AND since <= ?3) OR (until > ?2 AND until <= ?3))",
            )?;
            let rows = statement.query_map(params![workspace, after, upto], |row| row.get(0))?;
            rows.collect()
        })?;
        Ok(found)
    }
}

impl Store {
    /// Runs one statement about calls in a separate transaction.
    fn update_calls(&self, sql: &str, numbers: &[i64]) -> Result<(), HistoryError> {
        self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            transaction
                .prepare_cached(sql)?
                .execute(rusqlite::params_from_iter(numbers))?;
            transaction.commit()
        })?;
        Ok(())
    }
}
