//! The active sessions, and those whose writes the user has stopped.

use std::path::Path;

use super::{MemoryHistory, now, unsupported_query};
use crate::activity::{ActivityStore, OpenSession, SessionActivity, SessionStop};
use crate::error::HistoryError;
use crate::event::EventKind;

impl ActivityStore for MemoryHistory {
    fn stop_session(
        &self,
        session: &str,
        by: &str,
        words: Option<&str>,
    ) -> Result<bool, HistoryError> {
        let mut kept = self.lock_state();
        if kept.stops.iter().any(|stop| stop.session == session) {
            return Ok(false);
        }
        kept.stops.push(SessionStop {
            session: session.to_owned(),
            time: now(),
            by: by.to_owned(),
            words: words.map(str::to_owned),
        });
        kept.append_event(EventKind::Session, Some(session), "{\"state\":\"stopped\"}");
        Ok(true)
    }

    fn resume_session(&self, session: &str, _by: &str) -> Result<bool, HistoryError> {
        let mut kept = self.lock_state();
        let before = kept.stops.len();
        kept.stops.retain(|stop| stop.session != session);
        let is_resumed = kept.stops.len() < before;
        if is_resumed {
            kept.append_event(EventKind::Session, Some(session), "{\"state\":\"resumed\"}");
        }
        Ok(is_resumed)
    }

    fn session_stop(&self, session: &str) -> Result<Option<SessionStop>, HistoryError> {
        let kept = self.lock_state();
        let mut stops = kept.stops.iter();
        Ok(stops.find(|stop| stop.session == session).cloned())
    }

    fn all_stops(&self) -> Result<Vec<SessionStop>, HistoryError> {
        Ok(self.lock_state().stops.iter().rev().cloned().collect())
    }

    fn open_sessions(&self) -> Result<Vec<OpenSession>, HistoryError> {
        let kept = self.lock_state();
        let open = kept.open.iter().rev();
        let alive = open.filter(|(process, _)| kept.alive.contains(process));
        Ok(alive.map(|(_, session)| session.clone()).collect())
    }

    fn recent_sessions(&self, _since: i64) -> Result<Vec<String>, HistoryError> {
        unsupported_query("which ledgers were used")
    }

    fn session_activity(
        &self,
        _session: &str,
        _most: usize,
    ) -> Result<SessionActivity, HistoryError> {
        unsupported_query("what a session has read")
    }

    fn has_file_in_ledger(&self, _session: &str, _path: &Path) -> Result<bool, HistoryError> {
        unsupported_query("what a session has read")
    }
}
