//! The tables `sub_agents`, `announced_calls` and `heard_hooks`, and the turns in `agent_processes`.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::clock::{now, now_in_milliseconds};
use super::ledger_tables::DAY_SECONDS;
use super::transaction::WriteTransaction;
use super::{HistoryError, Store};
use crate::sub_agent::{
    AnnouncementHandling, CallOwner, ConversationReport, ConversationRole, RunningSubAgent,
    SubAgent, SubAgentStore,
};

/// The largest number of sub-agents that one query returns.
const MAX_SUB_AGENTS: i64 = 10_000;
/// An announced call that was not made is removed after this many seconds: the user may take hours to allow it.
const UNMADE_CALL_AGE: i64 = DAY_SECONDS;
/// A reported process is removed after this many seconds without a report.
const UNREPORTED_PROCESS_AGE: i64 = 30 * DAY_SECONDS;
/// The interval at which the time of a hook's last run is written again, in seconds.
const HOOK_TIME_INTERVAL: i64 = 60 * 60;

impl SubAgentStore for Store {
    fn add_sub_agent(
        &self,
        session: &str,
        parent: &str,
        kind: Option<&str>,
    ) -> Result<(), HistoryError> {
        self.run_on_database(|connection| {
            // Most reports repeat what is known, and need no write lock.
            let is_known = connection
                .prepare_cached("SELECT 1 FROM sub_agents WHERE session = ?1")?
                .exists([session])?;
            if is_known || session == parent {
                return Ok(());
            }
            let transaction = WriteTransaction::begin(connection)?;
            transaction.execute(
                "INSERT OR IGNORE INTO sub_agents (session, parent, kind, time) VALUES (?1, ?2, ?3, ?4)",
                params![session, parent, kind, now_in_milliseconds()],
            )?;
            transaction.commit()
        })?;
        Ok(())
    }

    fn sub_agents(&self) -> Result<Vec<SubAgent>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT session, parent, kind, time FROM sub_agents ORDER BY time DESC, session LIMIT ?1",
            )?;
            let rows = statement.query_map([MAX_SUB_AGENTS], |row| {
                Ok(SubAgent {
                    session: row.get(0)?,
                    parent: row.get(1)?,
                    kind: row.get(2)?,
                    time: row.get(3)?,
                })
            })?;
            rows.collect::<rusqlite::Result<_>>()
        })?;
        Ok(found)
    }

    fn begin_run(&self, process: &str, session: &str, since: i64) -> Result<(), HistoryError> {
        self.execute_statement(
            "UPDATE sub_agents SET process = ?1, running = ?3, beside = 0 WHERE session = ?2",
            params![process, session, since],
        )
    }

    fn end_run(&self, session: &str) -> Result<(), HistoryError> {
        self.execute_statement(
            "UPDATE sub_agents SET running = NULL WHERE session = ?1",
            params![session],
        )
    }

    fn running_sub_agents(
        &self,
        process: &str,
        before: i64,
    ) -> Result<Vec<RunningSubAgent>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT session, beside FROM sub_agents WHERE process = ?1 AND running < ?2 ORDER BY running",
            )?;
            let rows = statement.query_map(params![process, before], |row| {
                Ok(RunningSubAgent {
                    session: row.get(0)?,
                    is_beside: row.get(1)?,
                })
            })?;
            rows.collect::<rusqlite::Result<_>>()
        })?;
        Ok(found)
    }

    fn mark_parent_continues(&self, process: &str) -> Result<(), HistoryError> {
        self.execute_statement(
            "UPDATE sub_agents SET beside = 1 WHERE process = ?1 AND running IS NOT NULL",
            params![process],
        )
    }

    fn end_awaited_sub_agents(&self, process: &str) -> Result<(), HistoryError> {
        self.execute_statement(
            "UPDATE sub_agents SET running = NULL
             WHERE process = ?1 AND running IS NOT NULL AND beside = 0",
            params![process],
        )
    }

    fn announce_call(&self, key: &str, owner: &CallOwner) -> Result<(), HistoryError> {
        self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            transaction
                .prepare_cached("DELETE FROM announced_calls WHERE id IN (SELECT id FROM announced_calls WHERE time < ?1 ORDER BY id LIMIT 100)")?
                .execute([now() - UNMADE_CALL_AGE])?;
            transaction
                .prepare_cached(
                    "INSERT INTO announced_calls (key, session, several, time) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![key, owner.session, owner.is_shared, now()])?;
            transaction.commit()
        })?;
        Ok(())
    }

    fn call_owner(
        &self,
        key: &str,
        then: AnnouncementHandling,
    ) -> Result<Option<CallOwner>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            // The newest one is used; older ones may be of calls that the user did not allow.
            let found: Option<(i64, String, bool)> = connection
                .prepare_cached(
                    "SELECT id, session, several FROM announced_calls WHERE key = ?1 ORDER BY id DESC LIMIT 1",
                )?
                .query_row([key], |row| row.try_into())
                .optional()?;
            let Some((id, session, is_shared)) = found else {
                return Ok(None);
            };
            if then == AnnouncementHandling::Removed {
                let transaction = WriteTransaction::begin(connection)?;
                transaction.execute("DELETE FROM announced_calls WHERE id = ?1", [id])?;
                transaction.commit()?;
            }
            Ok(Some(CallOwner { session, is_shared }))
        })?;
        Ok(found)
    }

    fn report_conversation(
        &self,
        process: &str,
        session: &str,
        report: ConversationReport,
    ) -> Result<ConversationRole, HistoryError> {
        let (reported, _) = self.run_on_database(|connection| {
            self::record_report(connection, process, session, report)
        })?;
        Ok(reported)
    }

    fn end_turn(&self, process: &str, session: &str) -> Result<(), HistoryError> {
        self.execute_statement(
            "UPDATE agent_processes SET turn = NULL WHERE process = ?1 AND session = ?2",
            params![process, session],
        )
    }

    fn record_hook_run(&self, agent: &str, event: &str) -> Result<(), HistoryError> {
        self.run_on_database(|connection| {
            let is_known = connection
                .prepare_cached(
                    "SELECT 1 FROM heard_hooks WHERE agent = ?1 AND event = ?2 AND time > ?3",
                )?
                .exists(params![agent, event, now() - HOOK_TIME_INTERVAL])?;
            if is_known {
                return Ok(());
            }
            let transaction = WriteTransaction::begin(connection)?;
            transaction.execute(
                "INSERT OR REPLACE INTO heard_hooks (agent, event, time) VALUES (?1, ?2, ?3)",
                params![agent, event, now()],
            )?;
            transaction.commit()
        })?;
        Ok(())
    }

    fn hook_run_times(&self, agent: &str) -> Result<Vec<(String, i64)>, HistoryError> {
        let (found, _) = self.run_on_database(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT event, time FROM heard_hooks WHERE agent = ?1 ORDER BY time DESC, event",
            )?;
            let rows = statement.query_map([agent], |row| row.try_into())?;
            rows.collect::<rusqlite::Result<_>>()
        })?;
        Ok(found)
    }
}

