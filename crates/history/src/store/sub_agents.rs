//! The tables `sub_agents`, `announced_calls` and `heard_hooks`, and the turns in `agent_processes`.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::clock::{now, now_in_milliseconds};
use super::ledger_tables::DAY;
use super::transaction::WriteTransaction;
use super::{HistoryError, Store};
use crate::sub_agent::{
    Announcement, CallOwner, ConversationReport, ReportedAs, RunningSubAgent, SubAgent,
    SubAgentStore,
};

/// The largest number of sub-agents that one query returns.
const MOST: i64 = 10_000;
/// An announced call that was not made is removed after this many seconds: the user may take hours to allow it.
const UNMADE: i64 = DAY;
/// A reported process is removed after this many seconds without a report.
const UNREPORTED: i64 = 30 * DAY;
/// The interval at which the time of a hook's last run is written again, in seconds.
const HEARD_EVERY: i64 = 60 * 60;

impl SubAgentStore for Store {
    fn add_sub_agent(
        &self,
        session: &str,
        parent: &str,
        kind: Option<&str>,
    ) -> Result<(), HistoryError> {
        self.run(|connection| {
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
        let (found, _) = self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT session, parent, kind, time FROM sub_agents ORDER BY time DESC, session LIMIT ?1",
            )?;
            let rows = statement.query_map([MOST], |row| {
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
        self.change(
            "UPDATE sub_agents SET process = ?1, running = ?3, beside = 0 WHERE session = ?2",
            params![process, session, since],
        )
    }

    fn end_run(&self, session: &str) -> Result<(), HistoryError> {
        self.change(
            "UPDATE sub_agents SET running = NULL WHERE session = ?1",
            params![session],
        )
    }

    fn running(&self, process: &str, before: i64) -> Result<Vec<RunningSubAgent>, HistoryError> {
        let (found, _) = self.run(|connection| {
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

    fn go_on_beside(&self, process: &str) -> Result<(), HistoryError> {
        self.change(
            "UPDATE sub_agents SET beside = 1 WHERE process = ?1 AND running IS NOT NULL",
            params![process],
        )
    }

    fn end_waited_for(&self, process: &str) -> Result<(), HistoryError> {
        self.change(
            "UPDATE sub_agents SET running = NULL
             WHERE process = ?1 AND running IS NOT NULL AND beside = 0",
            params![process],
        )
    }

    fn announce_call(&self, key: &str, owner: &CallOwner) -> Result<(), HistoryError> {
        self.run(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            transaction
                .prepare_cached("DELETE FROM announced_calls WHERE id IN (SELECT id FROM announced_calls WHERE time < ?1 ORDER BY id LIMIT 100)")?
                .execute([now() - UNMADE])?;
            transaction
                .prepare_cached(
                    "INSERT INTO announced_calls (key, session, several, time) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![key, owner.session, owner.is_shared, now()])?;
            transaction.commit()
        })?;
        Ok(())
    }

    fn call_owner(&self, key: &str, then: Announcement) -> Result<Option<CallOwner>, HistoryError> {
        let (found, _) = self.run(|connection| {
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
            if then == Announcement::Removed {
                let transaction = WriteTransaction::begin(connection)?;
                transaction.execute("DELETE FROM announced_calls WHERE id = ?1", [id])?;
                transaction.commit()?;
            }
            Ok(Some(CallOwner { session, is_shared }))
        })?;
        Ok(found)
    }

    fn report(
        &self,
        process: &str,
        session: &str,
        report: ConversationReport,
    ) -> Result<ReportedAs, HistoryError> {
        let (reported, _) =
            self.run(|connection| self::report(connection, process, session, report))?;
        Ok(reported)
    }

    fn end_turn(&self, process: &str, session: &str) -> Result<(), HistoryError> {
        self.change(
            "UPDATE agent_processes SET turn = NULL WHERE process = ?1 AND session = ?2",
            params![process, session],
        )
    }

    fn hear_hook(&self, agent: &str, event: &str) -> Result<(), HistoryError> {
        self.run(|connection| {
            let is_known = connection
                .prepare_cached(
                    "SELECT 1 FROM heard_hooks WHERE agent = ?1 AND event = ?2 AND time > ?3",
                )?
                .exists(params![agent, event, now() - HEARD_EVERY])?;
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

    fn heard_hooks(&self, agent: &str) -> Result<Vec<(String, i64)>, HistoryError> {
        let (found, _) = self.run(|connection| {
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
    fn change(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<(), HistoryError> {
        self.run(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            transaction.prepare_cached(sql)?.execute(values)?;
            transaction.commit()
        })?;
        Ok(())
    }
}

/// Records what a hook reports of the conversation of a process.
pub(super) fn report(
    connection: &mut Connection,
    process: &str,
    session: &str,
    report: ConversationReport,
) -> rusqlite::Result<ReportedAs> {
    let transaction = WriteTransaction::begin(connection)?;
    let other = turn(&transaction, process)?.filter(|running| running != session);
    if let (Some(running), true) = (other, report != ConversationReport::Switch) {
        return Ok(ReportedAs::SubAgentOf(running));
    }
    let begins = (report == ConversationReport::Prompt).then(now_in_milliseconds);
    transaction.execute(
        "DELETE FROM agent_processes WHERE time < ?1",
        [now() - UNREPORTED],
    )?;
    transaction.execute(
        "INSERT INTO agent_processes (process, session, time, turn) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (process) DO UPDATE SET session = ?2, time = ?3,
             turn = CASE WHEN ?4 IS NULL AND session = ?2 THEN turn ELSE ?4 END",
        params![process, session, now(), begins],
    )?;
    transaction.commit()?;
    Ok(ReportedAs::Person)
}

/// Returns the session whose turn runs in a process.
fn turn(connection: &Connection, process: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached(
            "SELECT session FROM agent_processes WHERE process = ?1 AND turn IS NOT NULL",
        )?
        .query_row([process], |row| row.get(0))
        .optional()
}

/// Removes sub-agents that have no operation any more and are older than the limit.
pub(super) fn prune(connection: &Connection, oldest: i64) -> rusqlite::Result<()> {
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

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().expect("folder");
        let store = Store::new(folder.path());
        (folder, store)
    }

    #[test]
    fn what_is_reported_while_another_turn_runs_is_a_sub_agents_and_takes_nothing_over() {
        let (_folder, store) = store();
        let report = |session, what| store.report("7:1", session, what).expect("kept");
        let current = || {
            use crate::mark::MarkStore as _;
            store.reported_session("7:1").expect("read")
        };
        let sub_agent = || ReportedAs::SubAgentOf("a".to_owned());
        assert_eq!(report("a", Start), ReportedAs::Person);
        assert_eq!(report("a", Prompt), ReportedAs::Person);
        assert_eq!(report("b", Start), sub_agent());
        assert_eq!(report("b", Prompt), sub_agent());
        assert_eq!(current().as_deref(), Some("a"));
        // The same conversation is prompted again while it works.
        assert_eq!(report("a", Prompt), ReportedAs::Person);
        assert_eq!(report("a", Start), ReportedAs::Person);
        assert_eq!(report("b", Prompt), sub_agent());
        // The end of a sub-agent's turn is not that of its parent.
        store.end_turn("7:1", "b").expect("kept");
        assert_eq!(report("b", Prompt), sub_agent());
        store.end_turn("7:1", "a").expect("kept");
        assert_eq!(report("c", Prompt), ReportedAs::Person);
        assert_eq!(current().as_deref(), Some("c"));
        // The user goes to another conversation although the end of the turn was never reported.
        assert_eq!(report("d", Switch), ReportedAs::Person);
        assert_eq!(report("e", Prompt), ReportedAs::Person);
        // Another process is not concerned.
        let elsewhere = store.report("8:1", "f", Prompt).expect("kept");
        assert_eq!(elsewhere, ReportedAs::Person);
    }

    #[test]
    fn an_announced_call_is_found_once_or_as_often_as_it_is_asked_for() {
        let (_folder, store) = store();
        let owner = |session: &str| CallOwner {
            session: session.to_owned(),
            is_shared: false,
        };
        for session in ["a", "b"] {
            store.announce_call("k", &owner(session)).expect("kept");
        }
        let take = |then| store.call_owner("k", then).expect("read");
        assert_eq!(take(Announcement::Kept), Some(owner("b")));
        assert_eq!(take(Announcement::Removed), Some(owner("b")));
        assert_eq!(take(Announcement::Removed), Some(owner("a")));
        assert_eq!(take(Announcement::Removed), None);
        let other = store.call_owner("other", Announcement::Kept);
        assert_eq!(other.expect("read"), None);
    }

    #[test]
    fn sub_agents_run_until_they_end_or_a_person_speaks() {
        let (_folder, store) = store();
        for session in ["s1", "s2", "s3"] {
            store.add_sub_agent(session, "top", None).expect("kept");
        }
        let running = || {
            let found = store.running("7:1", 1_000).expect("read").into_iter();
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
        store.go_on_beside("7:1").expect("kept");
        store.begin_run("7:1", "s1", 30).expect("kept");
        store.end_waited_for("7:1").expect("kept");
        assert_eq!(running(), [one("s3", true)]);
        assert!(store.running("8:1", 1_000).expect("read").is_empty());
    }

    #[test]
    fn heard_hooks_are_listed_by_agent() {
        let (_folder, store) = store();
        for event in ["prompt", "call", "prompt"] {
            store.hear_hook("claude", event).expect("kept");
        }
        let heard = store.heard_hooks("claude").expect("read");
        assert_eq!(heard.len(), 2, "{heard:?}");
        assert!(store.heard_hooks("codex").expect("read").is_empty());
    }
}
