//! The readers of events, and the table `open_sessions`: sessions that have begun and whose end is not recorded. A
//! process that is killed leaves its rows there; the next process that reads the table records the end.

use lancet_local_state::process;
use rusqlite::params;

use super::events::{self, NewEvent, next_event_sql};
use super::transaction::WriteTransaction;
use super::{HistoryError, Store, workspaces};
use crate::event::{EventKind, EventPage, EventStore, SessionBegin};

impl EventStore for Store {
    fn events(&self, since: i64, most: usize) -> Result<EventPage, HistoryError> {
        Ok(self
            .run_on_database(|connection| events::read_page(connection, since, most))?
            .0)
    }

    fn last_event_of_operation(&self, operation: &str) -> Result<Option<i64>, HistoryError> {
        Ok(self
            .run_on_database(|connection| events::last_event_of_operation(connection, operation))?
            .0)
    }

    fn begin_session(&self, begin: &SessionBegin<'_>) -> Result<(), HistoryError> {
        if self.adjust_session_count(begin.session, 1) > 1 {
            return Ok(());
        }
        self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let workspace = begin.workspace.as_ref();
            let workspace = workspace.map(|found| workspaces::workspace_number(&transaction, found));
            transaction.execute(
                "INSERT OR REPLACE INTO open_sessions (process, session, client, workspace, body, time, version)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    self.process_name(),
                    begin.session,
                    begin.client,
                    workspace.transpose()?,
                    begin.body,
                    super::clock::now_in_milliseconds(),
                    begin.version
                ],
            )?;
            let body = add_state(begin.body, "begun");
            let event = NewEvent {
                kind: EventKind::Session,
                workspace: begin.workspace,
                session: Some(begin.session),
                client: begin.client,
                body: &body,
            };
            events::append_event(&transaction, &event)?;
            transaction.commit()
        })?;
        Ok(())
    }

    fn end_session(&self, session: &str) -> Result<(), HistoryError> {
        if self.adjust_session_count(session, -1) > 0 {
            return Ok(());
        }
        self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            end_session_of_process(&transaction, &self.process_name(), session)?;
            transaction.commit()
        })?;
        Ok(())
    }

    fn end_sessions_of_ended_processes(&self) -> Result<(), HistoryError> {
        self.run_on_database(|connection| {
            let open: Vec<(String, String)> = {
                let mut statement =
                    connection.prepare_cached("SELECT process, session FROM open_sessions")?;
                let rows = statement.query_map([], |row| row.try_into())?;
                rows.collect::<rusqlite::Result<_>>()?
            };
            let lost =
                |(process, _): &&(String, String)| !process::is_alive(self.folder(), process);
            let lost: Vec<_> = open.iter().filter(lost).collect();
            if lost.is_empty() {
                return Ok(());
            }
            let transaction = WriteTransaction::begin(connection)?;
            for (process, session) in lost {
                end_session_of_process(&transaction, process, session)?;
            }
            transaction.commit()
        })?;
        Ok(())
    }
}

/// Records the end of a session, unless another process has done so.
fn end_session_of_process(
    transaction: &WriteTransaction<'_>,
    process: &str,
    session: &str,
) -> rusqlite::Result<()> {
    transaction.execute(
        concat!(
            "INSERT INTO events (seq, time, kind, workspace, session, client, body)
         SELECT ",
            next_event_sql!(),
            ", ?3, ?4, workspace, session, client, json_set(body, '$.state', 'ended')
         FROM open_sessions WHERE process = ?1 AND session = ?2"
        ),
        params![
            process,
            session,
            super::clock::now_in_milliseconds(),
            EventKind::Session.database_number()
        ],
    )?;
    transaction.execute(
        "DELETE FROM open_sessions WHERE process = ?1 AND session = ?2",
        params![process, session],
    )?;
    Ok(())
}

/// Returns a JSON object with one more field.
fn add_state(body: &str, state: &str) -> String {
    match body.strip_prefix('{').map(str::trim_start) {
        Some(rest) if rest.starts_with('}') => format!("{{\"state\":\"{state}\"}}"),
        Some(rest) => format!("{{\"state\":\"{state}\",{rest}"),
        None => format!("{{\"state\":\"{state}\"}}"),
    }
}