impl Store {
    /// Runs one statement in a separate transaction.
    fn execute_statement(
        &self,
        sql: &str,
        values: &[&dyn rusqlite::ToSql],
    ) -> Result<(), HistoryError> {
        self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            transaction.prepare_cached(sql)?.execute(values)?;
            transaction.commit()
        })?;
        Ok(())
    }
}

/// Records what a hook reports of the conversation of a process.
pub(super) fn record_report(
    connection: &mut Connection,
    process: &str,
    session: &str,
    report: ConversationReport,
) -> rusqlite::Result<ConversationRole> {
    let transaction = WriteTransaction::begin(connection)?;
    let other = current_turn(&transaction, process)?.filter(|running| running != session);
    if let (Some(running), true) = (other, report != ConversationReport::Switch) {
        return Ok(ConversationRole::SubAgentOf(running));
    }
    let begins = (report == ConversationReport::Prompt).then(now_in_milliseconds);
    transaction.execute(
        "DELETE FROM agent_processes WHERE time < ?1",
        [now() - UNREPORTED_PROCESS_AGE],
    )?;
    transaction.execute(
        "INSERT INTO agent_processes (process, session, time, turn) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (process) DO UPDATE SET session = ?2, time = ?3,
             turn = CASE WHEN ?4 IS NULL AND session = ?2 THEN turn ELSE ?4 END",
        params![process, session, now(), begins],
    )?;
    transaction.commit()?;
    Ok(ConversationRole::Person)
}

/// Returns the session whose turn runs in a process.
fn current_turn(connection: &Connection, process: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached(
            "SELECT session FROM agent_processes WHERE process = ?1 AND turn IS NOT NULL",
        )?
        .query_row([process], |row| row.get(0))
        .optional()
}

