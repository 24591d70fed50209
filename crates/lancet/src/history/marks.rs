//! Reports of agents' hooks: a person's prompts, and the session that an agent's process is in.

use lancet_history::{HistoryError, Mark, MarkQuery};

use super::History;

impl History {
    /// Records that a prompt was sent in a session. At most [`Mark::LONGEST`] characters of it are stored.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn mark(&self, session: &str, prompt: &str) -> Result<(), HistoryError> {
        self.ask(|store| store.mark(session, prompt))
    }

    /// Lists marks, newest first. A query with neither folders nor a session means the sessions that have changed a
    /// file below the roots.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn marks(&self, query: &MarkQuery) -> Result<Vec<Mark>, HistoryError> {
        if !query.below.is_empty() || query.session.is_some() {
            return self.ask(|store| store.marks(query));
        }
        let query = MarkQuery {
            below: self.roots(),
            ..query.clone()
        };
        self.ask(|store| store.marks(&query))
    }

    /// Records that the agent of this process, named by its id and start time, is in this session now.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn report_session(&self, process: &str, session: &str) -> Result<(), HistoryError> {
        self.ask(|store| store.report_session(process, session))
    }

    /// Returns the session that was last reported for this process.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn reported_session(&self, process: &str) -> Result<Option<String>, HistoryError> {
        self.ask(|store| store.reported_session(process))
    }
}