/// Removes sub-agents that have no operation any more and are older than the limit.
pub(super) fn prune_sub_agents(connection: &Connection, oldest: i64) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM sub_agents WHERE time < ?1 AND session NOT IN (SELECT session FROM operations)
             AND session NOT IN (SELECT parent FROM sub_agents)",
        [oldest],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ConversationReport::{Prompt, Start, Switch};

    fn temporary_store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().expect("folder");
        let store = Store::new(folder.path());
        (folder, store)
    }

    #[test]
    fn conversation_reported_during_other_turn_is_sub_agent() {
        let (_folder, store) = temporary_store();
        let report = |session, what| {
            store
                .report_conversation("7:1", session, what)
                .expect("kept")
        };
        let current = || {
            use crate::mark::MarkStore as _;
            store.reported_session("7:1").expect("read")
        };
        let sub_agent = || ConversationRole::SubAgentOf("a".to_owned());
        assert_eq!(report("a", Start), ConversationRole::Person);
        assert_eq!(report("a", Prompt), ConversationRole::Person);
        assert_eq!(report("b", Start), sub_agent());
        assert_eq!(report("b", Prompt), sub_agent());
        assert_eq!(current().as_deref(), Some("a"));
        // The same conversation is prompted again while it works.
        assert_eq!(report("a", Prompt), ConversationRole::Person);
        assert_eq!(report("a", Start), ConversationRole::Person);
        assert_eq!(report("b", Prompt), sub_agent());
        // The end of a sub-agent's turn is not that of its parent.
        store.end_turn("7:1", "b").expect("kept");
        assert_eq!(report("b", Prompt), sub_agent());
        store.end_turn("7:1", "a").expect("kept");
        assert_eq!(report("c", Prompt), ConversationRole::Person);
        assert_eq!(current().as_deref(), Some("c"));
        // The user goes to another conversation although the end of the turn was never reported.
        assert_eq!(report("d", Switch), ConversationRole::Person);
        assert_eq!(report("e", Prompt), ConversationRole::Person);
        // Another process is not concerned.
        let elsewhere = store.report_conversation("8:1", "f", Prompt).expect("kept");
        assert_eq!(elsewhere, ConversationRole::Person);
    }

    #[test]
    fn announced_call_is_removed_or_kept_as_requested() {
        let (_folder, store) = temporary_store();
        let owner = |session: &str| CallOwner {
            session: session.to_owned(),
            is_shared: false,
        };
        for session in ["a", "b"] {
            store.announce_call("k", &owner(session)).expect("kept");
        }
        let take = |then| store.call_owner("k", then).expect("read");
        assert_eq!(take(AnnouncementHandling::Kept), Some(owner("b")));
        assert_eq!(take(AnnouncementHandling::Removed), Some(owner("b")));
        assert_eq!(take(AnnouncementHandling::Removed), Some(owner("a")));
        assert_eq!(take(AnnouncementHandling::Removed), None);
        let other = store.call_owner("other", AnnouncementHandling::Kept);
        assert_eq!(other.expect("read"), None);
    }

    #[test]
    fn sub_agents_run_until_end_or_user_prompt() {
        let (_folder, store) = temporary_store();
        for session in ["s1", "s2", "s3"] {
            store.add_sub_agent(session, "top", None).expect("kept");
        }
        let running = || {
            let found = store
                .running_sub_agents("7:1", 1_000)
                .expect("read")
                .into_iter();
            let shown = found.map(|one| (one.session, one.is_beside));
            shown.collect::<Vec<_>>()
        };
        let one = |session: &str, beside| (session.to_owned(), beside);
        store.begin_run("7:1", "s1", 10).expect("kept");
        // This one began after the call in question.
        store.begin_run("7:1", "s2", 2_000).expect("kept");
        assert_eq!(running(), [one("s1", false)]);
        store.end_run("s1").expect("kept");
        assert!(running().is_empty());
        store.end_run("s2").expect("kept");
        store.begin_run("7:1", "s3", 20).expect("kept");
        store.mark_parent_continues("7:1").expect("kept");
        store.begin_run("7:1", "s1", 30).expect("kept");
        store.end_awaited_sub_agents("7:1").expect("kept");
        assert_eq!(running(), [one("s3", true)]);
        assert!(
            store
                .running_sub_agents("8:1", 1_000)
                .expect("read")
                .is_empty()
        );
    }

    #[test]
    fn lists_hook_runs_by_agent() {
        let (_folder, store) = temporary_store();
        for event in ["prompt", "call", "prompt"] {
            store.record_hook_run("claude", event).expect("kept");
        }
        let heard = store.hook_run_times("claude").expect("read");
        assert_eq!(heard.len(), 2, "{heard:?}");
        assert!(store.hook_run_times("codex").expect("read").is_empty());
    }
}
